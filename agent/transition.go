package agent

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// takes is the kind of events that a transition takes.
type takes int

const (
	takesNone takes = iota // it takes no event: only its conditions count
	takesAny
	takesMessage
	takesText
	takesJSON
	takesFile
	takesOther
	takesNamed
)

// Transition leads from one state to another. The session takes it when a matching event is there and all conditions hold.
// A transition without an event needs only its conditions.
type Transition struct {
	source, dest *State
	takes        takes
	names        []string // for takesNamed
	intent       *Intent  // of OnIntent
	intents      bool     // it is made by OnIntent
	fallback     bool     // it is made by OnNoIntent
	auto         bool     // it is made by State.GoTo
	polled       bool     // a condition may begin to hold by itself
	timed        bool     // it is made by After or At
	after        time.Duration
	clock        *Clock // of At
	conditions   []condition
	back         bool // of a global state, to where it was entered from
}

// GoTo sets the destination, which may be the state itself.
func (t *Transition) GoTo(dest *State) { t.dest = dest }

// When adds a condition. While it runs, Session.Event is the event that the transition may take.
func (t *Transition) When(c Condition) *Transition {
	return t.WhenNamed(functionName(c), c)
}

// WhenNamed adds a condition like When. The store and the log show the name. When uses the name of the Go function instead.
func (t *Transition) WhenNamed(name string, c Condition) *Transition {
	t.polled = t.polled || t.takes == takesNone
	return t.and(condition{text: name, holds: c})
}

// WhenMatches adds the condition that the text of the event matches an expression.
func (t *Transition) WhenMatches(expression *regexp.Regexp) *Transition {
	if expression == nil {
		return t.When(nil) // which Validate refuses
	}
	return t.WhenNamed("matches "+expression.String(), func(_ context.Context, s *Session) (bool, error) {
		return expression.MatchString(s.Event().Text), nil
	})
}

// WhenVariable adds a condition on a session variable. It compares the variable with the JSON form of value.
func (t *Transition) WhenVariable(name string, op Operator, value any) *Transition {
	return t.and(compare(name, op, value))
}

// maxConditionText limits the description of a condition, in characters.
const maxConditionText = 200

func (t *Transition) and(c condition) *Transition {
	if r := []rune(c.text); len(r) > maxConditionText {
		c.text = string(r[:maxConditionText-1]) + "…"
	}
	t.conditions = append(t.conditions, c)
	return t
}

// matches reports whether the transition takes an event.
func (t *Transition) matches(e *Event) bool {
	switch t.takes {
	case takesAny:
		return true
	case takesMessage:
		return e.Name == EventText || e.Name == EventMessage
	case takesText:
		return e.Name == EventText
	case takesJSON:
		return e.Name == EventMessage
	case takesFile:
		return e.Name == EventFile
	case takesOther:
		return e.Name != EventText && e.Name != EventMessage
	case takesNamed:
		return slices.Contains(t.names, e.Name) ||
			slices.Contains(t.names, EventMessage) && e.Name == EventText // as BAF, whose text is a message
	default:
		return false
	}
}

// event returns BAF's name for the events that the transition takes.
func (t *Transition) event() string {
	switch t.takes {
	case takesAny:
		return "any_event"
	case takesMessage, takesJSON:
		return EventMessage
	case takesText:
		return EventText
	case takesFile:
		return EventFile
	case takesOther:
		return "other_event"
	case takesNamed:
		return strings.Join(t.names, ", ")
	default:
		return ""
	}
}

// condition returns the description of the conditions in BAF's form.
func (t *Transition) condition() string {
	texts := make([]string, len(t.conditions))
	for i, c := range t.conditions {
		texts[i] = c.text
	}
	return strings.Join(texts, " and ")
}

// String describes the transition for logs and people.
func (t *Transition) String() string {
	what := []string{}
	for _, part := range []string{t.event(), t.condition()} {
		if part != "" {
			what = append(what, part)
		}
	}
	if t.auto {
		what = append(what, "auto")
	}
	dest := "?"
	if t.dest != nil {
		dest = t.dest.name
	}
	return fmt.Sprintf("%s --[%s]--> %s", t.source.name, strings.Join(what, " and "), dest)
}
