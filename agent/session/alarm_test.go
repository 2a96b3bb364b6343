package session_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/session"
	"docent/payload"
)

// realTime returns the time of a bubble.
func realTime() time.Time { return time.Now() }

// pass lets seconds pass in a bubble.
func pass(seconds int) {
	<-time.After(time.Duration(seconds) * time.Second)
	synctest.Wait()
}

// polling returns an agent with a condition that is checked periodically, and a timed transition.
func polling(asked *atomic.Int64) *agent.Agent {
	a := agent.New("polling")
	one, two := a.State("one", agent.Initial), a.State("two")
	one.OnMessage().GoTo(one)
	one.When(func(_ context.Context, s *agent.Session) (bool, error) {
		asked.Add(1)
		return agent.Get(s, "go", false), nil
	}).GoTo(two)
	two.Body(func(ctx context.Context, s *agent.Session) error { return s.Reply(ctx, "there") })
	two.OnMessage().GoTo(one)
	return a
}

// Conditions are checked once per interval, regardless of the number of messages.
//
// BAF W5
func TestOneTimerPerSession(t *testing.T) { bubble(t, testOneTimerPerSession) }

func testOneTimerPerSession(t *testing.T) {
	var asked atomic.Int64
	rt := start(t, session.RuntimeConfig{
		Agent: polling(&asked), Store: agenttest.NewStore(), Now: realTime, ConditionInterval: 200 * time.Millisecond,
	})
	sub, c, _ := open(t, rt, "S")
	perSecond := func() int64 {
		synctest.Wait()
		asked.Store(0)
		pass(1)
		return asked.Load()
	}
	fresh := perSecond()
	for range 75 {
		send(t, sub, "", "x")
		c.Until(payload.TurnFinishedAction)
	}
	if after := perSecond(); fresh < 4 || fresh > 6 || after > 6 {
		t.Errorf("asked %d times a second, then %d", fresh, after)
	}
}

// A timed transition happens in its own turn when its time has come.
func TestAfter(t *testing.T) { bubble(t, testAfter) }

func testAfter(t *testing.T) {
	a := agent.New("bye")
	one, two := a.State("one", agent.Initial), a.State("two")
	one.OnMessage().GoTo(one)
	one.After(time.Minute).GoTo(two)
	two.Body(func(ctx context.Context, s *agent.Session) error { return s.Reply(ctx, "still there?") })
	two.OnMessage().GoTo(one)
	store := agenttest.NewStore()
	sub, c, _ := open(t, start(t, session.RuntimeConfig{Agent: a, Store: store, Now: realTime}), "S")
	pass(50)
	send(t, sub, "", "x") // enters the state again
	c.Until(payload.TurnFinishedAction)
	pass(59)
	c.Quiet()
	pass(1)
	if d := c.Next(); text(t, d) != "still there?" || *d.Frame.Turn != 0 {
		t.Errorf("got %+v", d.Frame)
	}
	if tr := store.Transitions("S"); len(tr) != 2 || tr[1].Condition != "after 1m" || tr[1].Event != "" {
		t.Errorf("moves %+v", tr)
	}
}

// A session that is not in memory wakes when its time has come, even after a restart. Afterwards it
// leaves memory again.
func TestWokenWhileAway(t *testing.T) { bubble(t, testWokenWhileAway) }

func testWokenWhileAway(t *testing.T) {
	build := func() *agent.Agent {
		a := agent.New("bye")
		one, two, three := a.State("one", agent.Initial), a.State("two"), a.State("three")
		one.After(time.Minute).GoTo(two)
		two.Body(say)
		two.After(time.Hour).GoTo(three)
		three.Body(say)
		three.OnMessage().GoTo(one)
		return a
	}
	store := agenttest.NewStore()
	cfg := session.RuntimeConfig{Agent: build(), Store: store, Now: realTime}
	rt := start(t, cfg)
	if err := rt.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		sub, _, _ := open(t, rt, fmt.Sprint("S", i))
		synctest.Wait()
		sub.Close()
		synctest.Wait()
	}
	if n := rt.Sessions(); n != 0 {
		t.Fatalf("%d sessions in memory", n)
	}
	states := func() string {
		var out []string
		for i := range 3 {
			record, messages, _ := store.Stored(fmt.Sprint("S", i))
			out = append(out, fmt.Sprint(record.State, " ", len(messages)))
		}
		return strings.Join(out, "|")
	}
	pass(61)
	if got := states(); got != "two 1|two 1|two 1" || rt.Sessions() != 0 {
		t.Errorf("%s, %d in memory", got, rt.Sessions())
	}
	stop(t, rt)
	cfg.Agent = build()
	rt = start(t, cfg)
	if err := rt.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	opens := store.Calls(agenttest.Open)
	pass(3000)
	if store.Calls(agenttest.Open) != opens {
		t.Error("woken too early")
	}
	pass(700)
	if got := states(); got != "three 2|three 2|three 2" {
		t.Errorf("%s", got)
	}
	pass(10000)
	if n := store.Calls(agenttest.Open) - opens; n != 3 {
		t.Errorf("opened %d times", n)
	}
}

// The conditions of a session that is not in memory are checked at growing intervals. They are
// checked at once when a client opens the session.
func TestBackoffWhileAway(t *testing.T) { bubble(t, testBackoffWhileAway) }

func testBackoffWhileAway(t *testing.T) {
	var asked atomic.Int64
	store := agenttest.NewStore()
	rt := start(t, session.RuntimeConfig{Agent: polling(&asked), Store: store, Now: realTime})
	if err := rt.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	sub, _, _ := open(t, rt, "S")
	synctest.Wait()
	sub.Close()
	asked.Store(0)
	opens := store.Calls(agenttest.Open)
	pass(3600)
	if n := store.Calls(agenttest.Open) - opens; n < 60 || n > 70 {
		t.Errorf("woken %d times in an hour", n)
	}
	sub, c, _ := open(t, rt, "S")
	synctest.Wait()
	asked.Store(0)
	pass(10)
	if n := asked.Load(); n < 9 || n > 11 {
		t.Errorf("asked %d times in 10 s with a client", n)
	}
	if err := sub.SetVariables(t.Context(), map[string]json.RawMessage{"go": json.RawMessage("true")}); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	if d := c.Until(payload.ReplyStr); text(t, d) != "there" {
		t.Errorf("got %s", d.Frame.Message)
	}
}

// Check checks conditions at once. Dispatch without an id reaches all sessions in memory.
func TestCheck(t *testing.T) { bubble(t, testCheck) }

func testCheck(t *testing.T) {
	var ready atomic.Bool
	a := agent.New("check")
	one, two := a.State("one", agent.Initial), a.State("two")
	one.When(func(context.Context, *agent.Session) (bool, error) { return ready.Load(), nil }).GoTo(two)
	two.Body(say)
	two.OnEvent("all").GoTo(two)
	rt := start(t, session.RuntimeConfig{Agent: a, Store: agenttest.NewStore(), ConditionInterval: time.Hour})
	_, c1, _ := open(t, rt, "S1")
	_, c2, _ := open(t, rt, "S2")
	synctest.Wait()
	ready.Store(true)
	for _, id := range []string{"S1", "S2"} {
		if err := rt.Check(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	if err := rt.Dispatch(t.Context(), "", agent.Event{Name: "all"}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []*client{c1, c2} {
		for _, want := range []string{"two  ", "two all "} {
			if d := c.Until(payload.ReplyStr); text(t, d) != want {
				t.Errorf("got %s, want %q", d.Frame.Message, want)
			}
		}
	}
}
