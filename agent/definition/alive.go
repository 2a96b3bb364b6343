package definition

import (
	"slices"

	"gopkg.in/yaml.v3"

	"docent/agent"
)

// anyEvent matches events of all names.
const anyEvent = "*"

// otherEvent matches events of all names except messages.
const otherEvent = "*other"

// taken are the events that the transitions of a state take regardless of their
// content, by name. The values are the lines of the transitions.
type taken map[string]int

// by returns the line of the transition that takes all events with a name, or
// 0.
func (t taken) by(event string) int {
	if line := t[event]; line > 0 {
		return line
	}
	if line := t[otherEvent]; line > 0 && event != anyEvent && event != agent.EventText && event != agent.EventMessage {
		return line
	}
	return t[anyEvent]
}

// alive reports an error for a transition that can never be taken, because
// earlier transitions take all of its events. It also records the events that
// the transition takes.
func (d *draft) alive(s *stateDraft, n *yaml.Node, t *transitionDraft) {
	line := 0
	for i, event := range t.events {
		if line = max(line, s.taken.by(event)); s.taken.by(event) == 0 {
			break
		} else if i == len(t.events)-1 {
			d.wrong(n, "it is never taken: the transition in line %d takes every such event before, so put that one behind it", line)
		}
	}
	if t.part || t.to == nil || t.to.needs { // without a model, the transition is omitted with the state
		return
	}
	for _, event := range t.events {
		if s.taken == nil {
			s.taken = taken{}
		}
		if s.taken.by(event) == 0 {
			s.taken[event] = n.Line
		}
	}
}

// checkGlobals reports an error for global states that no state can enter. The
// transitions to global states come after all other transitions of a state.
func (d *draft) checkGlobals() {
	var leads []string // states that a global state leads to; they do not count
	for _, s := range d.states {
		for at := s; s.global != "" && at != nil && !slices.Contains(leads, at.name); {
			leads = append(leads, at.name)
			if len(at.to) == 0 {
				break
			}
			at = d.named(at.to[0])
		}
	}
	entered := func(s *stateDraft) bool {
		return s.hears && !slices.Contains(leads, s.name) && s.taken.by(agent.EventText) == 0
	}
	if slices.ContainsFunc(d.states, entered) {
		return
	}
	for _, s := range d.states {
		if s.global != "" {
			d.wrong(s.key, "no state leads to %s: the transition on its intent is added behind all others, and each state takes every message before, so write message: any as {no_intent: true} or with matches", s.name)
		}
	}
}

// named returns the state with a name, or nil.
func (d *draft) named(name string) *stateDraft {
	i := slices.IndexFunc(d.states, func(s *stateDraft) bool { return s.name == name })
	if i < 0 {
		return nil
	}
	return d.states[i]
}
