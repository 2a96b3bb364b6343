package session_test

import (
	"context"
	"testing"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/session"
	"docent/internal/fault"
	"docent/payload"
)

// TestReplace gives new turns to another version of the agent. The running turn ends with the version before, which retires
// then. A session whose state is gone continues in the initial state.
func TestReplace(t *testing.T) { bubble(t, testReplace) }

func testReplace(t *testing.T) {
	version := func(reply, state string, wait <-chan struct{}) *agent.Agent {
		a := agent.New("shop")
		idle, other := a.State("idle", agent.Initial), a.State(state)
		say := func(ctx context.Context, s *agent.Session) error {
			if s.Begins() {
				return nil
			}
			if wait != nil {
				<-wait
			}
			return s.Reply(ctx, reply+" in "+s.CurrentState())
		}
		idle.Body(say)
		other.Body(say)
		idle.OnMessage().GoTo(other)
		other.OnMessage().GoTo(other)
		return a
	}
	gate := make(chan struct{})
	retired := []string{}
	retire := func(name string) func() { return func() { retired = append(retired, name) } }
	store := agenttest.NewStore()
	rt := start(t, session.RuntimeConfig{Agent: version("one", "first", gate), Store: store, Retire: retire("one")})
	sub, c, _ := open(t, rt, "S")
	send(t, sub, "", "a")
	for _, bad := range []*agent.Agent{nil, agent.New("other"), agent.New("shop")} {
		if err := rt.Replace(session.Program{Agent: bad}); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%v", err)
		}
	}
	if err := rt.Replace(session.Program{Agent: version("two", "second", nil), Retire: retire("two")}); err != nil {
		t.Fatal(err)
	}
	if len(retired) > 0 {
		t.Errorf("retired %v during a turn", retired)
	}
	close(gate)
	c.Until(payload.TurnFinishedAction)
	send(t, sub, "", "b")
	c.Until(payload.TurnFinishedAction)
	if err := rt.AwaitIdle(t.Context(), "S"); err != nil {
		t.Fatal(err)
	}
	if got := recorded(store); got != `user "a" "one in first" user "b" "two in second"` {
		t.Errorf("stored %s", got)
	}
	if len(retired) != 1 || retired[0] != "one" {
		t.Errorf("retired %v", retired)
	}
	if err := rt.Replace(session.Program{Agent: version("three", "third", nil)}); err != nil {
		t.Fatal(err)
	}
	if len(retired) != 2 || retired[1] != "two" {
		t.Errorf("retired %v", retired)
	}
}
