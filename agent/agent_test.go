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
		`no state is initial`:            func(a *agent.Agent) { a.State("one") },
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
