package session_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/session"
	"docent/internal/fault"
	"docent/payload"
)

// A body cannot take events after its turn.
func TestManageTransitionAfterTheTurn(t *testing.T) { bubble(t, testManageTransitionAfterTheTurn) }

func testManageTransitionAfterTheTurn(t *testing.T) {
	var kept *agent.Session
	gate := make(chan struct{})
	store := agenttest.NewStore()
	sub, c, _ := open(t, start(t, session.RuntimeConfig{Store: store, Agent: echo(func(_ context.Context, s *agent.Session) error {
		if s.Message() == "one" {
			kept = s
			return nil
		}
		<-gate
		return nil
	})}), "S")
	for _, said := range []string{"one", "two", "three"} {
		send(t, sub, "", said)
		synctest.Wait()
	}
	if moved, err := kept.ManageTransition(t.Context()); moved || fault.KindOf(err) != fault.Internal || err == nil {
		t.Errorf("moved %t: %v", moved, err)
	}
	close(gate)
	synctest.Wait()
	if got := strings.Join(ends(c), ","); got != `1 "done"},2 "done"},3 "done"}` {
		t.Errorf("ends %s", got)
	}
	if left := store.Pending("S"); len(left) != 0 {
		t.Errorf("left %+v", left)
	}
}

// A step that a body requests after the turn does not keep the session in memory.
//
// BAF W4
func TestCallManageTransitionAfterTheTurn(t *testing.T) {
	bubble(t, testCallManageTransitionAfterTheTurn)
}

func testCallManageTransitionAfterTheTurn(t *testing.T) {
	rt := start(t, session.RuntimeConfig{Store: agenttest.NewStore(), Agent: echo(func(_ context.Context, s *agent.Session) error {
		time.AfterFunc(time.Minute, s.CallManageTransition)
		return nil
	})})
	sub, _, _ := open(t, rt, "S")
	send(t, sub, "", "x")
	<-time.After(2 * time.Minute)
	sub.Close()
	synctest.Wait()
	if n := rt.Sessions(); n != 0 {
		t.Errorf("%d sessions in memory", n)
	}
}

// A message without a decision in time is answered once, to all clients. The next message has its
// own time.
//
// BAF W13, W14
func TestDecisionsThatTakeTooLong(t *testing.T) {
	hangs := func(ctx context.Context, _ *agent.Session) (bool, error) {
		<-ctx.Done()
		return false, ctx.Err()
	}
	for name, build := range map[string]func(*agent.Agent, *agent.State){
		"condition": func(_ *agent.Agent, one *agent.State) { one.OnMessage().When(hangs).GoTo(one) },
		"classifier": func(a *agent.Agent, one *agent.State) {
			a.ClassifyWith(hanging{})
			one.OnIntent(a.Intent("hello", "hello")).GoTo(one)
		},
		"processor": func(a *agent.Agent, one *agent.State) {
			a.ProcessUser(func(ctx context.Context, _ *agent.Session, text string) (string, error) {
				<-ctx.Done()
				return text, ctx.Err()
			})
			one.OnMessage().GoTo(one)
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				a := agent.New("slow")
				one := a.State("one", agent.Initial)
				build(a, one)
				store := agenttest.NewStore()
				sub, c, _ := open(t, start(t, session.RuntimeConfig{Agent: a, Store: store, TurnTimeout: time.Minute}), "S")
				synctest.Wait() // for the greeting
				send(t, sub, "a", "hello")
				send(t, sub, "b", "again")
				<-time.After(150 * time.Second)
				var plain, coded int
				var over []string
				for len(c.Heard) > 0 {
					switch d := <-c.Heard; {
					case d.Frame.Action == payload.ReplyStr && d.Audience == session.Plain:
						plain++
					case d.Frame.Action == payload.ErrorAction && d.Audience == session.Streaming:
						coded++
					case d.Frame.Action == payload.TurnFinishedAction:
						over = append(over, fmt.Sprint(*d.Frame.Turn, string(d.Frame.Message)))
					}
				}
				if plain != 2 || coded != 2 || strings.Join(over, " ") != `1{"outcome":"failed"} 2{"outcome":"failed"}` {
					t.Errorf("%d and %d are told, ends %s", plain, coded, over)
				}
				if left := store.Pending("S"); len(left) != 0 {
					t.Errorf("left %+v", left)
				}
			})
		})
	}
}

// Conditions and processors cannot move or reset a session, because that could form an endless
// loop.
func TestOnlyBodiesMove(t *testing.T) { bubble(t, testOnlyBodiesMove) }

func testOnlyBodiesMove(t *testing.T) {
	var one *agent.State
	tried := map[string]int{}
	try := func(ctx context.Context, s *agent.Session, what string) {
		if from, _ := agent.SessionFrom(ctx); from != s {
			t.Errorf("%s: the context carries another session", what)
		}
		_, managed := s.ManageTransition(ctx)
		for _, err := range []error{s.Move(ctx, one), managed, s.Reset(ctx)} {
			if err == nil || fault.KindOf(err) != fault.Internal || !strings.Contains(err.Error(), what+" cannot ") {
				t.Errorf("%s: %v", what, err)
			}
		}
		tried[what]++
	}
	a := agent.New("restless")
	a.ProcessUser(func(ctx context.Context, s *agent.Session, text string) (string, error) {
		try(ctx, s, "a processor of messages")
		return text, nil
	})
	a.ProcessAgent(func(ctx context.Context, s *agent.Session, text string) (string, error) {
		try(ctx, s, "a processor of replies")
		return text + "!", s.Reply(ctx, "as it is")
	})
	one = a.State("one", agent.Initial)
	one.Body(say)
	one.OnMessage().When(func(ctx context.Context, s *agent.Session) (bool, error) {
		try(ctx, s, "a condition")
		return true, nil
	}).GoTo(one)
	store := agenttest.NewStore()
	sub, _, _ := open(t, start(t, session.RuntimeConfig{Agent: a, Store: store}), "S")
	synctest.Wait() // for the greeting
	send(t, sub, "", "x")
	synctest.Wait()
	if tried["a condition"] != 1 || tried["a processor of messages"] != 1 || tried["a processor of replies"] == 0 {
		t.Errorf("tried %v", tried)
	}
	if got := said(store); !strings.Contains(got, `1 "as it is"`) {
		t.Errorf("stored %s", got)
	}
}

// Clients cannot set the runtime's own variables. They could lock the session in a global state, or
// show it another session.
func TestVariablesOfTheRuntime(t *testing.T) { bubble(t, testVariablesOfTheRuntime) }

func testVariablesOfTheRuntime(t *testing.T) {
	store := agenttest.NewStore()
	sub, _, _ := open(t, start(t, session.RuntimeConfig{Agent: echo(nil), Store: store}), "S")
	for _, key := range []string{"prev_state", "peer_session_0123", "reasoning_scratchpad", "reasoning_without_tools", "model_context_a", "session_document_0"} {
		err := sub.SetVariables(t.Context(), map[string]json.RawMessage{"x": json.RawMessage("1"), key: json.RawMessage("1")})
		if fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.Message(err), key) {
			t.Errorf("%s: %v", key, err)
		}
	}
	values := map[string]json.RawMessage{"timezone": quoted("UTC"), "user_language": quoted("de")}
	if err := sub.SetVariables(t.Context(), values); err != nil {
		t.Error(err)
	}
	synctest.Wait()
	if record, _, _ := store.Stored("S"); len(record.Variables) != 2 {
		t.Errorf("stored %v", record.Variables)
	}
}

// A body that ignores the end of its context delays a reset, but it does not block clients forever.
//
// BAF W13, W19
func TestSendBehindADeafBody(t *testing.T) { bubble(t, testSendBehindADeafBody) }

func testSendBehindADeafBody(t *testing.T) {
	hold := make(chan struct{})
	sub, _, _ := open(t, start(t, session.RuntimeConfig{Store: agenttest.NewStore(), Agent: echo(func(context.Context, *agent.Session) error {
		<-hold // ignores its context
		return nil
	})}), "S")
	synctest.Wait() // for the greeting
	send(t, sub, "", "x")
	synctest.Wait()
	if err := sub.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	for what, call := range map[string]func() error{
		"send": func() error { return sub.Send(t.Context(), session.Message{Content: quoted("y"), Human: true}) },
		"wait": func() error {
			return sub.Send(t.Context(), session.Message{Content: quoted("y"), Human: true, Wait: true})
		},
		"set": func() error {
			return sub.SetVariables(t.Context(), map[string]json.RawMessage{"x": json.RawMessage("1")})
		},
		"reset": func() error { return sub.Reset(t.Context()) },
	} {
		began := time.Now()
		if err := call(); fault.KindOf(err) != fault.Busy || time.Since(began) != session.MaxIntakeWait {
			t.Errorf("%s: %v after %v", what, err, time.Since(began))
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := sub.Reset(ctx); fault.KindOf(err) == fault.Busy || err == nil {
		t.Errorf("with less patience: %v", err)
	}
	close(hold)
	synctest.Wait()
	send(t, sub, "", "y")
}
