package agent

import (
	"slices"

	"docent/agent/intent"
)

// machine is an agent as it runs: the states with all transitions they have,
// those of global states among them. It never changes.
type machine struct {
	agent   *Agent
	nodes   map[string]*node
	initial *node
	// timed tells that some state wants to be looked at although nothing
	// happened.
	timed bool
	// remembers tells that some edge takes no event, so that what runs then may
	// ask for the one that was taken before.
	remembers bool
}

// node is a state of a machine.
type node struct {
	*State
	edges []*Transition
	// intents are those of the edges, which predictions choose from.
	intents []*Intent
	// hears tells that some edge takes events.
	hears bool
	// timed tells that some edge may be taken although nothing happened.
	timed bool
	// classifier tells the intents apart; nil without intents.
	classifier Classifier
	// component tells that the state belongs to a global one.
	component bool
}

// Validate names the first state or transition that is wrong, as
// fault.Invalid. NewRuntime calls it.
func (a *Agent) Validate() error {
	_, err := a.compile()
	return err
}

// compile checks the agent and makes its machine.
func (a *Agent) compile() (*machine, error) {
	if err := a.check(); err != nil {
		return nil, err
	}
	m := &machine{agent: a, nodes: make(map[string]*node, len(a.states))}
	for _, s := range a.states {
		n := &node{State: s, edges: slices.Clone(s.transitions)}
		m.nodes[s.name] = n
		if s.initial {
			m.initial = n
		}
	}
	if err := m.addGlobals(); err != nil {
		return nil, err
	}
	if err := m.reachable(); err != nil {
		return nil, err
	}
	for _, s := range a.states {
		if err := m.finish(m.nodes[s.name]); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// finish derives what a node knows of its edges.
func (m *machine) finish(n *node) error {
	for _, t := range n.edges {
		n.hears = n.hears || t.takes != takesNone
		n.timed = n.timed || t.takes == takesNone && (t.polled || t.timed)
		if t.intent == nil {
			continue
		}
		if slices.Contains(n.intents, t.intent) {
			return m.agent.wrong("state %q has two transitions on intent %q", n.name, t.intent.Name)
		}
		n.intents = append(n.intents, t.intent)
	}
	m.timed = m.timed || n.timed
	m.remembers = m.remembers || slices.ContainsFunc(n.edges, func(t *Transition) bool { return t.takes == takesNone })
	if len(n.intents) == 0 {
		return nil
	}
	n.classifier = n.State.classifier
	if n.classifier == nil {
		n.classifier = m.agent.classifier
	}
	return nil
}

// classifiers gives the states that have intents and no classifier the default
// one, which loads the built-in embedder.
func (m *machine) classifiers() error {
	var byDefault Classifier
	for _, n := range m.nodes {
		if len(n.intents) == 0 || n.classifier != nil {
			continue
		}
		if byDefault == nil {
			var err error
			if byDefault, err = intent.NewExamples(intent.ExamplesConfig{}); err != nil {
				return m.agent.wrong("classifier: %w", err)
			}
		}
		n.classifier = byDefault
	}
	return nil
}

// addGlobals adds the transitions to global states and back.
func (m *machine) addGlobals() error {
	ends := map[*State]*node{} // of each global state, where its component ends
	for _, s := range m.agent.states {
		if !s.global {
			continue
		}
		end, err := m.component(s)
		if err != nil {
			return err
		}
		ends[s] = end
	}
	for _, global := range m.agent.states {
		if !global.global {
			continue
		}
		for _, s := range m.agent.states {
			origin := m.nodes[s.name]
			if origin.component || len(s.transitions) == 0 || s.transitions[0].auto {
				continue
			}
			origin.edges = append(origin.edges, (&Transition{
				source: s, dest: global, takes: takesText, intent: global.reachable, intents: true,
			}).and(condition{text: intentText(global.reachable.Name), holds: isIntent(global.reachable.Name)}))
			end := ends[global]
			end.edges = append(end.edges, (&Transition{source: end.State, dest: s, back: true}).and(compare(previousState, Equal, s.name)))
		}
	}
	return nil
}

// previousState is the session variable that names the state which a global
// state was entered from.
const previousState = "prev_state"

// component marks what belongs to a global state and returns its end.
func (m *machine) component(first *State) (*node, error) {
	met := map[*State]bool{}
	for s := first; ; s = s.transitions[0].dest {
		if met[s] {
			return nil, m.agent.wrong("the first transitions from the global state %q go round in a circle", first.name)
		}
		met[s] = true
		n := m.nodes[s.name]
		n.component = true
		if len(s.transitions) == 0 {
			return n, nil
		}
	}
}

// reachable names a state that no way leads to.
func (m *machine) reachable() error {
	open := []*State{m.initial.State}
	reached := map[*State]bool{open[0]: true}
	for len(open) > 0 {
		n := m.nodes[open[0].name]
		open = open[1:]
		for _, t := range n.edges {
			if !reached[t.dest] {
				reached[t.dest] = true
				open = append(open, t.dest)
			}
		}
	}
	for _, s := range m.agent.states {
		if !reached[s] {
			return m.agent.wrong("state %q cannot be reached from %q", s.name, m.initial.name)
		}
	}
	return nil
}
