package session_test

import (
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/session"
	"docent/agent/session/journal"
)

// A message that a killed process left behind is answered after the start, without a client, once.
func TestWaitingMessageAtStart(t *testing.T) { bubble(t, testWaitingMessageAtStart) }

func testWaitingMessageAtStart(t *testing.T) {
	store, content := agenttest.NewStore(), json.RawMessage(`"hi"`)
	record, _, err := store.OpenSession(t.Context(), journal.SessionRecord{Key: journal.SessionKey{Agent: "echo", ID: "S"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Receive(t.Context(), journal.Incoming{
		Session: record.RowID, Type: "str", Content: content,
		Event: journal.EventRecord{Name: agent.EventText, Info: "hi", Human: true, Data: content, Time: time.Now()},
	}); err != nil {
		t.Fatal(err)
	}
	rt := start(t, session.RuntimeConfig{Agent: echo(nil), Store: store, Now: realTime})
	replies := func() int {
		n := 0
		_, messages, _ := store.Stored("S")
		for _, m := range messages {
			if !m.IsUser {
				n++
			}
		}
		return n
	}
	for range 2 { // the second start finds nothing to do
		before := replies()
		if err := rt.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if n := replies(); n == 0 || before != 0 && n != before || rt.Sessions() != 0 {
			t.Errorf("%d replies after %d, %d sessions in memory", n, before, rt.Sessions())
		}
	}
}
