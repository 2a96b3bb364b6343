package session_test

import (
	"fmt"
	"sync"
	"testing"

	"docent/agent/agenttest"
	"docent/agent/session"
	"docent/payload"
)

// Many clients open sessions, send, and leave at the same time, some without waiting for answers.
// Every message is answered once, every new session greets its client, and no session stays in
// memory.
func TestManyClients(t *testing.T) {
	t.Parallel()
	const clients, visits, shared = 8, 60, 3
	store := agenttest.NewStore()
	rt := start(t, session.RuntimeConfig{Agent: echo(nil), Store: store})
	var running sync.WaitGroup
	for who := range clients {
		running.Go(func() {
			for visit := range visits {
				name := fmt.Sprint("client ", who, " visit ", visit)
				own := newClient(t)
				sub, err := rt.Open(t.Context(), session.OpenRequest{ID: name}, own)
				if err != nil {
					t.Error(err)
					return
				}
				if d := own.Next(); text(t, d) != "hello" {
					t.Errorf("%s: no greeting but %s", name, d.Frame.Message)
				}
				send(t, sub, "", "ping")
				own.Until(payload.TurnFinishedAction)
				sub.Close()

				other := newClient(t)
				sub, err = rt.Open(t.Context(), session.OpenRequest{ID: fmt.Sprint("shared ", visit%shared)}, other)
				if err != nil {
					t.Error(err)
					return
				}
				err = sub.Send(t.Context(), session.Message{ID: name, Content: quoted(name), Wait: true, Human: true})
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
				sub.Close() // without waiting
			}
		})
	}
	running.Wait()
	for i := range shared {
		id := fmt.Sprint("shared ", i)
		sub, c, _ := open(t, rt, id) // its turn comes after all others
		send(t, sub, "last", "last")
		for text(t, c.Until(payload.ReplyStr)) != "last" {
			continue
		}
		sub.Close()
		_, messages, _ := store.Stored(id)
		answers := map[string]int{}
		for _, m := range messages {
			if !m.IsUser {
				answers[string(m.Content)]++
			}
		}
		for _, m := range messages {
			if m.IsUser && answers[string(m.Content)] != 1 {
				t.Errorf("%s is answered %d times", m.Content, answers[string(m.Content)])
			}
		}
		if len(messages) != 2*(clients*visits/shared+1)+1 {
			t.Errorf("%s: %d messages", id, len(messages))
		}
	}
	stop(t, rt)
	if n := rt.Sessions(); n != 0 {
		t.Errorf("%d sessions in memory", n)
	}
}
