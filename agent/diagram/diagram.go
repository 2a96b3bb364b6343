// Package diagram draws the states and transitions of an agent: as text in Mermaid's
// language, and as a picture. Lay finds places for states and arrows, in layers from the
// initial state downward.
package diagram

import (
	"fmt"
	"strings"
)

// Graph has the states and transitions of an agent.
type Graph struct {
	// Name is the name of the agent.
	Name string
	// States are the states. Arrows refer to them by their position.
	States []State
	// Arrows are the transitions, in the order in which the agent tries them.
	Arrows []Arrow
}

// State is a state of an agent.
type State struct {
	// Name is the name. It is empty for Any.
	Name string
	// Initial reports that sessions begin here.
	Initial bool
	// Global reports that an intent leads here from any state.
	Global bool
	// Any reports that this stands for all ordinary states. It is the source of the arrows to global states.
	Any bool
}

// Arrow is a transition.
type Arrow struct {
	// From and To are positions in Graph.States.
	From, To int
	// Label has the event and the conditions. It is empty if the session goes on at once.
	Label string
}

// anyState is the text of the state Any in pictures.
const anyState = "any state"

// Mermaid returns a state diagram in Mermaid's language, as GitHub and many editors draw it.
func (g Graph) Mermaid() string {
	var b strings.Builder
	b.WriteString("stateDiagram-v2\n")
	id := func(at int) string {
		if g.States[at].Any {
			return "any"
		}
		return fmt.Sprintf("s%d", at+1)
	}
	for i, s := range g.States {
		if !s.Any {
			fmt.Fprintf(&b, "    state %q as %s\n", escaped(s.Name), id(i))
		}
	}
	for i, s := range g.States {
		if s.Initial {
			fmt.Fprintf(&b, "    [*] --> %s\n", id(i))
		}
		if s.Any {
			fmt.Fprintf(&b, "    state %q as any\n", anyState)
		}
	}
	for _, a := range g.Arrows {
		fmt.Fprintf(&b, "    %s --> %s", id(a.From), id(a.To))
		if a.Label != "" {
			b.WriteString(" : " + escaped(a.Label))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// escapes are the characters that Mermaid reads.
var escapes = strings.NewReplacer(
	"#", "#35;", ";", "#59;", ":", "#58;", `"`, "#quot;", "\n", " ", "<", "#lt;", ">", "#gt;", `\`, "#92;")

// escaped returns a text for Mermaid.
func escaped(text string) string { return escapes.Replace(text) }
