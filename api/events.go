package api

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"docent/rag"
	"docent/rag/wire"
)

// keepAlive is how often a stream of events without any says that it lives:
// proxies cut what is silent for a minute.
const keepAlive = 15 * time.Second

// events writes server-sent events, each at once.
type events struct {
	mu  sync.Mutex // guards out: events and comments are written whole
	out http.ResponseWriter
}

func newEvents(w http.ResponseWriter) *events {
	h := w.Header()
	h.Set("Content-Type", eventStream)
	h.Set("X-Accel-Buffering", "no") // nginx would hold them back
	w.WriteHeader(http.StatusOK)
	return &events{out: w}
}

// beat writes a comment, which clients ignore, at each tick until stop is
// called, which waits for it.
func (e *events) beat(ticks <-chan time.Time) (stop func()) {
	var running sync.WaitGroup
	done := make(chan struct{})
	running.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-ticks:
				if e.write(": keep-alive\n\n") != nil {
					return // the client is gone; the next event finds it too
				}
			}
		}
	})
	return func() {
		close(done)
		running.Wait()
	}
}

func (e *events) write(s string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, err := io.WriteString(e.out, s); err != nil {
		return err
	}
	return http.NewResponseController(e.out).Flush()
}

// send writes one event. JSON has no line breaks, so its data is one line.
func (e *events) send(name string, data any) error {
	body, err := json.Marshal(data)
	if err != nil {
		return fmt.Errorf("event %s: %w", name, err)
	}
	return e.write(fmt.Sprintf("event: %s\ndata: %s\n\n", name, body))
}

func (e *events) sendPart(p rag.Part) error {
	switch {
	case p.Answer != nil:
		return e.send("message", wire.Message(*p.Answer))
	case p.Delta != "":
		return e.send("delta", map[string]string{"text": p.Delta})
	case p.Phase != "":
		return e.send("phase", map[string]rag.Phase{"phase": p.Phase})
	default:
		return nil
	}
}
