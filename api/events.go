package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"docent/rag"
)

// events writes server-sent events, each at once.
type events struct {
	out *patient
}

func newEvents(w http.ResponseWriter, stall time.Duration) *events {
	h := w.Header()
	h.Set("Content-Type", eventStream)
	h.Set("X-Accel-Buffering", "no") // nginx would hold them back
	w.WriteHeader(http.StatusOK)
	return &events{&patient{rc: http.NewResponseController(w), stall: stall, write: w.Write}}
}

// send writes one event. JSON has no line breaks, so its data is one line.
func (e *events) send(name string, data any) error {
	body, err := json.Marshal(data)
	if err != nil {
		return fmt.Errorf("event %s: %w", name, err)
	}
	if _, err := fmt.Fprintf(e.out, "event: %s\ndata: %s\n\n", name, body); err != nil {
		return err
	}
	return e.out.rc.Flush()
}

func (e *events) sendPart(p rag.Part) error {
	switch {
	case p.Message != nil:
		return e.send("message", p.Message)
	case p.Delta != "":
		return e.send("delta", map[string]string{"text": p.Delta})
	case p.Phase != "":
		return e.send("phase", map[string]rag.Phase{"phase": p.Phase})
	default:
		return nil
	}
}
