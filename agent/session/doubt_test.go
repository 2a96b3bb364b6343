package session_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/session"
	"docent/agent/session/journal"
	"docent/internal/fault"
	"docent/payload"
)

// lossy is a store that returns an error after some commits.
type lossy struct {
	*agenttest.Store
	lose func(journal.TurnRecord) bool
}

func (l *lossy) CommitTurn(ctx context.Context, turn journal.TurnRecord) (journal.Written, error) {
	written, err := l.Store.CommitTurn(ctx, turn)
	if err == nil && l.lose != nil && l.lose(turn) {
		return journal.Written{}, fault.New(fault.Unavailable, "test_sentence", "the answer was lost")
	}
	return written, err
}

// once returns a function that is true only the first time that f is.
func once(f func(journal.TurnRecord) bool) func(journal.TurnRecord) bool {
	done := false
	return func(r journal.TurnRecord) bool {
		if done || !f(r) {
			return false
		}
		done = true
		return true
	}
}

// recorded describes the stored record of a session, with the messages of its steps.
func recorded(store *agenttest.Store) string {
	messages := map[int64]string{}
	record := store.Record("S")
	for _, e := range record {
		if e.Message != nil {
			messages[e.Message.ID] = string(e.Message.Content)
		}
	}
	var out []string
	for _, e := range record {
		switch {
		case e.Message == nil:
			out = append(out, e.Step.Summary+"->"+messages[e.Step.ChatID])
		case e.Message.IsUser:
			out = append(out, "user "+string(e.Message.Content))
		default:
			out = append(out, string(e.Message.Content))
		}
	}
	return strings.Join(out, " ")
}

// If the outcome of a partial write is unknown, the session recognizes the stored part. It includes
// saved messages and steps that were linked later. Each client receives it once.
func TestPartInDoubt(t *testing.T) { bubble(t, testPartInDoubt) }

func testPartInDoubt(t *testing.T) {
	store := &lossy{Store: agenttest.NewStore()}
	store.lose = once(func(r journal.TurnRecord) bool { return r.Turn == 1 && r.Partial })
	rt := start(t, session.RuntimeConfig{Store: store, Agent: echo(func(ctx context.Context, s *agent.Session) error {
		if err := errors.Join(s.ReplyReasoningStep(ctx, step(0, "a")), s.SaveMessage(ctx, payload.TypeStr, true, "aside"), s.Reply(ctx, "one"),
			s.ReplyReasoningStep(ctx, step(1, "b"))); err != nil {
			return err
		}
		if err := s.Flush(ctx); err != nil {
			return err
		}
		return errors.Join(s.LinkPendingReasoningEvents(ctx), s.Reply(ctx, "two"))
	})})
	sub, v1, _ := open(t, rt, "S")
	synctest.Wait() // for the greeting
	_, baf, _ := open(t, rt, "S")
	send(t, sub, "", "x")
	v1.Until(payload.TurnFinishedAction)
	synctest.Wait()
	if got, want := recorded(store.Store), `"hello" user "x" a->"one" user "aside" "one" b->"one" "two" "x"`; got != want {
		t.Errorf("stored %s, want %s", got, want)
	}
	if got, want := heardBy(baf, session.Plain), `a#0/0 "one"#5/0 b#6/0 "two"#7/0 "x"#8/0`; got != want {
		t.Errorf("BAF heard %s, want %s", got, want)
	}
}

// If the outcome of a turn's end is unknown, each client receives the end once.
func TestEndInDoubt(t *testing.T) { bubble(t, testEndInDoubt) }

func testEndInDoubt(t *testing.T) {
	store := &lossy{Store: agenttest.NewStore()}
	store.lose = once(func(r journal.TurnRecord) bool { return r.Turn == 1 })
	rt := start(t, session.RuntimeConfig{Store: store, FlushAfter: -1, Agent: echo(func(ctx context.Context, s *agent.Session) error {
		return errors.Join(s.ReplyReasoningStep(ctx, step(0, "a")), s.SaveMessage(ctx, payload.TypeStr, false, "kept"), s.LinkPendingReasoningEvents(ctx))
	})})
	sub, v1, _ := open(t, rt, "S")
	synctest.Wait() // for the greeting
	_, baf, _ := open(t, rt, "S")
	send(t, sub, "", "x")
	v1.Until(payload.TurnFinishedAction)
	synctest.Wait()
	if got, want := recorded(store.Store), `"hello" user "x" a->"kept" "kept" "x"`; got != want {
		t.Errorf("stored %s, want %s", got, want)
	}
	if got, want := heardBy(baf, session.Plain), `a#0/0 "x"#5/0`; got != want {
		t.Errorf("BAF heard %s, want %s", got, want)
	}
}

// A turn without an event is written once with its moves, even if it says nothing.
func TestTimedMoveInDoubt(t *testing.T) {
	for name, says := range map[string]bool{"says something": true, "says nothing": false} {
		t.Run(name, func(t *testing.T) { bubble(t, func(t *testing.T) { testTimedMoveInDoubt(t, says) }) })
	}
}

func testTimedMoveInDoubt(t *testing.T, says bool) {
	a := agent.New("timed")
	one, two := a.State("one", agent.Initial), a.State("two")
	one.After(time.Minute).GoTo(two)
	two.Body(func(ctx context.Context, s *agent.Session) error {
		if !says {
			return nil
		}
		return s.Reply(ctx, "moved")
	})
	two.OnMessage().GoTo(one)
	store := &lossy{Store: agenttest.NewStore()}
	store.lose = once(func(r journal.TurnRecord) bool { return len(r.Transitions) > 0 })
	_, c, _ := open(t, start(t, session.RuntimeConfig{Agent: a, Store: store, Now: time.Now}), "S")
	<-time.After(2 * time.Minute)
	synctest.Wait()
	if got := fmt.Sprint(len(store.Transitions("S")), len(store.Record("S")), len(c.Heard)); got != map[bool]string{true: "1 1 1", false: "1 0 0"}[says] {
		t.Errorf("transitions, entries, heard: %s", got)
	}
	if record, _, _ := store.Stored("S"); record.State != "two" {
		t.Errorf("state %s", record.State)
	}
}
