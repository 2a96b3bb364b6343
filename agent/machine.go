package agent

import (
	"slices"
	"time"

	"docent/agent/intent"
)

// Machine is an agent as it runs: its states with all their transitions, those
// to and from global states among them. It never changes.
type Machine struct {
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

// Compile checks the agent and returns its machine.
func (a *Agent) Compile() (*Machine, error) {
	m, err := a.compile()
	if err != nil {
		return nil, err
	}
	return m, m.classifiers()
}

// Find returns the name of a stored state, or of the initial one if the agent
// does not have it any more.
func (m *Machine) Find(state string) string { return m.node(state).name }

// node returns the state with a name, or the initial state if no state has it.
func (m *Machine) node(state string) *node {
	if n := m.nodes[state]; n != nil {
		return n
	}
	return m.initial
}

// Moves reports whether a state has transitions.
func (m *Machine) Moves(state string) bool { return len(m.node(state).edges) > 0 }

// Timed reports whether some state may be left although nothing happens.
func (m *Machine) Timed() bool { return m.timed }

// Remembers reports whether the event taken last is needed by later turns.
func (m *Machine) Remembers() bool { return m.remembers }

// NextLook returns when the conditions of a place are to be looked at next,
// those that may begin to hold by themselves after an interval; zero if never.
func (m *Machine) NextLook(at Place, now time.Time, interval time.Duration) time.Time {
	var soonest time.Time
	n := m.node(at.State)
	if !n.timed {
		return soonest
	}
	for _, edge := range n.edges {
		var look time.Time
		switch due := at.Entered.Add(edge.after); {
		case edge.takes != takesNone:
			continue
		case edge.timed && now.Before(due):
			look = due
		case edge.polled:
			look = now.Add(interval)
		default: // only an event or a variable can make it hold
			continue
		}
		if soonest.IsZero() || look.Before(soonest) {
			soonest = look
		}
	}
	return soonest
}

// compile checks the agent and makes its machine.
func (a *Agent) compile() (*Machine, error) {
	if err := a.check(); err != nil {
		return nil, err
	}
	m := &Machine{agent: a, nodes: make(map[string]*node, len(a.states))}
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
func (m *Machine) finish(n *node) error {
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
func (m *Machine) classifiers() error {
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
func (m *Machine) addGlobals() error {
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
func (m *Machine) component(first *State) (*node, error) {
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
func (m *Machine) reachable() error {
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
