package agent

import (
	"slices"
	"strings"
	"unicode"
)

const (
	// MaxTriggers bounds the triggers of an agent.
	MaxTriggers = 32
	// MaxTriggerName bounds the name of the event of a trigger, in bytes.
	MaxTriggerName = 100
)

// Everyone is the audience of all users who have a conversation with the agent.
const Everyone = "everyone"

// Trigger sends an event to users at a time of day, once for each user and among all processes. For a time of one session, see
// State.At.
type Trigger struct {
	// Event is the name of the event, unique in the agent. Some state must take it. Its data have the key at, with the time of the
	// clock.
	Event string
	// Clock is the time, in the time zone of the agent; see Agent.TimeZone.
	Clock Clock
	// For is the audience: Everyone, group:NAME, or user:NAME.
	For string
}

// Trigger adds a trigger. The event goes to the conversation with this agent that the user used last. Members of a group, and
// named users, get a new conversation if they have none. Without authentication, all users count as one. If docent does not run
// at some times of the clock, it sends the event once when it runs again, for the latest of them.
func (a *Agent) Trigger(t Trigger) { a.triggers = append(a.triggers, t) }

// Triggers returns the triggers in the order in which they were added.
func (a *Agent) Triggers() []Trigger { return slices.Clone(a.triggers) }

// AudienceOf reports whether a text names an audience; see Trigger.For.
func AudienceOf(text string) bool {
	kind, name, _ := strings.Cut(text, ":")
	switch kind {
	case Everyone:
		return text == Everyone
	case "user", "group":
		return name != "" && len(name) <= 255 && !strings.ContainsFunc(name, unicode.IsControl)
	}
	return false
}

// checkTriggers validates the triggers of a compiled agent.
func (m *Machine) checkTriggers() error {
	a := m.agent
	if len(a.triggers) > MaxTriggers {
		return a.wrong("there are %d triggers; at most %d are allowed", len(a.triggers), MaxTriggers)
	}
	names := map[string]bool{}
	for _, t := range a.triggers {
		switch {
		case t.Event == "" || len(t.Event) > MaxTriggerName || strings.ContainsFunc(t.Event, unicode.IsControl):
			return a.wrong("a trigger needs the name of an event with 1 to %d bytes", MaxTriggerName)
		case slices.Contains([]string{EventText, EventMessage, EventFile, EventUI}, t.Event):
			return a.wrong("trigger %q has the name of an event of users", t.Event)
		case names[t.Event]:
			return a.wrong("two triggers send the event %q", t.Event)
		case !t.Clock.valid():
			return a.wrong("trigger %q is at no time of day: %s", t.Event, t.Clock)
		case !AudienceOf(t.For):
			return a.wrong("trigger %q is for %q, it must be for everyone, group:NAME, or user:NAME", t.Event, t.For)
		case !m.Takes(t.Event):
			return a.wrong("no state takes the event of trigger %q: add a transition on it", t.Event)
		}
		names[t.Event] = true
	}
	return nil
}
