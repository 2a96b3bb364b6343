package session_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/session"
)

// TestAt: a session moves each weekday at 9 in its time zone, in memory or not, and after a restart.
func TestAt(t *testing.T) {
	for _, loaded := range []bool{true, false} {
		t.Run(fmt.Sprint("in memory ", loaded), func(t *testing.T) {
			bubble(t, func(t *testing.T) { testAt(t, loaded) })
		})
	}
}

func testAt(t *testing.T, loaded bool) {
	tokyo, err := time.LoadLocation("Asia/Tokyo")
	if err != nil {
		t.Fatal(err)
	}
	build := func() *agent.Agent {
		a := agent.New("reminder")
		idle, remind := a.State("idle", agent.Initial), a.State("remind")
		idle.OnMessage().GoTo(idle)
		idle.At(agent.Clock{Hour: 9, Days: agent.Workdays}).GoTo(remind)
		remind.Body(func(ctx context.Context, s *agent.Session) error { return s.Reply(ctx, s.Now().Format("Mon 15:04")) })
		remind.GoTo(idle)
		return a
	}
	store := agenttest.NewStore()
	rt := start(t, session.RuntimeConfig{Agent: build(), Store: store, Now: realTime, Location: time.UTC})
	if err := rt.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	sub, _, _ := open(t, rt, "S")
	if err := sub.SetVariables(t.Context(), map[string]json.RawMessage{"timezone": json.RawMessage(`"Asia/Tokyo"`)}); err != nil {
		t.Fatal(err)
	}
	if err := rt.AwaitIdle(t.Context(), "S"); err != nil {
		t.Fatal(err)
	}
	if !loaded {
		sub.Close()
	}
	until := func(day, hour int) { // 2000-01-01, the first day of a bubble, is a Saturday
		<-time.After(time.Until(time.Date(2000, 1, day, hour, 30, 0, 0, tokyo)))
		synctest.Wait()
	}
	want := ""
	check := func(when string, more string) {
		t.Helper()
		want += more
		if got := remindedOf(store); got != want {
			t.Errorf("%s: said %q, want %q", when, got, want)
		}
	}
	until(2, 20)
	check("on the weekend", "")
	until(3, 8)
	check("on Monday before 9", "")
	until(3, 9)
	check("on Monday", "Mon 09:00 ")
	until(4, 20)
	check("on Tuesday", "Tue 09:00 ")
	sub.Close()
	stop(t, rt)
	until(5, 20)
	again := start(t, session.RuntimeConfig{Agent: build(), Store: store, Now: realTime, Location: time.UTC})
	if err := again.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-time.After(time.Minute)
	synctest.Wait()
	check("missed on Wednesday", "Wed 20:30 ")
	until(6, 20)
	check("on Thursday", "Thu 09:00 ")
}

// TestClockSet: after the clock was set, a session follows it within a minute, in memory or not.
func TestClockSet(t *testing.T) {
	for _, loaded := range []bool{true, false} {
		t.Run(fmt.Sprint("in memory ", loaded), func(t *testing.T) {
			bubble(t, func(t *testing.T) { testClockSet(t, loaded) })
		})
	}
}

func testClockSet(t *testing.T, loaded bool) {
	var offset atomic.Int64
	now := func() time.Time { return realTime().Add(time.Duration(offset.Load())) }
	a := agent.New("reminder")
	idle, remind := a.State("idle", agent.Initial), a.State("remind")
	idle.OnMessage().GoTo(idle)
	idle.At(agent.Clock{Hour: 9}).GoTo(remind)
	remind.Body(func(ctx context.Context, s *agent.Session) error { return s.Reply(ctx, s.Now().Format("2 15:04")) })
	remind.GoTo(idle)
	store := agenttest.NewStore()
	rt := start(t, session.RuntimeConfig{Agent: a, Store: store, Now: now, Location: time.UTC})
	if err := rt.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	sub, _, _ := open(t, rt, "S")
	if err := rt.AwaitIdle(t.Context(), "S"); err != nil {
		t.Fatal(err)
	}
	if !loaded {
		sub.Close()
	}
	for _, step := range []struct {
		set, wait time.Duration
		want      string
	}{
		{0, 8 * time.Hour, ""}, // 2000-01-01 at 8:00
		{2 * time.Hour, 2 * time.Minute, "1 10:01 "},
		{24 * time.Hour, 2 * time.Minute, "1 10:01 2 10:03 "},
		{-24 * time.Hour, 24 * time.Hour, "1 10:01 2 10:03 "}, // the 2nd comes again
		{0, 24 * time.Hour, "1 10:01 2 10:03 3 09:00 "},
	} {
		offset.Add(int64(step.set))
		<-time.After(step.wait)
		synctest.Wait()
		if got := remindedOf(store); got != step.want {
			t.Errorf("after the clock was set by %s: said %q, want %q", step.set, got, step.want)
		}
	}
}

// remindedOf returns the texts that the agent has said.
func remindedOf(store *agenttest.Store) string {
	_, messages, _ := store.Stored("S")
	out := ""
	for _, m := range messages {
		if text, ok := m.Text(); ok {
			out += text + " "
		}
	}
	return out
}

// TestShortTimers: a session leaves its state although the time comes between the check of the transitions and the end of the
// turn.
func TestShortTimers(t *testing.T) { bubble(t, testShortTimers) }

func testShortTimers(t *testing.T) {
	for step := 50 * time.Microsecond; step < time.Millisecond; step += 50 * time.Microsecond {
		a := agent.New("short")
		idle, wait, done := a.State("idle", agent.Initial), a.State("wait"), a.State("done")
		idle.OnEvent("go").GoTo(wait)
		wait.After(time.Millisecond).GoTo(done)
		done.Body(func(ctx context.Context, s *agent.Session) error { return s.Reply(ctx, "done") })
		var calls atomic.Int64 // each look at the clock takes time
		store := agenttest.NewStore()
		rt := start(t, session.RuntimeConfig{Agent: a, Store: store, Location: time.UTC, Now: func() time.Time {
			return realTime().Add(time.Duration(calls.Add(1)) * step)
		}})
		open(t, rt, "S")
		if err := rt.Dispatch(t.Context(), "S", agent.Event{Name: "go"}); err != nil {
			t.Fatal(err)
		}
		<-time.After(time.Minute)
		synctest.Wait()
		if got := remindedOf(store); got != "done " {
			t.Errorf("with looks that take %s, the agent has said %q", step, got)
		}
		stop(t, rt)
	}
}
