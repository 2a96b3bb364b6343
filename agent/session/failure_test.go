package session_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/session"
	"docent/payload"
)

// A turn ends when its body fails. The apology is its last message, and the next moves are another
// turn.
func TestFailureThenNext(t *testing.T) { bubble(t, testFailureThenNext) }

func testFailureThenNext(t *testing.T) {
	a := agent.New("a")
	idle, boom := a.State("idle", agent.Initial), a.State("boom")
	idle.Body(func(ctx context.Context, s *agent.Session) error { return s.Reply(ctx, "what next?") })
	idle.OnMessage().GoTo(boom)
	boom.Body(func(ctx context.Context, s *agent.Session) error {
		return errors.Join(s.Reply(ctx, "trying"), errors.New("boom"))
	})
	boom.GoTo(idle)
	store := agenttest.NewStore()
	sub, c, _ := open(t, start(t, session.RuntimeConfig{Agent: a, Store: store}), "S")
	send(t, sub, "m", "go")
	synctest.Wait()
	want := `0 "what next?"|1 "go"|1 "trying"|1 "Sorry, `
	got := said(store)
	if !strings.HasPrefix(got, want) || !strings.HasSuffix(got, `|0 "what next?"`) {
		t.Errorf("stored %s", got)
	}
	var heard []payload.Action
	for len(c.Heard) > 0 {
		if d := c.Next(); d.Audience != session.Plain {
			heard = append(heard, d.Frame.Action)
		}
	}
	order := []payload.Action{
		payload.ReplyStr, payload.AckAction, payload.ReplyStr, payload.ErrorAction, payload.TurnFinishedAction, payload.ReplyStr,
	}
	if !slices.Equal(heard, order) {
		t.Errorf("heard %v, want %v", heard, order)
	}
	if record, _, _ := store.Stored("S"); record.State != "idle" {
		t.Errorf("in state %s", record.State)
	}
}

// The runtime also stops an endless loop of states that fail.
func TestFailureCircles(t *testing.T) { bubble(t, testFailureCircles) }

func testFailureCircles(t *testing.T) {
	a := agent.New("a")
	idle, x, y := a.State("idle", agent.Initial), a.State("x"), a.State("y")
	runs := 0
	fails := func(context.Context, *agent.Session) error { runs++; return errors.New("boom") }
	always := func(context.Context, *agent.Session) (bool, error) { return true, nil }
	idle.OnMessage().GoTo(x)
	x.Body(fails)
	y.Body(fails)
	x.When(always).GoTo(y)
	y.When(always).GoTo(x)
	sub, _, _ := open(t, start(t, session.RuntimeConfig{Agent: a, Store: agenttest.NewStore(), ConditionInterval: patience * 100}), "S")
	send(t, sub, "m", "go")
	synctest.Wait()
	if runs != agent.MaxMoves+1 {
		t.Errorf("%d bodies ran", runs)
	}
}

// A turn that is stopped while it streams keeps the streamed text, without its unchecked citations.
func TestStopStreamed(t *testing.T) { bubble(t, testStopStreamed) }

func testStopStreamed(t *testing.T) {
	store := agenttest.NewStore()
	rt := start(t, session.RuntimeConfig{Store: store, Agent: echo(func(ctx context.Context, s *agent.Session) error {
		err := errors.Join(s.Stream(ctx, "It is so [1]."), s.Stream(ctx, " And"))
		<-ctx.Done()
		return err
	})})
	sub, _, _ := open(t, rt, "S")
	send(t, sub, "m", "go")
	synctest.Wait()
	if err := sub.Stop(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	if got := said(store); !strings.HasSuffix(got, `|1 "It is so. And\n\n*Stopped.*"`) {
		t.Errorf("stored %s", got)
	}
}
