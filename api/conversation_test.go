package api

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"docent/agent"
	"docent/agent/chat"
	"docent/agent/session/journal"
	"docent/payload"
	"docent/store/sqlite"
)

// TestInstalledConversation checks that pages and exports of a real store
// contain the messages, and replaced ones only on request.
func TestInstalledConversation(t *testing.T) {
	t.Parallel()
	c, db, _ := installed(t)
	talked(t, db)
	texts := func(path string) string {
		t.Helper()
		_, body := c.do("GET", path, "")
		var page messagePage
		if err := json.Unmarshal([]byte(body), &page); err != nil {
			t.Fatal(body, err)
		}
		var out []string
		for _, m := range page.Messages {
			out = append(out, fmt.Sprint(m.Content))
		}
		for _, s := range page.Steps {
			out = append(out, s.Summary)
		}
		return strings.Join(out, ", ")
	}
	const now, all = "one, reply one, better, reply better, step better", "one, reply one, two, reply two, better, reply better, step two, step better"
	for _, path := range []string{"/api/sessions/s/messages", "/api/sessions/s/export"} {
		if got := texts(path); got != now {
			t.Errorf("%s: %s", path, got)
		}
		if got := texts(path + "?replaced=true"); got != all {
			t.Errorf("%s?replaced=true: %s", path, got)
		}
	}
}

// talked stores a conversation in which the second turn is replaced.
func talked(t *testing.T, db *sqlite.Store) {
	t.Helper()
	stored, _, err := db.OpenSession(t.Context(), journal.SessionRecord{Key: journal.SessionKey{Agent: "docent", ID: "s"}})
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range []string{"one", "two", "better"} {
		content, _ := json.Marshal(text)
		in := journal.Incoming{Session: stored.RowID, ClientID: text, Type: "str", Content: content, Event: journal.EventRecord{Name: "receive_message_text", Human: true, Data: content}}
		if i == 2 {
			in.Replaces = 2
		}
		receipt, err := db.Receive(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		reply, _ := json.Marshal("reply " + text)
		turn := journal.TurnRecord{Session: stored.RowID, Turn: receipt.Event.Turn, Handled: []int64{receipt.Event.ID}}
		if i > 0 {
			turn.Entries = append(turn.Entries, journal.Entry{Step: &chat.Reasoning{Turn: receipt.Event.Turn, Kind: payload.StoredStep, Summary: "step " + text, Payload: json.RawMessage(`{}`)}})
		}
		turn.Entries = append(turn.Entries, journal.Entry{Message: &agent.ChatMessage{Turn: receipt.Event.Turn, Type: "str", Content: reply}})
		if _, err := db.CommitTurn(t.Context(), turn); err != nil {
			t.Fatal(err)
		}
	}
}
