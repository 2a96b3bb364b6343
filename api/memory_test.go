package api

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"docent/agent/session/journal"
)

func (w *world) Remember(_ context.Context, m journal.Memory) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.facts = append(w.facts, m)
	return w.broken
}

func (w *world) Memories(_ context.Context, owner, _ string) ([]journal.Memory, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if owner != "" {
		return nil, w.broken
	}
	return w.facts, w.broken
}

func (w *world) Forget(_ context.Context, owner, agent, key string) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.forgotten = append(w.forgotten, [3]string{owner, agent, key})
	return len(w.facts), w.broken
}

// TestFacts lists and erases the facts that agents remember.
func TestFacts(t *testing.T) {
	t.Parallel()
	w := newWorld()
	at := time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC)
	w.facts = []journal.Memory{
		{Agent: "a", Key: "city", Content: json.RawMessage(`"Porto"`), UpdatedAt: at, ExpiresAt: at.Add(time.Hour)},
		{Agent: "b", Key: "size", Content: json.RawMessage(`4`), UpdatedAt: at},
	}
	c := w.serve(t)
	const facts = `[{"agent_name":"a","key":"city","value":"Porto","updated_at":"2027-01-02T03:04:05Z","expires_at":"2027-01-02T04:04:05Z"},` +
		`{"agent_name":"b","key":"size","value":4,"updated_at":"2027-01-02T03:04:05Z","expires_at":null}]`
	if _, body := c.do("GET", "/api/me/memory", ""); body != facts+"\n" {
		t.Errorf("facts: %s", body)
	}
	if _, body := c.do("DELETE", "/api/me/memory?agent_name=a&key=city", ""); body != `{"erased":2}`+"\n" || w.forgotten[0] != [3]string{"", "a", "city"} {
		t.Errorf("erased %s: %v", body, w.forgotten)
	}
	var export struct{ Facts json.RawMessage }
	if _, body := c.do("GET", "/api/me/export", ""); json.Unmarshal([]byte(body), &export) != nil || string(export.Facts) != facts {
		t.Errorf("export: %s", body)
	}
}
