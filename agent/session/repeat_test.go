package session_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/session"
	"docent/internal/fault"
	"docent/payload"
)

// said describes the stored messages of a session.
func said(store *agenttest.Store) string {
	_, messages, _ := store.Stored("S")
	var out []string
	for _, m := range messages {
		out = append(out, fmt.Sprintf("%d %s", m.Turn, m.Content))
	}
	return strings.Join(out, "|")
}

// A failed turn leaves an apology. It runs again when its message is sent again, even after a
// restart. A finished turn does not run again.
func TestSentAgain(t *testing.T) { bubble(t, testSentAgain) }

func testSentAgain(t *testing.T) {
	store := agenttest.NewStore()
	works := false
	cfg := session.RuntimeConfig{Store: store, Agent: echo(func(context.Context, *agent.Session) error {
		if !works {
			return fault.New(fault.Unavailable, "test_sentence", "the model does not answer")
		}
		return nil
	})}
	rt := start(t, cfg)
	sub, c, _ := open(t, rt, "S")
	const apology = `0 "hello"|1 "hi"|1 "Sorry, that did not work: the model does not answer"`
	for range 2 {
		send(t, sub, "m1", "hi")
		if d := c.Until(payload.TurnFinishedAction); string(d.Frame.Message) != `{"outcome":"failed"}` || *d.Frame.Turn != 1 {
			t.Errorf("end %s", d.Frame.Message)
		}
		if got := said(store); got != apology {
			t.Errorf("stored %s", got)
		}
	}
	stop(t, rt)
	sub.Close()

	works = true
	sub, c, _ = open(t, start(t, cfg), "S")
	send(t, sub, "m1", "hi")
	if d := c.Next(); d.Frame.Action != payload.AckAction || !strings.Contains(string(d.Frame.Message), `"duplicate":true`) {
		t.Errorf("got %s %s, want an ack", d.Frame.Action, d.Frame.Message)
	}
	if d := c.Next(); text(t, d) != "hi" || *d.Frame.Turn != 1 || d.Frame.Seq != 4 {
		t.Errorf("got %+v", d.Frame)
	}
	for range 2 { // then, when sent again, only its end
		if d := c.Next(); d.Frame.Action != payload.TurnFinishedAction || string(d.Frame.Message) != `{"outcome":"done"}` || *d.Frame.Turn != 1 {
			t.Errorf("end %s %s", d.Frame.Action, d.Frame.Message)
		}
		synctest.Wait()
		c.Quiet()
		send(t, sub, "m1", "hi")
		c.Until(payload.AckAction)
	}
	if got, want := said(store), apology+`|1 "hi"`; got != want {
		t.Errorf("stored %s, want %s", got, want)
	}
}

// A message that is sent again while its turn runs or waits has no effect.
func TestSentAgainEarly(t *testing.T) { bubble(t, testSentAgainEarly) }

func testSentAgainEarly(t *testing.T) {
	hold := make(chan struct{})
	store := agenttest.NewStore()
	sub, c, _ := open(t, start(t, session.RuntimeConfig{Agent: held(hold), Store: store}), "S")
	c.Until(payload.ReplyStr)
	for range 2 {
		send(t, sub, "m1", "one")
		send(t, sub, "m2", "two")
	}
	synctest.Wait()
	close(hold)
	synctest.Wait()
	ends := 0
	for len(c.Heard) > 0 {
		if c.Next().Frame.Action == payload.TurnFinishedAction {
			ends++
		}
	}
	if got := said(store); ends != 2 || got != `0 "hello"|1 "one"|2 "two"|1 "one"|2 "two"` {
		t.Errorf("%d ends, stored %s", ends, got)
	}
}

// If two processes run the same turn, it is answered once. The clients of both receive the same
// answer.
func TestTwoProcesses(t *testing.T) { bubble(t, testTwoProcesses) }

func testTwoProcesses(t *testing.T) {
	store := agenttest.NewStore()
	hold := make(chan struct{})
	cfg := session.RuntimeConfig{Agent: held(hold), Store: store}
	one, c1, _ := open(t, start(t, cfg), "S")
	c1.Until(payload.ReplyStr)
	send(t, one, "m1", "hi")
	_, c2, _ := open(t, start(t, cfg), "S")
	synctest.Wait()
	close(hold)
	for _, c := range []*client{c1, c2} {
		if d := c.Until(payload.ReplyStr); text(t, d) != "hi" || d.Frame.Seq != 3 {
			t.Errorf("got %+v", d.Frame)
		}
		c.Until(payload.TurnFinishedAction)
	}
	if got := said(store); got != `0 "hello"|1 "hi"|1 "hi"` {
		t.Errorf("stored %s", got)
	}
}

// The other clients of a session receive a user's messages.
func TestOthersHear(t *testing.T) { bubble(t, testOthersHear) }

func testOthersHear(t *testing.T) {
	rt := start(t, session.RuntimeConfig{Agent: echo(nil), Store: agenttest.NewStore()})
	one, c1, _ := open(t, rt, "S")
	c1.Until(payload.ReplyStr)
	_, c2, _ := open(t, rt, "S")
	for range 2 {
		send(t, one, "m1", "hi")
		c1.Until(payload.TurnFinishedAction)
		synctest.Wait()
	}
	d := c2.Next()
	if d.Audience != session.Streaming || d.Frame.Action != payload.UserMessage || text(t, d) != "hi" || d.Frame.Seq != 2 || d.Frame.ID != "m1" || d.Frame.History {
		t.Errorf("got %+v", d)
	}
	for _, c := range []*client{c1, c2} {
		for len(c.Heard) > 0 {
			if d := c.Next(); d.Frame.Action == payload.UserMessage {
				t.Errorf("again: %+v", d)
			}
		}
	}
}
