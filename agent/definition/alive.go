package definition

import (
	"slices"

	"gopkg.in/yaml.v3"

	"docent/agent"
)

// anyEvent stands for events of all names.
const anyEvent = "*"

// taken are the events that a state's transitions take whatever they hold, by
// name, with the line of the transition.
type taken map[string]int

// by is the line of the transition that takes all events of that name; 0 if
// none does.
func (t taken) by(event string) int {
	if line := t[event]; line > 0 {
		return line
	}
	return t[anyEvent]
}

// alive refuses a transition that no event is left for, and notes what it
// leaves to those behind it.
func (d *draft) alive(s *stateDraft, n *yaml.Node, t *transitionDraft) {
	line := 0
	for i, event := range t.events {
		if line = max(line, s.taken.by(event)); s.taken.by(event) == 0 {
			break
		} else if i == len(t.events)-1 {
			d.wrong(n, "it is never taken: the transition in line %d takes every such event before, so put that one behind it", line)
		}
	}
	if t.part || t.to == nil || t.to.needs { // without a model it is left out with the state
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

// checkGlobals refuses global states that are entered from nowhere. Their
// transitions come behind all others of a state.
func (d *draft) checkGlobals() {
	var leads []string // what belongs to a global state is not left for another
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

// named is the state of that name; nil if there is none.
func (d *draft) named(name string) *stateDraft {
	i := slices.IndexFunc(d.states, func(s *stateDraft) bool { return s.name == name })
	if i < 0 {
		return nil
	}
	return d.states[i]
}
