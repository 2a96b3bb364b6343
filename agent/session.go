package agent

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime/debug"
	"slices"
	"strings"

	"docent/internal/errlog"
	"docent/internal/fault"
	"docent/payload"
	"docent/rag"
)

// Session gives a body access to the conversation during the turn. Its methods may be called concurrently. The body must
// wait for its goroutines. Call Move and ManageTransition, which run other bodies, only in the body's own goroutine.
// Conditions and processors get a session that cannot move or reset.
type Session struct {
	turn *Turn
	role role
}

// role is the kind of function that uses a session. Only bodies may call all
// methods.
type role string

const (
	aBody      role = ""
	aCondition role = "a condition"
	aProcessor role = "a processor of messages"
	aRewriter  role = "a processor of replies"
	aGuard     role = "a guard"
)

// as returns the session of the turn for another role.
func (s *Session) as(r role) *Session {
	return &Session{turn: s.turn, role: r}
}

// ofBody returns an error unless the session belongs to a body of a running turn.
func (s *Session) ofBody(what string) error {
	if s.role != aBody {
		return fault.New(fault.Internal, "session_role", "%s cannot %s", s.role, what)
	}
	s.turn.mu.Lock()
	defer s.turn.mu.Unlock()
	if s.turn.over {
		return ErrOver
	}
	return nil
}

type sessionKey struct{}

// withSession adds a session to the context of a body.
func withSession(ctx context.Context, s *Session) context.Context {
	return context.WithValue(ctx, sessionKey{}, s)
}

// SessionFrom returns the session of the body that received ctx. Tools and other functions that the body calls use it. It
// returns false outside of a body.
func SessionFrom(ctx context.Context) (*Session, bool) {
	s, ok := ctx.Value(sessionKey{}).(*Session)
	return s, ok
}

// LogAttrs returns the session and the state of the body that received ctx, as attributes of a log record. It returns
// none outside of a body.
func LogAttrs(ctx context.Context) []any {
	s, ok := SessionFrom(ctx)
	if !ok {
		return nil
	}
	return []any{"session", s.ID(), "state", s.CurrentState()}
}

// ID returns the session's public id.
func (s *Session) ID() string { return s.turn.start.ID }

// Platform returns the user's platform under BAF's name.
func (s *Session) Platform() string { return s.turn.start.Platform }

// Username returns the name that the client sent in the handshake, or "".
func (s *Session) Username() string { return s.turn.start.Username }

// SessionName returns the session's display name, or "".
func (s *Session) SessionName() string { return s.turn.start.Name }

// CurrentState returns the name of the state whose body runs.
func (s *Session) CurrentState() string {
	s.turn.mu.Lock()
	defer s.turn.mu.Unlock()
	return s.turn.at.name
}

// Returning reports that the session came back from a global state.
func (s *Session) Returning() bool {
	s.turn.mu.Lock()
	defer s.turn.mu.Unlock()
	return s.turn.returning
}

// Begins reports that the body runs at the start of the session or after a reset.
func (s *Session) Begins() bool {
	s.turn.mu.Lock()
	defer s.turn.mu.Unlock()
	return s.turn.greeting
}

// Event returns the last event that a transition or a fallback consumed. In a condition or a processor it returns the
// event under consideration. In the greeting it is empty.
func (s *Session) Event() Event {
	s.turn.mu.Lock()
	defer s.turn.mu.Unlock()
	if p := s.turn.candidate; p != nil {
		return p.View()
	}
	return s.turn.event
}

// Events returns the waiting events, oldest first.
func (s *Session) Events() []Event {
	waiting := s.turn.backend.Waiting()
	out := make([]Event, 0, len(waiting))
	for _, p := range waiting {
		out = append(out, p.View())
	}
	return out
}

// Message returns the text of the event, or "" in the greeting.
func (s *Session) Message() string { return s.Event().Text }

// Prediction returns the prediction for the event in the state that consumed it. It returns false if that state did not
// classify the event.
func (s *Session) Prediction() Prediction {
	s.turn.mu.Lock()
	defer s.turn.mu.Unlock()
	p := s.turn.prediction
	p.Parameters = slices.Clone(p.Parameters)
	return p
}

// AddUsage adds a model's tokens to the usage of the turn. The end of the turn reports the sum.
func (s *Session) AddUsage(prompt, completion int) {
	t := s.turn
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.usage == nil {
		t.usage = &payload.Usage{}
	}
	t.usage.PromptTokens += prompt
	t.usage.CompletionTokens += completion
	if t.nesting.spend != nil {
		t.nesting.spend(prompt, completion)
	}
}

// Move moves the session to a state and runs its body, whose error it returns.
func (s *Session) Move(ctx context.Context, to *State) error {
	t := s.turn
	if err := s.ofBody("move the session"); err != nil {
		return err
	}
	if to == nil || to.agent != t.at.agent {
		return fault.New(fault.Internal, "state_of_another_agent", "move to a state of another agent")
	}
	if err := errors.Join(context.Cause(ctx), t.moved()); err != nil {
		return err
	}
	return t.move(ctx, &Transition{source: t.at.State, dest: t.machine.nodes[t.at.prefix+to.name].State})
}

// ManageTransition takes one step within the body. It takes the first possible transition, or runs the fallback, and
// returns the error. It reads the queue, so a body can receive the answer to its request. moved reports whether a step was
// taken.
func (s *Session) ManageTransition(ctx context.Context) (moved bool, err error) {
	t := s.turn
	if err := s.ofBody("take a step"); err != nil {
		return false, err
	}
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	d := t.decide(ctx)
	if d.idle() || d.stopped || ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	return t.perform(ctx, d)
}

// CallManageTransition requests another step after the body, as each event does. After the turn it does nothing; see
// session.Runtime.Check.
func (s *Session) CallManageTransition() {
	s.turn.mu.Lock()
	defer s.turn.mu.Unlock()
	s.turn.again = true
}

// Reset empties the session and greets again after the body returns. It discards all other changes of the turn.
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
		return ErrOver
	case s.turn.greeting:
		return fault.New(fault.Internal, "greeting_reset", "the greeting of a session cannot reset it")
	}
	s.turn.resetting = true
	return nil
}

// Log logs a failure with the session's id.
func (s *Session) Log(ctx context.Context, what string, err error, attrs ...any) {
	s.turn.log(ctx, what, err, attrs...)
}

// Go runs f in a goroutine that the runtime's Shutdown waits for. It reports
// false, and does not call f, if the runtime is shutting down.
func (s *Session) Go(ctx context.Context, f func(context.Context)) bool {
	return s.turn.env.Go(func() { f(context.WithoutCancel(ctx)) })
}

// RAG answers questions. *pipeline.Pipeline implements it.
type RAG interface {
	// Stream yields the parts of an answer. The last part is the whole answer.
	Stream(ctx context.Context, req rag.Request) iter.Seq2[rag.Part, error]
}

// Wishing is an optional ability of a RAG: it knows the wishes of users.
type Wishing interface {
	// Wishes returns the wishes of the user in the context.
	Wishes(ctx context.Context) rag.Wishes
}

// WishesOf returns the wishes of the user of a session for answers. RunRAG and package reason apply them.
func WishesOf(ctx context.Context, s *Session) rag.Wishes {
	if w, ok := s.turn.env.RAG.(Wishing); ok {
		return w.Wishes(ctx)
	}
	return rag.Wishes{}
}

// RunRAG answers a question from the documents and returns the answer without saying it. If Question is empty, it answers
// the text of the event. If Turns is nil, it uses the earlier messages, as many as History allows. With FilesFirst, it searches
// the documents of the session before the library.
//
// The user's options set K, and also Model and Collections if they are empty; see AskOptions. If both name collections,
// RunRAG searches the common ones, if there are any. Clients that stream see the growing answer, unless the
// request says WholeOnly. If the turn is stopped or fails meanwhile, the partial answer is kept with its evidence.
func (s *Session) RunRAG(ctx context.Context, req rag.Request) (payload.RAGMessage, error) {
	if s.turn.env.RAG == nil {
		return payload.RAGMessage{}, fault.New(fault.Unavailable, "agent_without_documents", "this agent has no documents to answer from")
	}
	answers := s.turn.env.RAG
	if req.FilesFirst {
		var err error
		if answers, err = DocumentsOf(s).first(ctx); err != nil {
			return payload.RAGMessage{}, err
		}
	}
	return runRAG(ctx, s, answers, req)
}

// runRAG is RunRAG with the given RAG.
func runRAG(ctx context.Context, s *Session, answers RAG, req rag.Request) (answer payload.RAGMessage, err error) {
	defer func() {
		if p := recover(); p != nil { // its value may repeat the words of users or documents
			err = errlog.Recovered(p, debug.Stack())
		}
		err = errlog.Withhold(err)
	}()
	if req.Question == "" {
		req.Question = s.Message()
	}
	if req.Context == "" {
		req.Context = ModelContext(s)
	}
	named := req.Model != ""
	req = withOptions(req, s.ChosenOptions(ctx))
	if req.History > 0 && req.Turns == nil {
		if req.Turns, req.Last, err = earlier(ctx, s, req.History); err != nil {
			return payload.RAGMessage{}, fmt.Errorf("history: %w", err)
		}
	}
	var text strings.Builder
	var begun func(text string) rag.Answer
	for part, err := range answers.Stream(ctx, req) {
		switch {
		case err != nil:
		case part.Phase != "":
			begun = part.Begun
			err = s.Status(ctx, string(part.Phase))
		case req.WholeOnly && part.Answer == nil: // nobody sees the growing answer
		case part.Thinking != "":
			if len(s.turn.part().guardsAgent) == 0 {
				err = s.show(ctx, payload.ThinkingAction, payload.Thinking{Text: part.Thinking})
			}
		case part.Restart:
			text.Reset()
			DropDraft(s)
		case part.Delta != "":
			if err = s.Stream(ctx, part.Delta); err == nil {
				text.WriteString(part.Delta)
			}
		case part.Answer != nil:
			if u := part.Answer.Usage; u != nil {
				s.AddUsage(u.Prompt, u.Completion)
			}
			message := AnswerMessage(*part.Answer)
			if !req.WholeOnly {
				KeepDraft(s, text.String(), message)
			}
			return message, nil
		}
		if named && errors.Is(err, rag.ErrUnknownModel) { // not a mistake of the user
			reason := fault.Message(err)
			err = fault.New(fault.Internal, "agent_mistake", "this agent has a mistake; its operator finds the reason in the log")
			s.Log(ctx, "the agent names an unknown model", err, "reason", reason)
		}
		if err != nil {
			if begun != nil && text.Len() > 0 {
				KeepDraft(s, text.String(), AnswerMessage(begun(text.String())))
			}
			return payload.RAGMessage{}, err
		}
	}
	return payload.RAGMessage{}, fault.New(fault.Internal, "answer_without_message", "the answer ended without a message")
}
