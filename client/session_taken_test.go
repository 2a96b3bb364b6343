package client_test

import (
	"context"
	"fmt"
	"testing"

	"docent/internal/fault"
	"docent/payload"
)

// taken acknowledges a request that is not stored.
func taken(f payload.Frame) string {
	return fmt.Sprintf(`ack {"id":%q,"duplicate":false} | "id":%q`, f.ID, f.ID)
}

// Refused variables and stops are errors. Requests that came too fast are sent
// again, except a stop of the running turn.
func TestSessionTaken(t *testing.T) {
	t.Parallel()
	_, v, l := begin(t)
	ctx := t.Context()
	calls := make(chan error, 1)
	set := func() { calls <- v.s.SetVariables(ctx, map[string]any{"a": 1}) }
	refuse := func(f payload.Frame, code string) {
		l.say(fmt.Sprintf(`error {"code":%q,"message":"No.","retryable":%t} | "id":%q`, code, code == "busy", f.ID))
	}
	go set()
	refuse(l.read(payload.UserSetVariable), "invalid")
	if err := wait(t, calls); fault.KindOf(err) != fault.Invalid || fault.Message(err) != "No." {
		t.Errorf("variables: %v", err)
	}
	go set()
	refuse(l.read(payload.UserSetVariable), "busy")
	l.say(taken(l.read(payload.UserSetVariable)))
	if err := wait(t, calls); err != nil {
		t.Errorf("variables: %v", err)
	}
	for _, code := range []string{"invalid", "busy"} {
		go func() { calls <- v.s.Stop(ctx, 0) }()
		refuse(l.read(payload.StopAction), code)
		if err := wait(t, calls); fault.KindOf(err) != fault.Kind(code) {
			t.Errorf("stop: %v", err)
		}
	}
	short, cancel := context.WithCancel(ctx)
	go func() { calls <- v.s.Stop(short, 1) }()
	l.read(payload.StopAction)
	cancel()
	if err := wait(t, calls); fault.KindOf(err) != fault.Canceled {
		t.Errorf("stop: %v", err)
	}
}

// After a lost connection, variables and the stop of a numbered turn are sent
// again. A stop of the running turn fails, because another turn may run.
func TestSessionTakenLater(t *testing.T) {
	t.Parallel()
	s, v, l := begin(t)
	ctx := t.Context()
	set, turn, running := make(chan error, 1), make(chan error, 1), make(chan error, 1)
	go func() { set <- v.s.SetVariables(ctx, map[string]any{"a": 1}) }()
	first := l.read(payload.UserSetVariable)
	go func() { turn <- v.s.Stop(ctx, 7) }()
	l.read(payload.StopAction)
	go func() { running <- v.s.Stop(ctx, 0) }()
	l.read(payload.StopAction)
	l.cut()
	if err := wait(t, running); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("stop: %v", err)
	}
	l = s.next(3)
	l.say(welcome(3, 0), `synced {"seq":3,"turns":[]}`)
	again := l.read(payload.UserSetVariable)
	if again.ID != first.ID {
		t.Errorf("sent again with %q instead of %q", again.ID, first.ID)
	}
	stop := l.read(payload.StopAction)
	if string(stop.Message) != `{"turn":7}` {
		t.Errorf("stop %s", stop.Message)
	}
	l.say(taken(again), taken(stop))
	for _, done := range []chan error{set, turn} {
		if err := wait(t, done); err != nil {
			t.Error(err)
		}
	}
}
