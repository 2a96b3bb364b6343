package session_test

import (
	"slices"
	"testing"
	"testing/synctest"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/chat"
	"docent/agent/session"
	"docent/agent/session/journal"
	"docent/internal/fault"
)

// named returns an agent without a behavior of its own.
func named(name string) *agent.Agent {
	a := agent.New(name)
	a.State("idle", agent.Initial).OnEvent("ring-" + name).GoTo(a.State("rung"))
	return a
}

// TestAgents checks which agent a client of several agents gets, and that a session stays with its agent after a
// restart without this agent.
func TestAgents(t *testing.T) { bubble(t, testAgents) }

func testAgents(t *testing.T) {
	store := agenttest.NewStore()
	begin := func(names ...string) *session.Agents {
		var all []*session.Runtime
		for _, name := range names {
			all = append(all, start(t, session.RuntimeConfig{Agent: named(name), Store: store}))
		}
		agents, err := session.NewAgents(all...)
		if err != nil {
			t.Fatal(err)
		}
		return agents
	}
	agents := begin("first", "second")
	if got := agents.Names(); !slices.Equal(got, []string{"first", "second"}) {
		t.Errorf("the agents are %q", got)
	}
	for _, c := range []struct {
		req   session.OpenRequest
		agent string
		kind  fault.Kind
	}{
		{req: session.OpenRequest{ID: "a", Owner: "ada"}, agent: "first"},
		{req: session.OpenRequest{ID: "b", Owner: "ada", Agent: "second"}, agent: "second"},
		{req: session.OpenRequest{ID: "b", Owner: "ada"}, agent: "second"},                       // the stored session decides
		{req: session.OpenRequest{ID: "b", Owner: "eve"}, kind: fault.Forbidden},                 // its owner, too
		{req: session.OpenRequest{ID: "b", Owner: "ada", Agent: "second"}, agent: "second"},      //
		{req: session.OpenRequest{ID: "b", Owner: "eve", Agent: "first"}, agent: "first"},        // an id belongs to one agent
		{req: session.OpenRequest{ID: "c", Owner: "ada", Agent: "third"}, kind: fault.NotFound},  //
		{req: session.OpenRequest{ID: "c", Owner: "ada", Agent: "a\nb"}, kind: fault.Invalid},    //
		{req: session.OpenRequest{ID: "stored", Owner: "ada", Agent: "second"}, agent: "second"}, //
	} {
		listener := newEverything(t)
		s, err := agents.Open(t.Context(), c.req, listener)
		if got := fault.KindOf(err); c.kind != "" && got != c.kind {
			t.Errorf("%+v: %v", c.req, err)
		}
		if err != nil {
			continue
		}
		if got := (<-listener.Openings).Agent; got != c.agent {
			t.Errorf("%+v: the agent is %q, not %q", c.req, got, c.agent)
		}
		defer s.Close()
	}
	if agents.Takes("first", "ring-second") || !agents.Takes("", "ring-second") {
		t.Error("events reach agents that do not take them, or no agent")
	}
	if n, err := agents.DispatchAll(t.Context(), "", chat.Event{Name: "ring-second"}, func(string) bool { return true }); n != 2 || err != nil {
		t.Errorf("%d sessions of the second agent got the event: %v", n, err)
	}
	if err := agents.DispatchOnce(t.Context(), journal.SessionKey{Agent: "third", ID: "b"}, "", chat.Event{Name: "x"}); fault.KindOf(err) != fault.NotFound {
		t.Errorf("an event for an agent that is not here: %v", err)
	}
	if err := agents.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	alone := begin("first")
	_, err := alone.Open(t.Context(), session.OpenRequest{ID: "stored", Owner: "ada", Agent: "second"}, newEverything(t))
	if fault.TextOf(err).ID != "agent_not_served" {
		t.Errorf("a session whose agent is gone: %v", err)
	}
}

// TestAgentsOfOneID: if sessions of several agents have one id, a client without an agent gets the own one, and of
// several own ones the one used last, in memory or not.
func TestAgentsOfOneID(t *testing.T) { bubble(t, testAgentsOfOneID) }

func testAgentsOfOneID(t *testing.T) {
	store := agenttest.NewStore()
	var all []*session.Runtime
	for _, name := range []string{"first", "second", "third"} {
		all = append(all, start(t, session.RuntimeConfig{Agent: named(name), Store: store, Now: realTime}))
	}
	agents, err := session.NewAgents(all...)
	if err != nil {
		t.Fatal(err)
	}
	open := func(owner, agent string) (string, func()) {
		t.Helper()
		listener := newEverything(t)
		s, err := agents.Open(t.Context(), session.OpenRequest{ID: "x", Owner: owner, Agent: agent}, listener)
		if err != nil {
			return string(fault.KindOf(err)), func() {}
		}
		return (<-listener.Openings).Agent, s.Close
	}
	for _, c := range [][2]string{{"ada", "first"}, {"eve", "second"}, {"eve", "third"}} {
		_, leave := open(c[0], c[1])
		if c[0] == "ada" { // hers stays in memory
			defer leave()
			continue
		}
		leave()
		synctest.Wait()
	}
	for owner, want := range map[string]string{"ada": "first", "eve": "third", "bob": string(fault.Forbidden)} {
		got, leave := open(owner, "")
		if leave(); got != want {
			t.Errorf("%s gets %s, not %s", owner, got, want)
		}
	}
}

// TestAgentsOfOneName refuses two agents with the same name.
func TestAgentsOfOneName(t *testing.T) { bubble(t, testAgentsOfOneName) }

func testAgentsOfOneName(t *testing.T) {
	a := start(t, session.RuntimeConfig{Agent: named("shop"), Store: agenttest.NewStore()})
	b := start(t, session.RuntimeConfig{Agent: named("shop"), Store: agenttest.NewStore()})
	if _, err := session.NewAgents(a, b); fault.TextOf(err).ID != "agents_same_name" {
		t.Errorf("two agents with one name: %v", err)
	}
}
