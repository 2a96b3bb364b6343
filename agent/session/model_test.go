package session_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// The following model is a second, small implementation of the choice of transitions. It follows
// the rules and shares no code with the first.

// happening is an event of the model.
type happening struct {
	id    int64
	kind  string // text, json, file, custom
	name  string // the name of a custom event, or the type of a file
	word  string // the word of a text: w0 … w3
	human bool
	said  bool // of JSON: it has a string under "message"
}

// setting changes the variable x from outside.
type setting struct{ x int }

// arc is a transition of the model.
type arc struct {
	kind   string // intent, none, message, text, json, file, event, any, when, auto, back
	intent int
	names  []string
	op     string // of a condition on x; "" without one
	target int
	to     int
}

// place is a state of the model.
type place struct {
	arcs   []arc
	global int // the intent that leads to it from anywhere, or -1
}

// model runs a machine of places in one session.
type model struct {
	places []place
	state  int
	x, n   int
	prev   int
	queue  []happening
	inbox  []any // happening or setting
	now    int64 // the id of the current event

	begun   bool // a turn is running
	moves   int
	circled bool
	holding bool // the next body waits
	blocked bool // a body waits
	closing bool // only the running turn continues

	trace, moved, understood []string
}

func (m *model) greet() { m.enter(0); m.begun = true; m.advance() }

// enter runs a body.
func (m *model) enter(state int) {
	m.state = state
	m.n++
	m.x = (state + m.n) % 4
	m.trace = append(m.trace, fmt.Sprintf("body %d of %d", state, m.now))
	m.blocked = m.holding
}

func (m *model) fallback() {
	m.n++
	m.x = (m.state + 2*m.n) % 4
	m.trace = append(m.trace, fmt.Sprintf("fallback %d of %d", m.state, m.now))
	m.blocked = m.holding
}

// arrive adds an event or a setting.
func (m *model) arrive(item any) {
	m.inbox = append(m.inbox, item)
	m.advance()
}

// release lets the waiting body continue.
func (m *model) release() { m.blocked, m.holding = false, false; m.advance() }

// advance takes steps until none is possible.
func (m *model) advance() {
	for !m.blocked {
		for len(m.inbox) > 0 {
			h, ok := m.inbox[0].(happening)
			if !ok {
				break
			}
			m.queue, m.inbox, m.circled = append(m.queue, h), m.inbox[1:], false
		}
		if !m.circled && m.step() {
			continue
		}
		m.begun, m.moves = false, 0
		if len(m.inbox) == 0 || m.closing {
			return
		}
		if s, ok := m.inbox[0].(setting); ok {
			m.x, m.inbox, m.circled = s.x, m.inbox[1:], false
		}
	}
}

// arcs returns the transitions of a place, including those to and from global places.
func (m *model) arcs(at int) []arc {
	out := slices.Clone(m.places[at].arcs)
	for g, p := range m.places {
		if p.global >= 0 && m.ordinary(at) {
			out = append(out, arc{kind: "intent", intent: p.global, to: g})
		}
		if p.global >= 0 && at == m.end(g) {
			for o := range m.places {
				if m.ordinary(o) {
					out = append(out, arc{kind: "back", target: o, to: o})
				}
			}
		}
	}
	return out
}

// end returns the last place of a global place's component.
func (m *model) end(g int) int {
	for len(m.places[g].arcs) > 0 {
		g = m.places[g].arcs[0].to
	}
	return g
}

func (m *model) inComponent(at int) bool {
	for g, p := range m.places {
		if p.global < 0 {
			continue
		}
		for at != g && len(m.places[g].arcs) > 0 {
			g = m.places[g].arcs[0].to
		}
		if at == g {
			return true
		}
	}
	return false
}

func (m *model) ordinary(at int) bool {
	arcs := m.places[at].arcs
	return !m.inComponent(at) && len(arcs) > 0 && arcs[0].kind != "auto"
}

// means returns the intent of a text in a state, or -1.
func (m *model) means(h happening) int {
	for _, a := range m.arcs(m.state) {
		if a.kind == "intent" && h.kind == "text" && h.word == fmt.Sprint("w", a.intent) {
			return a.intent
		}
	}
	return -1
}

func (m *model) takes(a arc, h happening) bool {
	switch a.kind {
	case "intent":
		return h.kind == "text" && m.means(h) == a.intent
	case "none":
		return h.kind == "text" && m.means(h) == -1
	case "message":
		return h.kind == "text" || h.kind == "json"
	case "text", "json":
		return h.kind == a.kind
	case "file":
		return h.kind == "file" && (len(a.names) == 0 || slices.Contains(a.names, h.name))
	case "event":
		return h.kind == "custom" && slices.Contains(a.names, h.name)
	default:
		return a.kind == "any"
	}
}

func (m *model) holds(a arc) bool {
	switch a.op {
	case "<":
		return m.x < a.target
	case "==":
		return m.x == a.target
	case ">=":
		return m.x >= a.target
	}
	return a.kind != "back" || m.prev == a.target
}

// step takes one step. It returns false if none is possible.
func (m *model) step() bool {
	hears := false
	for _, a := range m.arcs(m.state) {
		if a.kind == "when" || a.kind == "auto" || a.kind == "back" {
			if m.holds(a) {
				return m.along(a)
			}
			continue
		}
		hears = true
		for i, h := range m.queue {
			if m.takes(a, h) && m.holds(a) {
				if !m.consume(i) {
					return false
				}
				if a.kind == "intent" || a.kind == "none" {
					m.understand(h)
				}
				m.move(a)
				return true
			}
		}
	}
	for i, h := range m.queue {
		if hears && h.human && (h.kind == "text" || h.said) {
			if !m.consume(i) {
				return false
			}
			m.understand(h)
			m.fallback()
			return true
		}
	}
	return false
}

func (m *model) understand(h happening) {
	text, meaning := h.word, "fallback_intent"
	if h.kind == "json" {
		text = "w1"
	}
	if i := m.means(h); i >= 0 {
		meaning = fmt.Sprint("w", i)
	}
	m.understood = append(m.understood, text+" is "+meaning)
}

// consume takes an event from the queue and begins a turn.
func (m *model) consume(i int) bool {
	if m.begun && m.closing {
		return false
	}
	m.now = m.queue[i].id
	m.queue = slices.Delete(m.queue, i, i+1)
	m.begun, m.moves = true, 0
	return true
}

// along takes a transition without an event.
func (m *model) along(a arc) bool {
	if m.moves++; m.moves > 100 {
		m.circled = true
		return false
	}
	m.begun = true
	m.move(a)
	return true
}

func (m *model) move(a arc) {
	if m.places[a.to].global >= 0 && !m.inComponent(m.state) {
		m.prev = m.state
	}
	m.moved = append(m.moved, fmt.Sprintf("%d>%d", m.state, a.to))
	m.enter(a.to)
}

// randomPlaces returns a random machine. It may be invalid.
func randomPlaces(r *rand.Rand) []place {
	kinds := []string{"intent", "intent", "none", "message", "text", "json", "file", "event", "event", "any", "when", "when"}
	n := 2 + r.IntN(4)
	places := make([]place, n)
	for i := range places {
		places[i].global = -1
		if r.IntN(6) == 0 {
			places[i].arcs = []arc{{kind: "auto", to: r.IntN(n)}}
			continue
		}
		used := map[int]bool{3: true} // w3 belongs to the global place
		for range r.IntN(5) {
			a := arc{kind: kinds[r.IntN(len(kinds))], to: r.IntN(n)}
			switch a.kind {
			case "intent":
				if a.intent = r.IntN(3); used[a.intent] {
					continue
				}
				used[a.intent] = true
			case "file":
				a.names = [][]string{nil, {"text/plain"}, {"application/pdf"}}[r.IntN(3)]
			case "event":
				a.names = [][]string{{"a"}, {"b"}, {"a", "user_update_ui"}}[r.IntN(3)]
			}
			if a.kind == "when" || r.IntN(4) == 0 {
				a.op, a.target = []string{"<", "==", ">="}[r.IntN(3)], r.IntN(4)
			}
			places[i].arcs = append(places[i].arcs, a)
		}
	}
	if r.IntN(2) == 0 { // one or two global places
		places = append(places, place{global: 3})
		if r.IntN(2) == 0 {
			places[n].arcs = []arc{{kind: "auto", to: n + 1}}
			places = append(places, place{global: -1})
		}
	}
	return places
}
