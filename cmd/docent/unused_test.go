package main

import (
	"strings"
	"testing"
	"time"

	"docent/agent/session/journal"
	"docent/internal/wstest"
)

// TestUnusedConversations checks that a client that only connects leaves no conversations.
func TestUnusedConversations(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, env []string) {
		s := guarded(t, env)
		w := s.as(t, "token site")
		name := strings.Repeat("n", 250)
		for range 50 {
			c, _, err := w.TryDial(t, s.at+"/?protocol=docent.v1&user_id="+name+"&session_name="+name)
			if err != nil {
				t.Fatal(err)
			}
			say(t, c, wstest.MessageText, `{"action":"hello","message":{}}`)
			until(t, c, `"agent_reply_str"`)
			_ = c.CloseNow()
		}
		deadline := time.After(time.Minute)
		for {
			stored, err := s.db.Sessions.Sessions(t.Context(), journal.SessionFilter{})
			if err != nil {
				t.Fatal(err)
			}
			if len(stored) == 0 {
				return
			}
			select {
			case <-time.After(10 * time.Millisecond):
			case <-deadline:
				t.Fatalf("%d conversations are left", len(stored))
			}
		}
	})
}
