package agent

import (
	"context"
	"strings"
	"time"

	"docent/internal/fault"
)

// StateOption is a property of a state.
type StateOption int

// Options of a state.
const (
	// Initial marks the state in which sessions begin. Its body is the greeting.
	Initial StateOption = 1
	// ByMove allows a state that no transition leads to. Only Session.Move reaches it.
	ByMove StateOption = 2
)

// State is a state of an agent. It has a body, a fallback for messages that no transition takes, and transitions. If
// several transitions are possible, the session takes the one that was added first.
type State struct {
	agent       *Agent
	name        string
	initial     bool
	byMove      bool
	body        Body
	fallback    Body
	answers     bool // the author has set the fallback
	classifier  Classifier
	reachable   *Intent // of a global state, what leads to it from anywhere
	global      bool
	handsOver   bool
	to          *Agent // that the state hands over to
	transitions []*Transition

	prefix string   // of the name, in the machine of an agent that hands over to this one
	line   []*Agent // in a machine: the agents that lead to the state, and its own
}

// State adds a state to the agent.
func (a *Agent) State(name string, options ...StateOption) *State {
	s := &State{agent: a, name: name, fallback: notUnderstood}
	for _, o := range options {
		s.initial, s.byMove = s.initial || o == Initial, s.byMove || o == ByMove
	}
	a.states = append(a.states, s)
	return s
}

// notUnderstood is the default fallback.
func notUnderstood(ctx context.Context, s *Session) error {
	return s.Say(ctx, fault.NewText("not_understood", "Sorry, I did not understand that."))
}

// Name returns the name of the state.
func (s *State) Name() string { return s.name }

// Body sets the function that runs when the session enters the state. By default nothing runs.
func (s *State) Body(body Body) { s.body = body }

// Fallback sets the function for a user's message that no transition takes. The default says that the message was not
// understood. A state without transitions that take events keeps the message in the queue.
func (s *State) Fallback(body Body) { s.fallback, s.answers = body, true }

// Fallback sets the fallback of all states that the agent has so far; see [State.Fallback].
func (a *Agent) Fallback(body Body) {
	for _, s := range a.states {
		s.Fallback(body)
	}
}

// ClassifyWith sets the classifier of this state. The default is the agent's classifier.
func (s *State) ClassifyWith(c Classifier) { s.classifier = c }

// Global makes the state reachable from every ordinary state by an intent. The states that follow by first transitions
// belong to it. After the last of them, the session returns to its previous state, whose body runs again (see
// Session.Returning).
func (s *State) Global(i *Intent) { s.global, s.reachable = true, i }

// add adds a transition to this state.
func (s *State) add(t *Transition) *Transition {
	t.source = s
	s.transitions = append(s.transitions, t)
	return t
}

// OnIntent adds a transition for text messages with that intent. Set its destination with GoTo, as for all transitions.
func (s *State) OnIntent(i *Intent) *Transition {
	t := s.add(&Transition{takes: takesText, intent: i, intents: true})
	if i == nil {
		return t
	}
	return t.and(condition{text: intentText(i.Name), holds: isIntent(i.Name)})
}

// OnNoIntent adds a transition for text messages that match no intent of the state.
func (s *State) OnNoIntent() *Transition {
	return s.add(&Transition{takes: takesText, fallback: true}).
		and(condition{text: intentText(noIntent), holds: isIntent(noIntent)})
}

// OnMessage adds a transition for all text and JSON messages of users and agents.
func (s *State) OnMessage() *Transition { return s.add(&Transition{takes: takesMessage}) }

// OnText adds a transition for text messages.
func (s *State) OnText() *Transition { return s.add(&Transition{takes: takesText}) }

// OnJSON adds a transition for messages that are JSON objects.
func (s *State) OnJSON() *Transition { return s.add(&Transition{takes: takesJSON}) }

// OnFile adds a transition for files. types lists accepted media types (text/plain), families of types (image/*), and
// extensions (pdf). Without types it accepts any file.
func (s *State) OnFile(types ...string) *Transition {
	t := s.add(&Transition{takes: takesFile})
	if len(types) == 0 {
		return t
	}
	return t.and(ofType(types))
}

// OnEvent adds a transition for events with one of these names. They come from user interfaces and programs (see
// Runtime.Dispatch). Without names it accepts any event, also the messages that would otherwise go to the fallback or lead
// to a global state; see OnOtherEvent.
func (s *State) OnEvent(names ...string) *Transition {
	if len(names) == 0 {
		return s.add(&Transition{takes: takesAny})
	}
	return s.add(&Transition{takes: takesNamed, names: names})
}

// OnOtherEvent adds a transition for events that are no messages: files, and events of programs and user interfaces. Behind
// all other transitions, it takes the events that would wait, and leaves messages to the fallback and to global states.
func (s *State) OnOtherEvent() *Transition { return s.add(&Transition{takes: takesOther}) }

// When adds a transition without an event. The session takes it as soon as the condition holds. The runtime checks the
// condition after each event, after each change of a variable, and every RuntimeConfig.ConditionInterval.
func (s *State) When(c Condition) *Transition { return s.add(&Transition{polled: true}).When(c) }

// WhenNamed adds a transition like When. The store and the log show the name of the condition.
func (s *State) WhenNamed(name string, c Condition) *Transition {
	return s.add(&Transition{polled: true}).WhenNamed(name, c)
}

// WhenVariable adds a transition without an event. The session takes it when the comparison holds. The runtime checks it
// after each event and each change of a variable.
func (s *State) WhenVariable(name string, op Operator, value any) *Transition {
	return s.add(&Transition{}).WhenVariable(name, op, value)
}

// After adds a transition without an event. The session takes it after that time in the state.
func (s *State) After(d time.Duration) *Transition {
	t := s.add(&Transition{after: d, timed: true})
	return t.and(condition{text: "after " + short(d), holds: func(_ context.Context, s *Session) (bool, error) {
		now := s.turn.env.Now()
		s.turn.mu.Lock()
		defer s.turn.mu.Unlock()
		return !now.Before(s.turn.entered.Add(d)), nil
	}})
}

// short returns a duration without units that are zero: 15m instead of 15m0s.
func short(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// GoTo adds a transition that the session takes right after the body. The state can have no other transition.
func (s *State) GoTo(dest *State) { s.add(&Transition{auto: true}).GoTo(dest) }
