package agent

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"docent/internal/fault"
	"docent/payload"
	"docent/rag"
	"docent/rag/wire"
)

// Session is a conversation as a body sees it, for the length of the turn. Its
// methods may be called from several goroutines at once, which have to end
// before the body returns; Move and ManageTransition, which run other bodies,
// are for the body's own goroutine. Conditions and processors have one that
// cannot move or reset.
type Session struct {
	conversation *conversation
	turn         *turn
	role         role
}

// role is whose session it is: a body's can do more than others.
type role string

const (
	aBody      role = ""
	aCondition role = "a condition"
	aProcessor role = "a processor of messages"
	aRewriter  role = "a processor of replies"
)

// as is the session for another role in the turn.
func (s *Session) as(r role) *Session {
	return &Session{conversation: s.conversation, turn: s.turn, role: r}
}

// ofBody returns an error unless the session is a body's whose turn goes on.
func (s *Session) ofBody(what string) error {
	if s.role != aBody {
		return fault.New(fault.Internal, "%s cannot %s", s.role, what)
	}
	s.turn.mu.Lock()
	defer s.turn.mu.Unlock()
	if s.turn.over {
		return errOver
	}
	return nil
}

type sessionKey struct{}

// withSession puts a session into the context of a body.
func withSession(ctx context.Context, s *Session) context.Context {
	return context.WithValue(ctx, sessionKey{}, s)
}

// SessionFrom returns the session whose body ctx was given to, for tools and
// others that are called from it; false outside of one.
func SessionFrom(ctx context.Context) (*Session, bool) {
	s, ok := ctx.Value(sessionKey{}).(*Session)
	return s, ok
}

// ID is the session's public id.
func (s *Session) ID() string { return s.conversation.key.ID }

// Platform is how the user is connected, as BAF names it.
func (s *Session) Platform() string { return s.conversation.record.Platform }

// Username is the user named at the handshake; "" if none was.
func (s *Session) Username() string { return s.conversation.record.Username }

// SessionName is the session's display name; "" if it has none.
func (s *Session) SessionName() string { return s.conversation.record.Name }

// CurrentState is the name of the state whose body runs.
func (s *Session) CurrentState() string {
	s.turn.mu.Lock()
	defer s.turn.mu.Unlock()
	return s.turn.at.name
}

// Returning tells that a global state has led back to the one whose body runs.
func (s *Session) Returning() bool {
	s.turn.mu.Lock()
	defer s.turn.mu.Unlock()
	return s.turn.returning
}

// Begins tells that the body runs because the session begins, or begins anew
// after a reset.
func (s *Session) Begins() bool {
	s.turn.mu.Lock()
	defer s.turn.mu.Unlock()
	return s.turn.greeting
}

// Event is what a transition or fallback has taken last; in a condition and in
// a processor, what it is asked about. In the greeting it is empty.
func (s *Session) Event() Event {
	s.turn.mu.Lock()
	defer s.turn.mu.Unlock()
	if p := s.turn.candidate; p != nil {
		return p.event
	}
	return s.turn.event
}

// Events are those that wait, oldest first.
func (s *Session) Events() []Event {
	c := s.conversation
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make([]Event, 0, len(c.pending))
	for _, p := range c.pending {
		out = append(out, p.event)
	}
	for _, w := range c.inbox {
		if w.arrived != nil {
			out = append(out, w.arrived.event)
		}
	}
	return out
}

// Message is the text of the event; "" in the greeting.
func (s *Session) Message() string { return s.Event().Text }

// Prediction is what the event was understood as in the state that it was taken
// in, if that asked for intents.
func (s *Session) Prediction() Prediction {
	s.turn.mu.Lock()
	defer s.turn.mu.Unlock()
	p := s.turn.prediction
	p.Parameters = slices.Clone(p.Parameters)
	return p
}

// AddUsage counts tokens of a model for the turn, which its end reports.
func (s *Session) AddUsage(prompt, completion int) {
	s.turn.count(&rag.Usage{Prompt: prompt, Completion: completion})
}

// Move moves the session to a state and runs its body, whose error it returns.
func (s *Session) Move(ctx context.Context, to *State) error {
	c, t := s.conversation, s.turn
	if err := s.ofBody("move the session"); err != nil {
		return err
	}
	if to == nil || to.agent != c.rt.cfg.Agent {
		return fault.New(fault.Internal, "move to a state of another agent")
	}
	if err := errors.Join(context.Cause(ctx), t.moved()); err != nil {
		return err
	}
	return c.move(ctx, t, &Transition{source: t.at.State, dest: to})
}

// ManageTransition takes a step within the body: it goes along the first
// transition that can be taken, or runs the fallback, and returns their error.
// What waits in the queue is looked at, so that a body can hear an answer to
// what it asked. moved reports whether there was a step to take.
func (s *Session) ManageTransition(ctx context.Context) (moved bool, err error) {
	c, t := s.conversation, s.turn
	if err := s.ofBody("take a step"); err != nil {
		return false, err
	}
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	d := c.decide(ctx, t)
	if d.idle() || d.stopped || ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	if d.event == nil {
		if err := t.moved(); err != nil {
			return false, err
		}
	}
	return c.perform(ctx, t, d)
}

// CallManageTransition asks for a step once the body is done, as does every
// event. After the turn it does nothing; see Runtime.Check.
func (s *Session) CallManageTransition() {
	s.turn.mu.Lock()
	defer s.turn.mu.Unlock()
	if !s.turn.over {
		s.conversation.checkLater()
	}
}

// Reset empties the session and greets again when the body has returned. All
// else that the turn does is forgotten.
func (s *Session) Reset(ctx context.Context) error {
	if err := s.ofBody("reset the session"); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	s.turn.mu.Lock()
	defer s.turn.mu.Unlock()
	switch {
	case s.turn.over:
		return errOver
	case s.turn.greeting:
		return fault.New(fault.Internal, "the greeting of a session cannot reset it")
	}
	s.turn.resetting = true
	return nil
}

// RAG answers questions; *rag.RAG is one.
type RAG interface {
	// Stream yields an answer in the making and, last, the whole of it.
	Stream(ctx context.Context, req rag.Request) iter.Seq2[rag.Part, error]
}

// RunRAG answers a question from the documents and returns the answer without
// saying it. Without Question it is the text of the event; without Turns they
// are what was said before it, as many as History asks. K, and where they are
// not set Model and Collections, are as the user wants them, see AskOptions; of
// Collections that are set only those are searched that the user names, if any of
// them is. Clients that stream see the answer in the making; if
// the turn is stopped meanwhile, or fails for it, what they saw of it is kept with
// its evidence.
func (s *Session) RunRAG(ctx context.Context, req rag.Request) (payload.RAGMessage, error) {
	message, err := s.runRAG(ctx, req)
	return message, withhold(err)
}

func (s *Session) runRAG(ctx context.Context, req rag.Request) (payload.RAGMessage, error) {
	c := s.conversation
	if c.rt.cfg.RAG == nil {
		return payload.RAGMessage{}, fault.New(fault.Unavailable, "this agent has no documents to answer from")
	}
	if req.Question == "" {
		req.Question = s.Message()
	}
	req = withOptions(req, s.askOptions(ctx))
	if req.History > 0 && req.Turns == nil {
		var err error
		if req.Turns, err = s.turns(ctx, req.History); err != nil {
			return payload.RAGMessage{}, fmt.Errorf("history: %w", err)
		}
	}
	var text strings.Builder
	var begun func(text string) rag.Answer
	for part, err := range c.rt.cfg.RAG.Stream(ctx, req) {
		switch {
		case err != nil:
		case part.Phase != "":
			begun = part.Begun
			err = s.Status(ctx, string(part.Phase))
		case part.Delta != "":
			if err = s.Stream(ctx, part.Delta); err == nil {
				text.WriteString(part.Delta)
			}
		case part.Answer != nil:
			s.turn.count(part.Answer.Usage)
			message := wire.Message(*part.Answer)
			s.begun(text.String(), message)
			return message, nil
		}
		if err != nil {
			if begun != nil && text.Len() > 0 {
				s.begun(text.String(), wire.Message(begun(text.String())))
			}
			return payload.RAGMessage{}, err
		}
	}
	return payload.RAGMessage{}, fault.New(fault.Internal, "the answer ended without a message")
}
