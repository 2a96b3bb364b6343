package agent

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"docent/agent/intent"
	"docent/internal/fault"
)

// wrong returns an error about the agent.
func (a *Agent) wrong(format string, args ...any) error {
	return fault.New(fault.Invalid, "config_agent", "agent %q: %w", a.name, fmt.Errorf(format, args...))
}

// check validates the agent before it is compiled.
func (a *Agent) check() error {
	if a.name == "" {
		return fault.New(fault.Invalid, "config_agent_name", "an agent must have a name")
	}
	if len(a.context) > MaxModelContext {
		return a.wrong("the context for models has %d bytes; at most %d are allowed", len(a.context), MaxModelContext)
	}
	if err := a.checkWords(); err != nil {
		return err
	}
	if err := a.checkGuards(); err != nil {
		return err
	}
	if strings.ContainsFunc(a.name, unicode.IsControl) {
		return a.wrong("a name cannot have control characters")
	}
	names := map[string]bool{}
	first := ""
	for i, s := range a.states {
		switch {
		case s.name == "":
			return a.wrong("state %d has no name", i+1)
		case names[s.name]:
			return a.wrong("two states are named %q", s.name)
		case s.initial && first != "":
			return a.wrong("states %q and %q are both initial", first, s.name)
		case s.fallback == nil:
			return a.wrong("state %q has a nil fallback", s.name)
		case s.global && s.reachable == nil:
			return a.wrong("the global state %q has no intent", s.name)
		case s.global && !slices.Contains(a.intents, s.reachable):
			return a.wrong("the global state %q is reached by %q, an intent of another agent", s.name, s.reachable.Name)
		}
		names[s.name] = true
		if s.initial {
			first = s.name
		}
		if err := a.checkTransitions(s); err != nil {
			return err
		}
	}
	if first == "" {
		return a.wrong("no state is initial")
	}
	return a.checkAutos(a.states)
}

// checkWords validates intents, entities, and processors.
func (a *Agent) checkWords() error {
	if err := intent.Validate(a.intents...); err != nil {
		return a.wrong("%w", err)
	}
	names := map[string]bool{}
	for i, e := range a.entities {
		switch {
		case e == nil:
			return a.wrong("entity %d is nil", i+1)
		case names[e.Name]:
			return a.wrong("two entities are named %q", e.Name)
		}
		if err := e.Validate(); err != nil {
			return a.wrong("%w", err)
		}
		names[e.Name] = true
	}
	for _, p := range slices.Concat(a.heard, a.said) {
		if p == nil {
			return a.wrong("a processor is nil")
		}
	}
	return nil
}

func (a *Agent) checkTransitions(s *State) error {
	for j, t := range s.transitions {
		switch {
		case t.dest == nil:
			return a.wrong("transition %d of state %q leads nowhere: call GoTo", j+1, s.name)
		case t.dest.agent != a:
			return a.wrong("transition %d of state %q leads to %q, a state of another agent", j+1, s.name, t.dest.name)
		case t.auto && len(s.transitions) > 1:
			return a.wrong("state %q goes to %q at once, so it cannot have other transitions", s.name, t.dest.name)
		case t.intents && t.intent == nil:
			return a.wrong("transition %d of state %q has a nil intent", j+1, s.name)
		case t.intents && !slices.Contains(a.intents, t.intent):
			return a.wrong("transition %d of state %q is on %q, an intent of another agent", j+1, s.name, t.intent.Name)
		case t.clock != nil && !t.clock.valid():
			return a.wrong("transition %d of state %q is at no time of day: %s", j+1, s.name, t.clock)
		case t.timed && t.clock == nil && t.after <= 0:
			return a.wrong("transition %d of state %q waits %s: After needs a positive time", j+1, s.name, t.after)
		case slices.Contains(t.names, ""):
			return a.wrong("transition %d of state %q is on an event without a name", j+1, s.name)
		}
		for _, c := range t.conditions {
			if c.holds == nil {
				return a.wrong("transition %d of state %q has a nil condition", j+1, s.name)
			}
			if c.broken != nil {
				return a.wrong("transition %d of state %q: condition %s: %w", j+1, s.name, c.text, c.broken)
			}
		}
	}
	return nil
}

// Warning is a part of an agent that is valid, but probably a mistake.
type Warning struct {
	// State is the name of the state.
	State string
	// Transition is the index of the transition in the order in which they were added.
	Transition int
	// Text describes the mistake and the remedy.
	Text string
}

// Warnings returns the probable mistakes. The runtime logs them when the agent starts.
func (a *Agent) Warnings() []Warning {
	globals := slices.ContainsFunc(a.states, func(s *State) bool { return s.global })
	var out []Warning
	for _, s := range a.states {
		i := slices.IndexFunc(s.transitions, func(t *Transition) bool { return t.takes == takesAny && len(t.conditions) == 0 })
		if i < 0 || !globals && !s.answers {
			continue
		}
		never := "so its fallback never runs"
		if globals {
			never = "so no message leads from it to a global state, and its fallback never runs"
		}
		out = append(out, Warning{s.name, i, fmt.Sprintf(
			"the transition of state %q on any event takes messages too, %s: use OnOtherEvent, in YAML {event: other}, to leave messages out", s.name, never)})
	}
	return out
}

// checkAutos refuses states with an endless loop of automatic transitions.
func (a *Agent) checkAutos(states []*State) error {
	for _, s := range states {
		at := s
		for range len(states) {
			if at.to != nil || len(at.transitions) != 1 || !at.transitions[0].auto {
				break
			}
			if at = at.transitions[0].dest; at == s {
				return a.wrong("state %q leads to itself at once: its transitions go round in a circle", s.name)
			}
		}
	}
	return nil
}
