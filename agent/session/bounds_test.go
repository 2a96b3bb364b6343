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
	"docent/agent/session"
	"docent/internal/fault"
)

// large returns an event with some MiB of data.
func large(mebibytes int) agent.Event {
	return agent.Event{Name: "large", Data: json.RawMessage(`"` + strings.Repeat("x", mebibytes<<20) + `"`)}
}

// The content of waiting events is bounded. New events beyond the bound are refused. If too
// many events are held, the oldest is dropped.
func TestQueueBytes(t *testing.T) { bubble(t, testQueueBytes) }

func testQueueBytes(t *testing.T) {
	const step = session.MaxQueueBytes>>20/4 + 1 // three fit
	hold := make(chan struct{})
	a := agent.New("large")
	one := a.State("one", agent.Initial)
	one.Body(func(context.Context, *agent.Session) error { <-hold; return nil })
	one.OnText().GoTo(one)
	store := agenttest.NewStore()
	rt := start(t, session.RuntimeConfig{Agent: a, Store: store})
	open(t, rt, "S")
	synctest.Wait()
	for i := range 4 {
		err := rt.Dispatch(t.Context(), "S", large(step))
		if i < 3 && err != nil || i == 3 && fault.KindOf(err) != fault.Busy {
			t.Errorf("event %d: %v", i+1, err)
		}
	}
	close(hold) // considered events become held
	synctest.Wait()
	if err := rt.Dispatch(t.Context(), "S", large(step)); err != nil {
		t.Error(err)
	}
	synctest.Wait()
	var ids []int64
	for _, e := range store.Pending("S") {
		ids = append(ids, e.ID)
	}
	if fmt.Sprint(ids) != "[2 3 4]" {
		t.Errorf("waiting %v", ids)
	}
}

// The greeting of a session cannot reset it, because the reset would greet again. The body receives
// an error, and the session continues.
func TestResetInGreeting(t *testing.T) { bubble(t, testResetInGreeting) }

func testResetInGreeting(t *testing.T) {
	var refused []fault.Kind
	a := agent.New("again")
	one := a.State("one", agent.Initial)
	one.Body(func(ctx context.Context, s *agent.Session) error {
		if !s.Begins() {
			return s.Reset(ctx)
		}
		refused = append(refused, fault.KindOf(s.Reset(ctx)))
		return errors.Join(s.Set("v", 1), s.Reply(ctx, "hello"))
	})
	one.OnText().GoTo(one)
	store := agenttest.NewStore()
	sub, _, _ := open(t, start(t, session.RuntimeConfig{Agent: a, Store: store}), "S")
	synctest.Wait()
	greeted := func(times int) {
		t.Helper()
		record, _, _ := store.Stored("S")
		if got := said(store); len(refused) != times || refused[times-1] != fault.Internal || got != `0 "hello"` || string(record.Variables["v"]) != "1" {
			t.Errorf("refused %v, stored %s %s", refused, got, record.Variables)
		}
	}
	greeted(1)
	send(t, sub, "a", "hi") // another body can, but the greeting after it cannot
	synctest.Wait()
	greeted(2)
}
