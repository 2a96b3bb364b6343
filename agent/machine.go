package agent

import (
	"slices"
	"strings"
	"time"

	"docent/agent/intent"
)

// Machine is a compiled agent: its states with all their transitions, including those to and from global states. It never
// changes.
type Machine struct {
	agent   *Agent
	states  []*State // those of the agent first, and then those of the agents that it hands over to
	nodes   map[string]*node
	initial *node
	// timed reports that some state has conditions to check without an event.
	timed bool
	// remembers reports that some edge takes no event. Its code may then ask for the previously consumed event.
	remembers bool
}

// node is a state of a machine.
type node struct {
	*State
	parts parts
	edges []*Transition
	// intents are the intents of the edges. Predictions choose from them.
	intents []*Intent
	// hears reports that some edge takes events.
	hears bool
	// timed reports that some edge may be taken without an event.
	timed bool
	// classifier predicts the intent. It is nil without intents.
	classifier Classifier
	// component reports that the state belongs to a global one.
	component bool
}

// Validate returns the first error in the states and transitions, as fault.Invalid. NewRuntime calls it.
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

// Find returns the name of a stored state, or of the initial state if the agent no longer has the stored one.
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

// Timed reports whether time alone can end some state.
func (m *Machine) Timed() bool { return m.timed }

// Remembers reports whether later turns need the last consumed event.
func (m *Machine) Remembers() bool { return m.remembers }

// Takes reports whether some state takes events with a name.
func (m *Machine) Takes(name string) bool {
	for _, n := range m.nodes {
		if slices.ContainsFunc(n.edges, func(t *Transition) bool { return t.matches(&Event{Name: name}) }) {
			return true
		}
	}
	return false
}

// NextLook returns the time at which to check the conditions of a place again. They were last checked at looked, or never if it
// is zero. So a time that has come since is not missed. interval is the time between checks of conditions that may change on
// their own. The result is zero if no check is needed.
func (m *Machine) NextLook(at Place, looked, now time.Time, interval time.Duration) time.Time {
	var soonest time.Time
	n := m.node(at.State)
	if !at.Deadline.IsZero() {
		soonest = later(at.Deadline, now)
	}
	if !n.timed {
		return soonest
	}
	for _, edge := range n.edges {
		var look time.Time
		switch due := edge.due(at); {
		case edge.takes != takesNone:
			continue
		case edge.timed && (now.Before(due) || looked.Before(due)):
			look = later(due, now)
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

// due returns the time of a timed transition, or a time in the past.
func (t *Transition) due(at Place) time.Time {
	if t.clock == nil {
		return at.Entered.Add(t.after)
	}
	zone := at.Zone
	if zone == nil {
		zone = time.Local
	}
	return t.clock.next(at.Entered.In(zone))
}

// later returns the later of two times.
func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// compile checks the agent and builds its machine.
func (a *Agent) compile() (*Machine, error) {
	states, err := a.expand("", nil)
	if err != nil {
		return nil, err
	}
	if err := a.checkAutos(states); err != nil {
		return nil, err
	}
	m := &Machine{agent: a, states: states, nodes: make(map[string]*node, len(states))}
	for _, s := range states {
		n := &node{State: s, edges: slices.Clone(s.transitions)}
		n.combine()
		if m.nodes[s.name] != nil {
			return nil, a.wrong("two states are named %q", s.name)
		}
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
	for _, s := range states {
		if err := m.finish(m.nodes[s.name]); err != nil {
			return nil, err
		}
	}
	if err := m.checkTriggers(); err != nil {
		return nil, err
	}
	return m, nil
}

// finish computes the properties of a node from its edges.
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
		n.classifier = n.agent.classifier
	}
	return nil
}

// classifiers sets the default classifier for states with intents and no classifier. The default loads the built-in
// embedder.
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
	for _, s := range m.states {
		if !s.global {
			continue
		}
		end, err := m.component(s)
		if err != nil {
			return err
		}
		ends[s] = end
	}
	for _, global := range m.states {
		if !global.global {
			continue
		}
		for _, s := range m.states {
			origin := m.nodes[s.name]
			if origin.component || !strings.HasPrefix(s.name, global.prefix) || len(s.transitions) == 0 || s.transitions[0].auto {
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

// previousState is the session variable with the name of the state that the session left for a global state.
const previousState = "prev_state"

// component marks the states that belong to a global state and returns the last one.
func (m *Machine) component(first *State) (*node, error) {
	met := map[*State]bool{}
	for s := first; ; s = s.transitions[0].dest {
		if met[s] {
			return nil, m.agent.wrong("the first transitions from the global state %q go round in a circle", first.name)
		}
		if s.handsOver {
			return nil, m.agent.wrong("state %q belongs to the global state %q, so it cannot hand over to another agent", s.name, first.name)
		}
		met[s] = true
		n := m.nodes[s.name]
		n.component = true
		if len(s.transitions) == 0 {
			return n, nil
		}
	}
}

// reachable returns an error for a state that cannot be reached.
func (m *Machine) reachable() error {
	open := []*State{m.initial.State}
	for _, s := range m.states {
		if s.byMove {
			open = append(open, s)
		}
	}
	reached := map[*State]bool{}
	for _, s := range open {
		reached[s] = true
	}
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
	for _, s := range m.states {
		if !reached[s] {
			return m.agent.wrong("state %q cannot be reached from %q; add a transition to it, or create it with agent.ByMove if Session.Move leads there",
				s.name, m.initial.name)
		}
	}
	return nil
}
