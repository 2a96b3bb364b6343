// Package sse writes server-sent events.
package sse

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// MediaType is the media type of a stream of events.
const MediaType = "text/event-stream"

// KeepAlive is the usual interval between comments. Many proxies close
// connections after a minute of silence.
const KeepAlive = 15 * time.Second

// Writer writes events and flushes them at once. It is safe for concurrent use.
type Writer struct {
	mu  sync.Mutex // guards out: events and comments must not mix
	out http.ResponseWriter
}

// NewWriter starts a response that consists of events.
func NewWriter(w http.ResponseWriter) *Writer {
	h := w.Header()
	h.Set("Content-Type", MediaType)
	h.Set("X-Accel-Buffering", "no") // nginx would delay the events
	w.WriteHeader(http.StatusOK)
	return &Writer{out: w}
}

// Send writes an event with data as JSON, which fits on one line. An empty name
// makes an unnamed event.
func (w *Writer) Send(name string, data any) error { return SendAll(w, name, []any{data}) }

// SendAll writes events with the same name and flushes them together.
func SendAll[T any](w *Writer, name string, events []T) error {
	var all strings.Builder
	for _, data := range events {
		body, err := json.Marshal(data)
		if err != nil {
			return fmt.Errorf("event %s: %w", name, err)
		}
		if name != "" {
			all.WriteString("event: " + name + "\n")
		}
		all.WriteString("data: " + string(body) + "\n\n")
	}
	return w.write(all.String())
}

// SendText writes an unnamed event with a line of text that need not be JSON, such
// as [DONE].
func (w *Writer) SendText(line string) error { return w.write("data: " + line + "\n\n") }

// Beat writes a comment, which clients ignore, at each tick. The caller must call
// stop, which waits for the last comment.
func (w *Writer) Beat(ticks <-chan time.Time) (stop func()) {
	var running sync.WaitGroup
	done := make(chan struct{})
	running.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-ticks:
				if w.write(": keep-alive\n\n") != nil {
					return // the client is gone; the next event fails too
				}
			}
		}
	})
	return func() {
		close(done)
		running.Wait()
	}
}

func (w *Writer) write(s string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, err := io.WriteString(w.out, s); err != nil {
		return err
	}
	return http.NewResponseController(w.out).Flush()
}
