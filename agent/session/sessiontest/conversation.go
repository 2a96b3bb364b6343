package sessiontest

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"docent/agent"
	"docent/agent/chat"
	"docent/agent/session/journal"
	"docent/internal/storetest"
)

// Conversations is an empty store of conversations for one test.
type Conversations struct {
	// Open opens the store like another process. All handles share the data.
	Open func(t *testing.T) journal.Store
	// Count returns the number of rows of a table. It is nil if the store has no tables.
	Count func(t *testing.T, table string) int
}

// Run tests the stores that fresh makes.
func Run(t *testing.T, fresh func(t *testing.T) Conversations) {
	storetest.RunGroups(t, fresh, map[string]map[string]func(*testing.T, Conversations){
		"Session": sessionTests, "Event": eventTests, "Turn": turnTests, "Partial": partialTests, "Reasoning": reasoningTests,
		"Together": togetherTests, "Runtime": runtimeTests, "Page": pageTests, "Revise": reviseTests, "Document": documentTests,
	})
}

// rows checks the number of rows of tables.
func (db Conversations) rows(t *testing.T, wanted map[string]int) {
	t.Helper()
	if db.Count == nil {
		return
	}
	for table, n := range wanted {
		storetest.Want(t, "rows of "+table, db.Count(t, table), n)
	}
}

// open opens a session of the agent "a".
func open(t *testing.T, s journal.Store, id string) journal.SessionRecord {
	t.Helper()
	r, _, err := s.OpenSession(t.Context(), journal.SessionRecord{Key: journal.SessionKey{Agent: "a", ID: id}, Platform: "WebSocketPlatform"})
	storetest.OK(t, err)
	return r
}

// reset empties a session and returns its newest sequence number.
func reset(t *testing.T, s journal.Store, session int64) int64 {
	t.Helper()
	seq, err := s.ResetSession(t.Context(), session, 0)
	storetest.OK(t, err)
	return seq
}

// say stores a user's message.
func say(t *testing.T, s journal.Store, session int64, clientID, text string) journal.Receipt {
	t.Helper()
	r, err := s.Receive(t.Context(), message(session, clientID, text))
	storetest.OK(t, err)
	return r
}

func message(row int64, clientID, text string) journal.Incoming {
	content, _ := json.Marshal(text) // a string always marshals
	return journal.Incoming{
		Session: row, ClientID: clientID, Type: "str", Content: content, History: 100,
		Event: journal.EventRecord{Name: "receive_message_text", Info: text, Human: true, Data: content},
	}
}

// happen stores an event without a message.
func happen(t *testing.T, s journal.Store, row int64, name, data string) journal.EventRecord {
	t.Helper()
	e := journal.EventRecord{Name: name}
	if data != "" {
		e.Data = json.RawMessage(data)
	}
	r, err := s.Receive(t.Context(), journal.Incoming{Session: row, Event: e})
	storetest.OK(t, err)
	return r.Event
}

// told returns an entry whose message has the given text.
func told(text string) journal.Entry {
	content, _ := json.Marshal(text) // a string always marshals
	return journal.Entry{Message: &agent.ChatMessage{Type: "str", Content: content}}
}

// thought returns the entry of a step that belongs to the message of an entry.
func thought(summary string, answer int) journal.Entry {
	payload, _ := json.Marshal(map[string]string{"summary": summary}) // strings always marshal
	return journal.Entry{
		Step:   &chat.Reasoning{Kind: "reasoning_step", StepKind: "thought", Summary: summary, Payload: payload},
		Answer: answer,
	}
}

// sorry returns the entry of an apology.
func sorry() journal.Entry {
	e := told("sorry")
	e.Message.ClientID = chat.FailedID
	return e
}

// begun returns the record of the turn that an event began.
func begun(row int64, e journal.EventRecord, entries ...journal.Entry) journal.TurnRecord {
	return journal.TurnRecord{Session: row, Turn: e.Turn, Handled: []int64{e.ID}, State: "answer", Entries: entries}
}

// commit commits a turn.
func commit(t *testing.T, s journal.Store, turn journal.TurnRecord) journal.Written {
	t.Helper()
	written, err := s.CommitTurn(t.Context(), turn)
	storetest.OK(t, err)
	return written
}

// reply commits the turn that an event began, with messages.
func reply(t *testing.T, s journal.Store, session int64, e journal.EventRecord, texts ...string) []string {
	t.Helper()
	record := begun(session, e)
	for _, text := range texts {
		record.Entries = append(record.Entries, told(text))
	}
	return entryLines(commit(t, s, record).Entries)
}

// greet commits messages of turn 0.
func greet(t *testing.T, s journal.Store, row int64, texts ...string) []string {
	t.Helper()
	return reply(t, s, row, journal.EventRecord{}, texts...)
}

// pending describes the events in a session's queue: turn, name, data.
func pending(t *testing.T, s journal.Store, id string) []string {
	t.Helper()
	out := []string{}
	for _, e := range open(t, s, id).Pending {
		line := fmt.Sprintf("%d %s %s", e.Turn, e.Name, e.Data)
		if e.Begun {
			line += " begun"
		}
		out = append(out, line)
	}
	return out
}

// lines describes messages: sequence number, turn, author, text.
func lines(messages []agent.ChatMessage) []string {
	out := []string{}
	for _, m := range messages {
		who := "agent"
		if m.IsUser {
			who = "user"
		}
		out = append(out, fmt.Sprintf("%d/%d %s %s", m.Seq, m.Turn, who, m.Content))
	}
	return out
}

// entryLines describes entries.
func entryLines(entries []journal.Entry) []string {
	out := []string{}
	for _, e := range entries {
		if e.Message != nil {
			out = append(out, lines([]agent.ChatMessage{*e.Message})...)
		} else {
			out = append(out, stepLines([]chat.Reasoning{*e.Step})...)
		}
	}
	return out
}

// stepLines describes steps: sequence number, turn, kind, summary.
func stepLines(steps []chat.Reasoning) []string {
	out := []string{}
	for _, r := range steps {
		out = append(out, fmt.Sprintf("%d/%d %s %s", r.Seq, r.Turn, r.StepKind, r.Summary))
	}
	return out
}

// all describes the whole record of a session, by sequence number.
func all(t *testing.T, s journal.Store, row int64) []string {
	t.Helper()
	messages, err := s.Messages(t.Context(), row, journal.MessageQuery{})
	storetest.OK(t, err)
	steps, err := s.Steps(t.Context(), row, journal.MessageQuery{})
	storetest.OK(t, err)
	out := make([]string, len(messages)+len(steps))
	for _, entry := range slices.Concat(lines(messages), stepLines(steps)) {
		var seq int
		_, err := fmt.Sscanf(entry, "%d/", &seq)
		storetest.OK(t, err)
		if seq < 1 || seq > len(out) || out[seq-1] != "" {
			t.Fatalf("seq %d of %d: %q", seq, len(out), entry)
		}
		out[seq-1] = entry
	}
	return out
}

// sameJSON compares JSON by value. Databases may write spaces and keys in another way.
func sameJSON(t *testing.T, what string, got json.RawMessage, wanted string) {
	t.Helper()
	var a, b any
	storetest.OK(t, json.Unmarshal(got, &a))
	storetest.OK(t, json.Unmarshal([]byte(wanted), &b))
	storetest.Want(t, what, a, b)
}
