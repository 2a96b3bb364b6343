package agent

import (
	"fmt"
	"strings"
)

// Mermaid returns a state diagram of the agent in Mermaid's language, as GitHub and many editors draw it. Each arrow has the
// event and the conditions of its transition. Global states hang on one node for all states, and return to it. Mermaid fails
// with the error of Validate.
func (a *Agent) Mermaid() (string, error) {
	m, err := a.compile()
	if err != nil {
		return "", err
	}
	d := diagram{ids: map[string]string{}}
	d.line("stateDiagram-v2")
	for i, s := range m.states {
		d.ids[s.name] = fmt.Sprintf("s%d", i+1)
		d.line("state %q as %s", label(s.name), d.ids[s.name])
	}
	d.line("[*] --> %s", d.ids[m.initial.name])
	for _, s := range m.states {
		for _, t := range s.transitions {
			d.arrow(d.ids[s.name], d.ids[t.dest.name], t.Label())
		}
	}
	d.globals(m.states)
	return d.String(), nil
}

// diagram is a diagram that is being written.
type diagram struct {
	strings.Builder
	ids map[string]string // of the states by name
}

func (d *diagram) line(format string, args ...any) {
	if d.Len() > 0 {
		d.WriteString("    ")
	}
	fmt.Fprintf(d, format+"\n", args...)
}

func (d *diagram) arrow(from, to, text string) {
	if text == "" {
		d.line("%s --> %s", from, to)
		return
	}
	d.line("%s --> %s : %s", from, to, label(text))
}

// globals draws the ways to the global states and back.
func (d *diagram) globals(states []*State) {
	drawn := false
	for _, s := range states {
		if !s.global {
			continue
		}
		if !drawn {
			d.line("state %q as any", "any state")
			drawn = true
		}
		d.arrow("any", d.ids[s.name], "intent "+s.reachable.Name)
		last := s
		for range states {
			if len(last.transitions) == 0 {
				d.arrow(d.ids[last.name], "any", "back")
				break
			}
			last = last.transitions[0].dest
		}
	}
}

// escapes are the characters that Mermaid reads.
var escapes = strings.NewReplacer(
	"#", "#35;", ";", "#59;", ":", "#58;", `"`, "#quot;", "\n", " ", "<", "#lt;", ">", "#gt;", `\`, "#92;")

// label returns a text for a diagram.
func label(text string) string { return escapes.Replace(text) }

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
