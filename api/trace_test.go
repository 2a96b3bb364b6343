package api

import (
	"context"
	"testing"
	"time"

	"docent/agent/chat"
	"docent/agent/session/journal"
	"docent/internal/fault"
)

func (w *world) Trace(_ context.Context, session int64) (journal.Trace, error) {
	if session != 7 {
		return journal.Trace{}, w.broken
	}
	at := time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC)
	return journal.Trace{
		Moves:       []journal.TracedMove{{Turn: 1, Transition: chat.Transition{Source: "a", Dest: "b", Event: "e", Condition: "c", Time: at}}},
		Predictions: []journal.TracedPrediction{{Turn: 1, Prediction: chat.Prediction{Message: "Hi", Intent: "greet", Classifier: "x", Score: .5}}},
	}, w.broken
}

func (w *world) Events(_ context.Context, session, after int64, _ int) ([]chat.Event, error) {
	if session != 7 || after > 0 {
		return nil, w.broken
	}
	return []chat.Event{{ID: 3, Turn: 9, Name: "morning"}}, w.broken
}

// TestTrace returns the way of a session. Without an agent that can be drawn, there is no picture.
func TestTrace(t *testing.T) {
	t.Parallel()
	c := newWorld().serve(t)
	c.want(200, `{"agent_name":"docent","state":"","moves":[{"turn":1,"from":"a","to":"b","event":"e","condition":"c","at":"2027-01-02T03:04:05Z"}],`+
		`"intents":[{"turn":1,"intent":"greet","classifier":"x","score":0.5}]}`, "GET", "/api/sessions/s1/trace", "")
	c.wantError(404, fault.NotFound, "no such session", "GET", "/api/sessions/nothing/trace", "")
	c.wantError(404, fault.NotFound, "no graph", "GET", "/api/agent/picture", "")
}
