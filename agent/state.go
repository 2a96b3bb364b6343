package agent

import (
	"context"
	"time"

	"docent/internal/fault"
)

// StateOption is a property of a state.
type StateOption int

// Initial marks the state in which sessions begin: its body is the greeting.
const Initial StateOption = 1

// State is a state of an agent: what it does when it is entered, what it does
// with messages that lead nowhere, and its transitions. Of transitions that
// could be taken it is always the one added first.
type State struct {
	agent       *Agent
	name        string
	initial     bool
	body        Body
	fallback    Body
	classifier  Classifier
	reachable   *Intent // of a global state, what leads to it from anywhere
	global      bool
	transitions []*Transition
}

// State adds a state to the agent.
func (a *Agent) State(name string, options ...StateOption) *State {
	s := &State{agent: a, name: name, fallback: notUnderstood}
	for _, o := range options {
		s.initial = s.initial || o == Initial
	}
	a.states = append(a.states, s)
	return s
}

// notUnderstood is the fallback of states that set none.
func notUnderstood(ctx context.Context, s *Session) error {
	return s.Say(ctx, fault.NewText("not_understood", "Sorry, I did not understand that."))
}

// Name is the state's name.
func (s *State) Name() string { return s.name }

// Body sets what the state does when it is entered; default nothing.
func (s *State) Body(body Body) { s.body = body }

// Fallback sets what the state does with a user's message that none of its
// transitions takes; default is to say so. States without transitions that take
// events keep the message instead.
func (s *State) Fallback(body Body) { s.fallback = body }

// ClassifyWith sets what tells the intents of this state apart; default is the
// agent's classifier.
func (s *State) ClassifyWith(c Classifier) { s.classifier = c }

// Global makes the state reachable from every ordinary state by an intent. What
// follows it by first transitions belongs to it; at the end of that the
// conversation returns to the state it came from, whose body runs again (see
// Session.Returning).
func (s *State) Global(i *Intent) { s.global, s.reachable = true, i }

// add makes a transition of this state.
func (s *State) add(t *Transition) *Transition {
	t.source = s
	s.transitions = append(s.transitions, t)
	return t
}

// OnIntent adds a transition that text messages of that intent take. As all
// others it leads nowhere before GoTo says where.
func (s *State) OnIntent(i *Intent) *Transition {
	t := s.add(&Transition{takes: takesText, intent: i, intents: true})
	if i == nil {
		return t
	}
	return t.and(condition{text: intentText(i.Name), holds: isIntent(i.Name)})
}

// OnNoIntent adds a transition that text messages of none of the state's
// intents take.
func (s *State) OnNoIntent() *Transition {
	return s.add(&Transition{takes: takesText, fallback: true}).
		and(condition{text: intentText(noIntent), holds: isIntent(noIntent)})
}

// OnMessage adds a transition that any text and JSON message takes, of users
// and of other agents.
func (s *State) OnMessage() *Transition { return s.add(&Transition{takes: takesMessage}) }

// OnText adds a transition that text messages take.
func (s *State) OnText() *Transition { return s.add(&Transition{takes: takesText}) }

// OnJSON adds a transition that messages take which are a JSON object.
func (s *State) OnJSON() *Transition { return s.add(&Transition{takes: takesJSON}) }

// OnFile adds a transition that files take. types say which: a media type
// (text/plain), a family of them (image/*) or an extension (pdf); without types
// any file does.
func (s *State) OnFile(types ...string) *Transition {
	t := s.add(&Transition{takes: takesFile})
	if len(types) == 0 {
		return t
	}
	return t.and(ofType(types))
}

// OnEvent adds a transition that events of one of these names take, of the user
// interface, of programs (see Runtime.Dispatch); without names any event does.
func (s *State) OnEvent(names ...string) *Transition {
	if len(names) == 0 {
		return s.add(&Transition{takes: takesAny})
	}
	return s.add(&Transition{takes: takesNamed, names: names})
}

// When adds a transition that takes no event: the session moves on as soon as
// the condition holds. It is looked at after each event, each change of a
// variable, and every RuntimeConfig.ConditionInterval.
func (s *State) When(c Condition) *Transition { return s.add(&Transition{polled: true}).When(c) }

// WhenVariable adds a transition that takes no event: the session moves on when
// a variable compares so. It is looked at after each event and each change of a
// variable.
func (s *State) WhenVariable(name string, op Operator, value any) *Transition {
	return s.add(&Transition{}).WhenVariable(name, op, value)
}

// After adds a transition that takes no event: the session moves on when it has
// been in the state that long.
func (s *State) After(d time.Duration) *Transition {
	t := s.add(&Transition{after: d, timed: true})
	return t.and(condition{text: "after " + d.String(), holds: func(_ context.Context, s *Session) (bool, error) {
		now := s.turn.env.Now()
		s.turn.mu.Lock()
		defer s.turn.mu.Unlock()
		return !now.Before(s.turn.entered.Add(d)), nil
	}})
}

// GoTo adds the transition that is taken at once when the body is done. A state
// that has it can have no other.
func (s *State) GoTo(dest *State) { s.add(&Transition{auto: true}).GoTo(dest) }
