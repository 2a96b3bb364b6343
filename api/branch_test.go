package api

import (
	"encoding/json"
	"slices"
	"testing"

	"docent/agent/session/journal"
	"docent/internal/fault"
)

// TestBranch begins a session with a copy of one's own, and of no other.
func TestBranch(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.sessions = []journal.SessionRecord{{RowID: 7, Key: journal.SessionKey{Agent: "docent", ID: "s"}, Owner: "user:ada", Name: "Pumps"}}
	c := w.serve(t)
	header := func(as string) []string { return []string{"Content-Type", "application/json", "As", as} }
	resp, body := c.do("POST", "/api/sessions/s/branch", `{"turn":2}`, header("user:ada ask")...)
	var made struct {
		SessionID string `json:"session_id"`
	}
	if err := json.Unmarshal([]byte(body), &made); err != nil || resp.StatusCode != 201 || made.SessionID == "" || made.SessionID == "s" {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
	c.wantError(404, fault.NotFound, "no such session", "POST", "/api/sessions/s/branch", `{"turn":2}`, header("user:bob ask")...)
	c.wantError(404, fault.NotFound, "no such session", "POST", "/api/sessions/s/branch", `{"turn":2}`, header("user:eve ask admin")...)
	if want := []string{"user:ada Pumps 2"}; !slices.Equal(w.copies, want) {
		t.Errorf("copied %q, want %q", w.copies, want)
	}
}
