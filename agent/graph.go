package agent

import (
	"strings"

	"docent/agent/diagram"
)

// Graph returns the states and transitions of the agent. Each transition has its event and its conditions. Global states hang
// on one state for all states, and return to it. Graph.Mermaid and Graph.SVG draw it. Graph fails with the error of Validate.
func (a *Agent) Graph() (diagram.Graph, error) {
	m, err := a.compile()
	if err != nil {
		return diagram.Graph{}, err
	}
	out := diagram.Graph{Name: a.name}
	at := map[string]int{}
	for i, s := range m.states {
		at[s.name] = i
		out.States = append(out.States, diagram.State{Name: s.name, Initial: s == m.initial.State, Global: s.global})
	}
	for _, s := range m.states {
		for _, t := range s.transitions {
			out.Arrows = append(out.Arrows, diagram.Arrow{From: at[s.name], To: at[t.dest.name], Label: t.Label()})
		}
	}
	addGlobals(&out, m.states, at)
	return out, nil
}

// Mermaid returns a state diagram of the agent in Mermaid's language; see Graph.
func (a *Agent) Mermaid() (string, error) {
	g, err := a.Graph()
	if err != nil {
		return "", err
	}
	return g.Mermaid(), nil
}

// addGlobals adds the ways to the global states and back.
func addGlobals(g *diagram.Graph, states []*State, at map[string]int) {
	everywhere := len(states)
	for _, s := range states {
		if !s.global {
			continue
		}
		if len(g.States) == everywhere {
			g.States = append(g.States, diagram.State{Any: true})
		}
		g.Arrows = append(g.Arrows, diagram.Arrow{From: everywhere, To: at[s.name], Label: "intent " + s.reachable.Name})
		last := s
		for range states {
			if len(last.transitions) == 0 {
				g.Arrows = append(g.Arrows, diagram.Arrow{From: at[last.name], To: everywhere, Label: "back"})
				break
			}
			last = last.transitions[0].dest
		}
	}
}

// Label describes the event and the conditions of the transition for people, such as "intent order, variable paid == true".
// It is "" for a transition that the session takes at once.
func (t *Transition) Label() string {
	var parts []string
	switch t.takes {
	case takesAny:
		parts = append(parts, "any event")
	case takesOther:
		parts = append(parts, "any other event")
	case takesMessage:
		parts = append(parts, "message")
	case takesText:
		if !t.intents && !t.fallback {
			parts = append(parts, "text")
		}
	case takesJSON:
		parts = append(parts, "JSON message")
	case takesFile:
		parts = append(parts, "file")
	case takesNamed:
		parts = append(parts, "event "+strings.Join(t.names, " or "))
	case takesNone:
	}
	for _, c := range t.conditions {
		switch text := c.text; {
		case t.takes == takesFile && strings.HasPrefix(text, fileTypes):
			parts[0] = "file " + strings.TrimPrefix(text, fileTypes)
		case strings.HasPrefix(text, formSubmitted):
			parts[0] = "form" + strings.TrimPrefix(strings.TrimPrefix(text, formSubmitted), " -")
		case t.intent != nil && text == intentText(t.intent.Name):
			parts = append(parts, "intent "+t.intent.Name)
		case t.fallback && text == intentText(noIntent):
			parts = append(parts, "no intent")
		default:
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, ", ")
}
