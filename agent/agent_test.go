package agent_test

import (
	"context"
	"strings"
	"testing"

	"docent/agent"
	"docent/internal/fault"
	"docent/rag"
)

// nothing is a body that does nothing.
func nothing(context.Context, *agent.Session) error { return nil }

// TestWarnings finds transitions that take more than their author means.
func TestWarnings(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		build func(a *agent.Agent, s *agent.State)
		want  string
	}{
		"a catch-all alone": {func(_ *agent.Agent, s *agent.State) { s.OnEvent().GoTo(s) }, ""},
		"before a fallback": {func(_ *agent.Agent, s *agent.State) { s.OnEvent().GoTo(s); s.Fallback(nothing) }, "so its fallback never runs"},
		"with a condition": {func(_ *agent.Agent, s *agent.State) {
			s.OnEvent().WhenVariable("x", agent.Equal, 1).GoTo(s)
			s.Fallback(nothing)
		}, ""},
		"events that are no texts": {func(_ *agent.Agent, s *agent.State) { s.OnOtherEvent().GoTo(s); s.Fallback(nothing) }, ""},
		"before a global state": {func(a *agent.Agent, s *agent.State) {
			s.OnText().GoTo(s)
			s.OnEvent().GoTo(s)
			a.State("help").Global(a.Intent("help", "help"))
		}, "no message leads from it to a global state"},
	} {
		a := agent.New("test")
		c.build(a, a.State("idle", agent.Initial))
		got := a.Warnings()
		if c.want == "" && len(got) == 0 {
			continue
		}
		if len(got) != 1 || c.want == "" || !strings.Contains(got[0].Text, c.want) || got[0].State != "idle" {
			t.Errorf("%s: %+v, want %q", name, got, c.want)
		}
	}
}

// A whole text of a user can be a question.
func TestMaxTextBytes(t *testing.T) {
	t.Parallel()
	if agent.MaxTextBytes > rag.MaxQuestionBytes {
		t.Errorf("a text may have %d bytes, a question only %d", agent.MaxTextBytes, rag.MaxQuestionBytes)
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	other := agent.New("other").State("elsewhere")
	for want, build := range map[string]func(a *agent.Agent){
		`no state is initial`: func(a *agent.Agent) { a.State("one") },
		`no state takes the event of trigger "morning": add a transition on it`: func(a *agent.Agent) {
			a.State("one", agent.Initial)
			a.Trigger(agent.Trigger{Event: "morning", Clock: agent.Clock{Hour: 9}, For: agent.Everyone})
		},
		`trigger "morning" is for "token:x", it must be for everyone, group:NAME, or user:NAME`: func(a *agent.Agent) {
			a.State("one", agent.Initial).OnEvent().GoTo(a.State("two"))
			a.Trigger(agent.Trigger{Event: "morning", Clock: agent.Clock{Hour: 9}, For: "token:x"})
		},
		`trigger "morning" is at no time of day: 24:00`: func(a *agent.Agent) {
			a.State("one", agent.Initial).OnEvent().GoTo(a.State("two"))
			a.Trigger(agent.Trigger{Event: "morning", Clock: agent.Clock{Hour: 24}, For: agent.Everyone})
		},
		`two triggers send the event "morning"`: func(a *agent.Agent) {
			a.State("one", agent.Initial).OnEvent().GoTo(a.State("two"))
			for range 2 {
				a.Trigger(agent.Trigger{Event: "morning", Clock: agent.Clock{Hour: 9}, For: agent.Everyone})
			}
		},
		`trigger "receive_message" has the name of an event of users`: func(a *agent.Agent) {
			a.State("one", agent.Initial).OnEvent().GoTo(a.State("two"))
			a.Trigger(agent.Trigger{Event: agent.EventMessage, Clock: agent.Clock{Hour: 9}, For: agent.Everyone})
		},
		`a trigger needs the name of an event with 1 to 100 bytes`: func(a *agent.Agent) {
			a.State("one", agent.Initial).OnEvent().GoTo(a.State("two"))
			a.Trigger(agent.Trigger{Clock: agent.Clock{Hour: 9}, For: agent.Everyone})
		},
		`cannot have control characters`: func(a *agent.Agent) { *a = *agent.New("a\x00b"); a.State("s", agent.Initial) },
		`state 1 has no name`:            func(a *agent.Agent) { a.State("", agent.Initial) },
		`two states are named "one"`:     func(a *agent.Agent) { a.State("one", agent.Initial); a.State("one") },
		`"one" and "two" are both ini`:   func(a *agent.Agent) { a.State("one", agent.Initial); a.State("two", agent.Initial) },
		`transition 2 of state "one" leads nowhere`: func(a *agent.Agent) {
			one := a.State("one", agent.Initial)
			one.OnMessage().GoTo(one)
			one.OnMessage()
		},
		`transition 1 of state "one" leads to "elsewhere", a state of another agent`: func(a *agent.Agent) {
			a.State("one", agent.Initial).OnMessage().GoTo(other)
		},
		`state "three" cannot be reached from "one"`: func(a *agent.Agent) {
			one, two, three := a.State("one", agent.Initial), a.State("two"), a.State("three")
			one.OnMessage().GoTo(two)
			three.OnMessage().GoTo(one)
		},
		`state "one" has a nil fallback`: func(a *agent.Agent) { a.State("one", agent.Initial).Fallback(nil) },
		`state "four" cannot be reached from "one"`: func(a *agent.Agent) {
			a.State("one", agent.Initial)
			a.State("three", agent.ByMove).OnMessage().GoTo(a.State("two"))
			a.State("four")
		},
		``: func(a *agent.Agent) {
			one, two := a.State("one", agent.Initial), a.State("two")
			a.State("three", agent.ByMove).OnMessage().GoTo(a.State("four"))
			one.Body(nothing)
			one.OnMessage().GoTo(two)
			two.OnMessage().GoTo(one)
		},
	} {
		a := agent.New("test")
		build(a)
		err := a.Validate()
		switch {
		case want == "" && err != nil:
			t.Errorf("valid agent: %v", err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want) || fault.KindOf(err) != fault.Invalid):
			t.Errorf("got %v, want …%s…", err, want)
		}
	}
	if err := agent.New("").Validate(); err == nil {
		t.Error("an agent without a name is valid")
	}
}
