package agent

import "slices"

// MaxAgentDepth limits how deep agents may hand over to, or consult, other agents.
const MaxAgentDepth = 5

// HandOver makes the state hand the session over to another agent. After the body of the state, the session enters the
// initial state of the other agent. From a state of the other agent without transitions, the session comes back by the
// transitions of this state. Both agents use the variables of the session, so a variable is the result.
//
// The session names states of the other agent after both, such as pay/card. The other agent keeps its own fallbacks, intents,
// and context for models. Processors, guards, and global states of this agent apply too, before those of the other one. The
// same agent may be used by several states, but not, even indirectly, by itself.
func (s *State) HandOver(to *Agent) { s.to, s.handsOver = to, true }

// parts are the parts of agents that apply in a state.
type parts struct {
	heard, said             []Processor
	guardsUser, guardsAgent []Guard
	context                 string
}

// part returns the parts that apply in the current state.
func (t *Turn) part() *parts {
	t.mu.Lock()
	defer t.mu.Unlock()
	return &t.at.parts
}

// expand returns copies of the states, with the states of the agents that they hand over to. above are the agents that lead to
// this one, whose states have names with a prefix.
func (a *Agent) expand(prefix string, above []*Agent) ([]*State, error) {
	if err := a.check(); err != nil {
		return nil, err
	}
	line := slices.Concat(above, []*Agent{a})
	own := make([]*State, len(a.states))
	copies := make(map[*State]*State, len(a.states))
	for i, s := range a.states {
		c := *s
		c.name, c.prefix, c.line = prefix+s.name, prefix, line
		own[i], copies[s] = &c, &c
	}
	for i, s := range a.states {
		own[i].transitions = nil
		for _, t := range s.transitions {
			c := *t
			c.source, c.dest = own[i], copies[t.dest]
			own[i].transitions = append(own[i].transitions, &c)
		}
	}
	out := slices.Clone(own)
	for _, s := range own {
		if !s.handsOver {
			continue
		}
		inner, err := s.into(line)
		if err != nil {
			return nil, err
		}
		out = append(out, inner...)
	}
	return out, nil
}

// into expands the agent that a state hands over to, and connects its states.
func (s *State) into(line []*Agent) ([]*State, error) {
	switch {
	case s.to == nil:
		return nil, s.agent.wrong("state %q hands over to a nil agent", s.name)
	case slices.Contains(line, s.to):
		return nil, s.agent.wrong("state %q hands over to agent %q, which leads to this state", s.name, s.to.name)
	case len(line) >= MaxAgentDepth:
		return nil, s.agent.wrong("state %q hands over to agent %q, but at most %d agents may lead to each other",
			s.name, s.to.name, MaxAgentDepth)
	case s.global:
		return nil, s.agent.wrong("the global state %q cannot hand over to another agent", s.name)
	}
	prefix, to := s.name+"/", s.to
	inner, err := to.expand(prefix, line)
	if err != nil {
		return nil, err
	}
	back, ends := s.transitions, 0
	s.transitions, s.to = nil, nil
	returning := globalEnds(to)
	for _, i := range inner {
		if i.prefix != prefix { // of a deeper agent
			continue
		}
		if i.initial {
			s.GoTo(i)
		}
		i.initial = false
		if len(i.transitions) > 0 || i.handsOver || returning[i.name[len(prefix):]] {
			continue
		}
		ends++
		for _, t := range back {
			c := *t
			c.source = i
			i.transitions = append(i.transitions, &c)
		}
	}
	if ends == 0 && len(back) > 0 {
		return nil, s.agent.wrong("agent %q never comes back to state %q: it needs a state without transitions", to.name, s.name)
	}
	return inner, nil
}

// globalEnds returns the names of the last states of global components, which lead back to where the session was.
func globalEnds(a *Agent) map[string]bool {
	ends := map[string]bool{}
	for _, s := range a.states {
		if !s.global {
			continue
		}
		at := s
		for range a.states {
			if len(at.transitions) == 0 {
				ends[at.name] = true
				break
			}
			at = at.transitions[0].dest
		}
	}
	return ends
}

// combine sets the parts that apply in a node.
func (n *node) combine() {
	for _, a := range n.line {
		n.parts.heard = append(n.parts.heard, a.heard...)
		n.parts.said = append(n.parts.said, a.said...)
		n.parts.guardsUser = append(n.parts.guardsUser, a.guardsUser...)
		n.parts.guardsAgent = append(n.parts.guardsAgent, a.guardsAgent...)
	}
	n.parts.context = n.agent.context
}
