package agent

import (
	"context"

	"docent/internal/fault"
)

// Agent is a conversation written as a state machine. Build it completely,
// then give it to a [Runtime]; it must not change afterwards.
type Agent struct {
	name   string
	states []*State
}

// New returns an agent without states.
func New(name string) *Agent { return &Agent{name: name} }

// Name is the agent's name in the store.
func (a *Agent) Name() string { return a.name }

// Body is what a state does when it is entered. It runs alone in its session;
// ctx ends when the turn takes too long or the session is reset.
type Body func(ctx context.Context, s *Session) error

// StateOption is a property of a state.
type StateOption int

// Initial marks the state in which sessions begin: its body is the greeting.
const Initial StateOption = 1

// State is a state of an agent.
type State struct {
	agent       *Agent
	name        string
	initial     bool
	body        Body
	fallback    Body
	transitions []*Transition
}

// State adds a state to the agent.
func (a *Agent) State(name string, options ...StateOption) *State {
	s := &State{agent: a, name: name, fallback: notUnderstood}
	for _, o := range options {
		s.initial = s.initial || o == Initial
	}
	a.states = append(a.states, s)
	return s
}

// notUnderstood is the fallback of states that set none.
func notUnderstood(ctx context.Context, s *Session) error {
	return s.Reply(ctx, "Sorry, I did not understand that.")
}

// Name is the state's name.
func (s *State) Name() string { return s.name }

// Body sets what the state does when it is entered; default nothing.
func (s *State) Body(body Body) { s.body = body }

// Fallback sets what the state does with a message that none of its
// transitions takes; default is to say so.
func (s *State) Fallback(body Body) { s.fallback = body }

// Transition leads from one state to another. Of those that match an event the
// first one added is taken.
type Transition struct {
	event string
	dest  *State
}

// OnMessage adds a transition that any message of the user takes. Say where it
// leads with GoTo.
func (s *State) OnMessage() *Transition {
	t := &Transition{event: EventMessage}
	s.transitions = append(s.transitions, t)
	return t
}

// GoTo sets where the transition leads; the state itself is allowed.
func (t *Transition) GoTo(dest *State) { t.dest = dest }

// transition returns the one that takes an event; nil if none does.
func (s *State) transition(Event) *Transition {
	for _, t := range s.transitions {
		if t.event == EventMessage { // all events are messages
			return t
		}
	}
	return nil
}

// state returns the state of that name; nil if there is none.
func (a *Agent) state(name string) *State {
	for _, s := range a.states {
		if s.name == name {
			return s
		}
	}
	return nil
}

// initial returns the state in which sessions begin.
func (a *Agent) initial() *State {
	for _, s := range a.states {
		if s.initial {
			return s
		}
	}
	return nil
}

// Validate names the first state or transition that is wrong, as
// fault.Invalid.
func (a *Agent) Validate() error {
	wrong := func(format string, args ...any) error {
		return fault.New(fault.Invalid, "agent %q: "+format, append([]any{a.name}, args...)...)
	}
	if a.name == "" {
		return fault.New(fault.Invalid, "an agent must have a name")
	}
	names := map[string]bool{}
	first := ""
	for i, s := range a.states {
		switch {
		case s.name == "":
			return wrong("state %d has no name", i+1)
		case names[s.name]:
			return wrong("two states are named %q", s.name)
		case s.initial && first != "":
			return wrong("states %q and %q are both initial", first, s.name)
		case s.fallback == nil:
			return wrong("state %q has a nil fallback", s.name)
		}
		names[s.name] = true
		if s.initial {
			first = s.name
		}
		for j, t := range s.transitions {
			if t.dest == nil {
				return wrong("transition %d of state %q leads nowhere: call GoTo", j+1, s.name)
			}
			if t.dest.agent != a {
				return wrong("transition %d of state %q leads to %q, a state of another agent", j+1, s.name, t.dest.name)
			}
		}
	}
	if first == "" {
		return wrong("no state is initial")
	}
	reached := a.reached()
	for _, s := range a.states {
		if !reached[s] {
			return wrong("state %q cannot be reached from %q", s.name, first)
		}
	}
	return nil
}

// reached returns the states that can be reached from the initial one.
func (a *Agent) reached() map[*State]bool {
	open := []*State{a.initial()}
	reached := map[*State]bool{open[0]: true}
	for len(open) > 0 {
		s := open[0]
		open = open[1:]
		for _, t := range s.transitions {
			if !reached[t.dest] {
				reached[t.dest] = true
				open = append(open, t.dest)
			}
		}
	}
	return reached
}
