package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/intent"
	"docent/agent/session"
	"docent/internal/fault"
	"docent/payload"
)

// A stopped turn keeps its replies, or a note without any. A stopped waiting turn does not run. The
// session continues.
func TestStop(t *testing.T) { bubble(t, testStop) }

func testStop(t *testing.T) {
	store := agenttest.NewStore()
	var causes []error
	rt := start(t, session.RuntimeConfig{Store: store, Agent: echo(func(ctx context.Context, s *agent.Session) error {
		switch s.Message() {
		case "silent":
		case "talking":
			if err := s.Reply(ctx, "so far"); err != nil {
				return err
			}
		default:
			return nil
		}
		<-ctx.Done()
		causes = append(causes, context.Cause(ctx))
		return ctx.Err()
	})})
	sub, c, _ := open(t, rt, "S")
	synctest.Wait() // for the greeting
	for i, said := range []string{"silent", "talking", "waits", "after"} {
		send(t, sub, fmt.Sprint("m", i), said)
	}
	synctest.Wait()
	for _, turn := range []int64{3, 1} { // a waiting one and a running one
		if err := sub.Stop(t.Context(), turn); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
	}
	if err := sub.Stop(t.Context(), 0); err != nil { // the running one, which is the second
		t.Fatal(err)
	}
	synctest.Wait()
	for _, turn := range []int64{0, 2, 99} { // nothing to stop
		if err := sub.Stop(t.Context(), turn); err != nil {
			t.Fatal(err)
		}
	}
	synctest.Wait()
	if got, want := strings.Join(ends(c), ","), `1 "stopped"},3 "stopped"},2 "stopped"},4 "done"}`; got != want {
		t.Errorf("ends %s, want %s", got, want)
	}
	if len(causes) != 2 || !errors.Is(causes[0], agent.ErrStopped) || !errors.Is(causes[1], agent.ErrStopped) {
		t.Errorf("causes %v", causes)
	}
	want := `0 "hello"|1 "silent"|2 "talking"|3 "waits"|4 "after"|1 "Stopped."|3 "Stopped."|2 "so far"|4 "after"`
	if got := said(store); got != want {
		t.Errorf("stored %s, want %s", got, want)
	}
	if left := store.Pending("S"); len(left) != 0 {
		t.Errorf("left %+v", left)
	}
	send(t, sub, "m0", "silent") // the turn is done, so it does not run again
	synctest.Wait()
	if got := strings.Join(ends(c), ","); got != `1 "done"}` {
		t.Errorf("again: %s", got)
	}
}

// A turn can be stopped while the classifier works on its message.
func TestStopWhileClassifying(t *testing.T) { bubble(t, testStopWhileClassifying) }

func testStopWhileClassifying(t *testing.T) {
	a := agent.New("slow")
	a.ClassifyWith(hanging{})
	one := a.State("one", agent.Initial)
	one.OnIntent(a.Intent("hello", "hello")).GoTo(one)
	one.Fallback(say)
	sub, c, _ := open(t, start(t, session.RuntimeConfig{Agent: a, Store: agenttest.NewStore()}), "S")
	synctest.Wait() // for the greeting
	send(t, sub, "", "hang")
	synctest.Wait()
	if err := sub.Stop(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	if got := strings.Join(ends(c), ","); got != `1 "stopped"}` {
		t.Errorf("ends %s", got)
	}
}

// hanging is a classifier that waits for the end of its context.
type hanging struct{ wordClassifier }

func (hanging) Classify(ctx context.Context, req intent.Request) (agent.Prediction, error) {
	<-ctx.Done()
	return agent.Prediction{}, ctx.Err()
}

// A body can reset the session. After it returns, the session is empty, keeps its names, and greets
// again. All other changes of the turn are discarded.
//
// BAF W19
func TestResetInBody(t *testing.T) { bubble(t, testResetInBody) }

func testResetInBody(t *testing.T) {
	store := agenttest.NewStore()
	rt := start(t, session.RuntimeConfig{Store: store, Agent: echo(func(ctx context.Context, s *agent.Session) error {
		if s.Message() != "start over" {
			return nil
		}
		return errors.Join(s.Set("v", 1), s.Reply(ctx, "gone"), s.Flush(ctx), s.Reset(ctx))
	})})
	c := newClient(t)
	sub, err := rt.Open(t.Context(), session.OpenRequest{ID: "S", Username: "ada", Name: "mine"}, c)
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	send(t, sub, "a", "one")
	send(t, sub, "b", "start over")
	synctest.Wait()
	if got := said(store); got != `0 "hello"` {
		t.Errorf("stored %s", got)
	}
	if got := strings.Join(ends(c), ","); got != `1 "done"},2 "done"}` {
		t.Errorf("ends %s", got)
	}
	// Variables that are set afterwards belong to the empty session.
	if err := sub.SetVariables(t.Context(), map[string]json.RawMessage{"w": json.RawMessage("2")}); err != nil {
		t.Fatal(err)
	}
	send(t, sub, "a", "again")
	synctest.Wait()
	record, _, _ := store.Stored("S")
	if record.Username != "ada" || record.Name != "mine" || string(record.Variables["w"]) != "2" || record.Variables["v"] != nil || record.State != "answer" {
		t.Errorf("stored %+v", record)
	}
}

// A client's reset does not wait for the running body.
//
// BAF W19
func TestResetDoesNotWait(t *testing.T) { bubble(t, testResetDoesNotWait) }

func testResetDoesNotWait(t *testing.T) {
	hold := make(chan struct{})
	rt := start(t, session.RuntimeConfig{Store: agenttest.NewStore(), Agent: echo(func(context.Context, *agent.Session) error {
		<-hold // ignores its context
		return nil
	})})
	sub, c, _ := open(t, rt, "S")
	synctest.Wait() // for the greeting
	send(t, sub, "", "x")
	synctest.Wait()
	if err := sub.Reset(t.Context()); err != nil { // returns at once
		t.Fatal(err)
	}
	for len(c.Heard) > 0 {
		<-c.Heard
	}
	close(hold)
	if d := c.Until(payload.ReplyStr); text(t, d) != "hello" {
		t.Errorf("got %s", d.Frame.Message)
	}
}

// A body can move the session and take events from the queue.
func TestMoveAndManageTransition(t *testing.T) { bubble(t, testMoveAndManageTransition) }

func testMoveAndManageTransition(t *testing.T) {
	a := agent.New("hands on")
	one, ask, end := a.State("one", agent.Initial), a.State("ask"), a.State("end")
	hold := make(chan struct{})
	var moved []bool
	one.OnMessage().GoTo(ask)
	one.OnEvent("never").GoTo(end)
	ask.Body(func(ctx context.Context, s *agent.Session) error {
		if s.Message() == "jump" {
			return s.Move(ctx, end)
		}
		if s.Message() != "wait" {
			return say(ctx, s)
		}
		<-hold
		for range 3 { // two wait
			ok, err := s.ManageTransition(ctx)
			moved = append(moved, ok)
			if err != nil {
				return err
			}
		}
		return s.Reply(ctx, "then "+s.Message())
	})
	ask.OnMessage().GoTo(ask)
	end.Body(say)
	end.OnEvent("back").GoTo(one)
	store := agenttest.NewStore()
	sub, c, _ := open(t, start(t, session.RuntimeConfig{Agent: a, Store: store}), "S")
	synctest.Wait() // for the greeting
	for _, said := range []string{"wait", "first", "second"} {
		send(t, sub, "", said)
	}
	synctest.Wait()
	close(hold)
	synctest.Wait()
	if fmt.Sprint(moved) != "[true true false]" {
		t.Errorf("moved %v", moved)
	}
	want := `1 "wait"|2 "first"|3 "second"|1 "ask receive_message_text first"|1 "ask receive_message_text second"|1 "then second"`
	if got := said(store); got != want {
		t.Errorf("stored %s", got)
	}
	if got := strings.Join(ends(c), ","); got != `1 "done"},2 "done"},3 "done"}` {
		t.Errorf("ends %s", got)
	}
	if n := store.Calls(agenttest.Commit); n != 2 { // the greeting, and all three together
		t.Errorf("%d commits", n)
	}
	send(t, sub, "", "jump")
	synctest.Wait()
	if record, _, _ := store.Stored("S"); record.State != "end" {
		t.Errorf("in %s", record.State)
	}
	if left := store.Pending("S"); len(left) != 0 {
		t.Errorf("left %+v", left)
	}
}

// A body cannot reply after it has returned.
func TestSessionAfterTurn(t *testing.T) { bubble(t, testSessionAfterTurn) }

func testSessionAfterTurn(t *testing.T) {
	var kept *agent.Session
	rt := start(t, session.RuntimeConfig{Store: agenttest.NewStore(), Agent: echo(func(ctx context.Context, s *agent.Session) error {
		if from, ok := agent.SessionFrom(ctx); !ok || from != s {
			t.Error("the context does not carry the session")
		}
		kept = s
		return nil
	})})
	sub, c, _ := open(t, rt, "S")
	synctest.Wait() // for the greeting
	send(t, sub, "", "x")
	c.Until(payload.TurnFinishedAction)
	synctest.Wait()
	for _, err := range []error{
		kept.Reply(t.Context(), "late"), kept.Set("v", 1), kept.Stream(t.Context(), "late"), kept.Reset(t.Context()),
		kept.ReplyReasoningStep(t.Context(), payload.ReasoningStep{}), kept.LinkPendingReasoningEvents(t.Context()), kept.Move(t.Context(), nil),
	} {
		if err == nil || fault.KindOf(err) != fault.Internal || !strings.Contains(err.Error(), "over") {
			t.Errorf("got %v", err)
		}
	}
}
