package definition

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"docent/agent"
)

// stateDraft is a state that is being built.
type stateDraft struct {
	name      string
	key       *yaml.Node
	state     *agent.State // nil if the state is omitted
	initial   bool
	greeting  template
	needs     bool // the state is omitted if its model is missing
	global    string
	body      []action
	fallback  []action
	to        []string // targets of its transitions
	lines     []int    // lines of its transitions, without those that are left out
	then      *yaml.Node
	handsOver bool  // to the agent of another file
	hears     bool  // it has transitions in the key on
	taken     taken // events that its transitions take regardless of their content
}

// greeted returns the state's body with the greeting before it.
func (s *stateDraft) greeted(body agent.Body) agent.Body {
	if s.greeting == nil {
		return body
	}
	return func(ctx context.Context, session *agent.Session) error {
		if session.Begins() {
			if err := session.Reply(ctx, s.greeting.fill(session)); err != nil {
				return err
			}
		}
		return body(ctx, session)
	}
}

// stateNodes are the parts of a state that refer to other states.
type stateNodes struct{ agent, body, fallback, on, then, global *yaml.Node }

// readStates reads the section states. It reads the names first, because states
// refer to each other.
func (d *draft) readStates(n *yaml.Node) {
	var nodes []stateNodes
	before := len(d.problems)
	d.entries(n, "states", func(key *yaml.Node, name string, value *yaml.Node) {
		s := &stateDraft{name: name, key: key}
		var parts stateNodes
		needs := ""
		later := func(to **yaml.Node) func(*yaml.Node) { return func(n *yaml.Node) { *to = n } }
		d.mapping(value, "state "+name,
			field{"initial", func(n *yaml.Node) { s.initial = d.flag(n, "initial") }},
			field{"needs", func(n *yaml.Node) { needs = d.choice(n, "needs", "model") }},
			field{"global", later(&parts.global)},
			field{"agent", later(&parts.agent)},
			field{"body", later(&parts.body)},
			field{"fallback", later(&parts.fallback)},
			field{"on", later(&parts.on)},
			field{"then", later(&parts.then)},
		)
		switch {
		case needs != "" && s.initial:
			d.wrong(key, "state %s cannot be initial and need a model: there must always be a state to begin with", name)
		case needs != "" && d.chat(d.model) == nil:
		case s.initial:
			s.greeting, s.state = d.greeting, d.agent.State(name, agent.Initial)
		default:
			s.state = d.agent.State(name)
		}
		s.needs = needs != ""
		d.states, nodes = append(d.states, s), append(nodes, parts)
	})
	d.oneInitial(n, len(d.problems) == before)
	for i, s := range d.states {
		d.readState(s, nodes[i])
	}
	if len(d.problems) == before { // otherwise an earlier error may be the reason
		d.checkThen()
		d.checkReached()
		d.checkGlobals()
	}
}

func (d *draft) oneInitial(n *yaml.Node, sure bool) {
	first := ""
	for _, s := range d.states {
		switch {
		case s.initial && first != "":
			d.wrong(s.key, "states %s and %s are both initial: a session can begin in one only", first, s.name)
		case s.initial:
			first = s.name
		}
	}
	if first == "" && sure {
		d.wrong(n, "no state is initial: write initial: true in the one that sessions begin in")
	}
}

func (d *draft) readState(s *stateDraft, nodes stateNodes) {
	d.omitted = s.state == nil
	if nodes.agent != nil {
		s.handsOver = true
		if m := d.member(nodes.agent, "agent"); m != nil && s.state != nil {
			s.state.HandOver(m.draft.agent)
		}
	}
	if nodes.body != nil {
		s.body = bodies{d}.actions(nodes.body, "body")
	}
	if nodes.fallback != nil {
		s.fallback = bodies{d}.actions(nodes.fallback, "fallback")
	}
	if nodes.global != nil {
		s.global = d.text(nodes.global, "global")
		if i := d.intents[s.global]; i == nil {
			d.wrong(nodes.global, "there is no intent %q; the intents are %s", s.global, named(d.intents))
		} else if s.state != nil {
			s.state.Global(i)
		}
	}
	if nodes.on != nil && nodes.then != nil {
		d.wrong(nodes.then, "state %s goes on at once with then, so it cannot have on as well", s.name)
	}
	if nodes.then != nil {
		s.then = nodes.then
		if to := d.target(s, nodes.then, "then"); to != nil && to.state != nil && s.state != nil {
			s.state.GoTo(to.state)
		}
	}
	if nodes.on != nil {
		seen := map[string]bool{}
		d.list(nodes.on, "on", func(item *yaml.Node) { d.readTransition(s, item, seen) })
		s.hears = true
	}
}

// target reads the name of the next state.
func (d *draft) target(s *stateDraft, n *yaml.Node, what string) *stateDraft {
	name := d.text(n, what)
	for _, other := range d.states {
		if other.name == name {
			s.to = append(s.to, name)
			return other
		}
	}
	names := make([]string, len(d.states))
	for i, other := range d.states {
		names[i] = other.name
	}
	if name != "" {
		d.wrong(n, "there is no state %q; the states are %s", name, strings.Join(names, ", "))
	}
	return nil
}

// checkThen reports states that lead to each other immediately in an endless
// loop.
func (d *draft) checkThen() {
	next := map[string]string{}
	for _, s := range d.states {
		if s.then != nil && !s.handsOver {
			next[s.name] = s.to[0]
		}
	}
	for _, s := range d.states {
		at, steps := next[s.name], 0
		for at != "" && at != s.name && steps <= len(next) {
			at, steps = next[at], steps+1
		}
		if at == s.name {
			d.wrong(s.then, "then leads from state %s back to it at once, for ever: use on for one of the steps", s.name)
		}
	}
}

// checkReached reports unreachable states.
func (d *draft) checkReached() {
	reached := map[string]bool{}
	var visit func(name string)
	visit = func(name string) {
		for _, s := range d.states {
			if s.name == name && !reached[name] {
				reached[name] = true
				for _, to := range s.to {
					visit(to)
				}
			}
		}
	}
	for _, s := range d.states {
		if s.initial || s.global != "" {
			visit(s.name)
		}
	}
	for _, s := range d.states {
		if !reached[s.name] {
			d.wrong(s.key, "no way leads to state %s: name it in to or then of another, or leave it out", s.name)
		}
	}
}

// transitionDraft is a transition that is being built.
type transitionDraft struct {
	kind       string // the key that selects its events; "" without events
	make       func(s *agent.State) *agent.Transition
	events     []string // its events, as in taken
	part       bool     // it takes only some of these events
	conditions []func(t *agent.Transition)
	to         *stateDraft
}

// readTransition reads an item of the list on.
func (d *draft) readTransition(s *stateDraft, n *yaml.Node, seen map[string]bool) {
	var t transitionDraft
	var when *condition
	var after, at, days, matches, from *yaml.Node
	takes := func(kind string, read func(n *yaml.Node) func(s *agent.State) *agent.Transition) field {
		return field{kind, func(n *yaml.Node) {
			if t.kind != "" {
				d.wrong(n, "a transition is on one thing: write one for %s and another for %s", t.kind, kind)
				return
			}
			t.kind, t.make = kind, read(n)
		}}
	}
	keys := d.mapping(n, "a transition",
		takes("intent", func(n *yaml.Node) func(*agent.State) *agent.Transition {
			t.events, t.part = []string{agent.EventText}, true
			return d.onIntent(n, seen)
		}),
		takes("no_intent", func(n *yaml.Node) func(*agent.State) *agent.Transition {
			t.events, t.part = []string{agent.EventText}, true
			return d.onNoIntent(n)
		}),
		takes("message", func(n *yaml.Node) func(*agent.State) *agent.Transition { return d.onMessage(n, &t) }),
		takes("event", func(n *yaml.Node) func(*agent.State) *agent.Transition { return d.onEvent(n, &t) }),
		takes("form", func(n *yaml.Node) func(*agent.State) *agent.Transition { return d.onForm(n, &t) }),
		takes("file", func(n *yaml.Node) func(*agent.State) *agent.Transition { return d.onFile(n, &t) }),
		field{"when", func(n *yaml.Node) { when = d.condition(n) }},
		field{"matches", func(n *yaml.Node) { matches = n }},
		field{"from", func(n *yaml.Node) { from = n }},
		field{"after", func(n *yaml.Node) { after = n }},
		field{"at", func(n *yaml.Node) { at = n }},
		field{"days", func(n *yaml.Node) { days = n }},
		field{"to", func(n *yaml.Node) { t.to = d.target(s, n, "to") }},
	)
	if len(keys) > 0 && keys["to"] == nil {
		d.wrong(n, "a transition needs to: the state that it leads to")
	}
	if matches != nil && t.kind == "" {
		t.kind, t.make, t.events = "matches", (*agent.State).OnText, []string{agent.EventText}
	}
	switch {
	case at != nil && (t.kind != "" || after != nil):
		d.wrong(at, "a transition is on one thing: write one for at and another for the rest")
		return
	case at != nil:
		clock := d.clock(at, days)
		t.make = func(s *agent.State) *agent.Transition { return s.At(clock) }
	case days != nil:
		d.wrong(days, "days belongs to at, in the same transition")
	case after != nil && t.kind != "":
		d.wrong(after, "a transition is on one thing: write one for %s and another for after", t.kind)
	case after != nil:
		after := d.duration(after, "after")
		t.make = func(s *agent.State) *agent.Transition { return s.After(after) }
	case t.kind == "" && when == nil && len(keys) > 0:
		d.wrong(n, "a transition needs one of intent, no_intent, message, matches, event, file, form, after, at and when; then leads on at once")
		return
	}
	if matches != nil {
		d.matching(&t, matches)
	}
	if from != nil {
		d.sender(&t, from)
	}
	t.part = t.part || when != nil || matches != nil || from != nil
	d.alive(s, n, &t)
	if s.state != nil && t.to != nil && t.to.state != nil && len(d.problems) == 0 {
		t.add(s.state, when)
		s.lines = append(s.lines, n.Line)
	}
}

// add adds the transition to the state.
func (t *transitionDraft) add(s *agent.State, when *condition) {
	var made *agent.Transition
	if t.make == nil {
		made = s.WhenVariable(when.variable, when.op, when.value)
	} else if made = t.make(s); when != nil {
		made.WhenVariable(when.variable, when.op, when.value)
	}
	for _, add := range t.conditions {
		add(made)
	}
	made.GoTo(t.to.state)
}

// clockDays are the names of days in files.
var clockDays = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

// clock reads a time of day and the days of the week, which may be missing.
func (r *reader) clock(at, days *yaml.Node) agent.Clock {
	clock, err := agent.ParseClock(r.text(at, "at"))
	if err != nil {
		r.wrong(at, "at: %v; put it into quotes", err)
	}
	if days == nil {
		return clock
	}
	for _, name := range r.texts(days, "days") {
		day := slices.Index(clockDays, name)
		switch {
		case name == "weekdays":
			clock.Days = append(clock.Days, agent.Workdays...)
		case day >= 0:
			clock.Days = append(clock.Days, time.Weekday(day))
		default:
			r.wrong(days, "days has %q, it must have weekdays or some of %s", name, strings.Join(clockDays, ", "))
		}
	}
	return clock
}

func (d *draft) onIntent(n *yaml.Node, seen map[string]bool) func(*agent.State) *agent.Transition {
	name := d.text(n, "intent")
	i := d.intents[name]
	switch {
	case name != "" && i == nil:
		d.wrong(n, "there is no intent %q; the intents are %s", name, named(d.intents))
	case seen[name]:
		d.wrong(n, "the state has two transitions on intent %q: only the first is ever taken", name)
	}
	seen[name] = true
	return func(s *agent.State) *agent.Transition { return s.OnIntent(i) }
}

func (r *reader) onNoIntent(n *yaml.Node) func(*agent.State) *agent.Transition {
	r.choice(n, "no_intent", "true")
	return (*agent.State).OnNoIntent
}

func (r *reader) onMessage(n *yaml.Node, t *transitionDraft) func(*agent.State) *agent.Transition {
	switch r.choice(n, "message", "any", "text", "json") {
	case "text":
		t.events = []string{agent.EventText}
		return (*agent.State).OnText
	case "json":
		t.events = []string{agent.EventMessage}
		return (*agent.State).OnJSON
	case "any":
		t.events = []string{agent.EventText, agent.EventMessage}
	}
	return (*agent.State).OnMessage
}

func (r *reader) onEvent(n *yaml.Node, t *transitionDraft) func(*agent.State) *agent.Transition {
	names := r.texts(n, "event")
	t.events = slices.Clone(names)
	if slices.Contains(names, agent.EventMessage) {
		t.events = append(t.events, agent.EventText)
	}
	if slices.Contains(names, "any") {
		names, t.events = nil, []string{anyEvent}
	}
	if slices.Contains(names, "other") {
		if len(names) > 1 {
			r.wrong(n, "other takes all events that are no messages: write no other names beside it")
		}
		t.events = []string{otherEvent}
		return (*agent.State).OnOtherEvent
	}
	return func(s *agent.State) *agent.Transition { return s.OnEvent(names...) }
}

// onForm reads a transition on a submitted form: the id of its user interface, or any.
func (r *reader) onForm(n *yaml.Node, t *transitionDraft) func(*agent.State) *agent.Transition {
	id := r.text(n, "form")
	if id == "any" {
		id = ""
	}
	t.events, t.part = []string{agent.EventUI}, true // other actions in a user interface are no forms
	return func(s *agent.State) *agent.Transition { return s.OnForm(id) }
}

func (r *reader) onFile(n *yaml.Node, t *transitionDraft) func(*agent.State) *agent.Transition {
	types := r.texts(n, "file")
	t.events, t.part = []string{agent.EventFile}, !slices.Contains(types, "any")
	if slices.Contains(types, "any") {
		types = nil
	}
	return func(s *agent.State) *agent.Transition { return s.OnFile(types...) }
}

// matching adds the condition that the text matches a regular expression.
func (r *reader) matching(t *transitionDraft, n *yaml.Node) {
	expression, err := regexp.Compile(r.text(n, "matches"))
	if err != nil {
		r.wrong(n, "matches is no regular expression of Go: %v", err)
		return
	}
	t.conditions = append(t.conditions, func(t *agent.Transition) { t.WhenMatches(expression) })
}

// sender adds a condition on the sender of the event.
func (r *reader) sender(t *transitionDraft, n *yaml.Node) {
	who := r.choice(n, "from", "human", "agent")
	human := who == "human"
	if t.kind == "" {
		r.wrong(n, "from is about an event: add message, intent, event or file")
		return
	}
	t.conditions = append(t.conditions, func(t *agent.Transition) {
		t.WhenNamed("from "+who, func(_ context.Context, s *agent.Session) (bool, error) { return s.Event().Human == human, nil })
	})
}

// condition compares a variable with a value.
type condition struct {
	variable string
	op       agent.Operator
	value    any
}

func (r *reader) condition(n *yaml.Node) *condition {
	c := &condition{op: agent.Equal}
	keys := r.mapping(n, "when",
		field{"variable", func(n *yaml.Node) { c.variable = r.text(n, "variable") }},
		field{"is", func(n *yaml.Node) { c.op = r.operator(n) }},
		field{"value", func(n *yaml.Node) { c.value = r.value(n, "value") }},
	)
	if keys["value"] != nil {
		r.ordered(n, c.op, c.value)
	}
	for _, required := range []string{"variable", "value"} {
		if keys[required] == nil {
			r.wrong(n, "when needs %s, as in {variable: count, is: \">=\", value: 3}", required)
		}
	}
	return c
}

// operator reads the operator of a comparison.
func (r *reader) operator(n *yaml.Node) agent.Operator {
	return agent.Operator(r.choice(n, "is", "<", "<=", "==", "!=", ">=", ">"))
}

// ordered reports an error if an operator needs an order that the value lacks.
func (r *reader) ordered(n *yaml.Node, op agent.Operator, value any) {
	switch value.(type) {
	case string, int, int64, uint64, float64, json.Number:
	default:
		if op != agent.Equal && op != agent.NotEqual && op != "" {
			r.wrong(n, "only numbers and texts can be compared with %q", string(op))
		}
	}
}
