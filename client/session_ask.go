package client

import (
	"context"
	"slices"
	"strings"

	"docent/internal/fault"
	"docent/payload"
)

// Send sends a message: a text, or anything that JSON can represent. It returns
// when the message is stored. Until then it sends the message again after each
// lost connection; the server stores it once. If ctx ends first, the message may
// have been stored.
func (s *Session) Send(ctx context.Context, message any) (Receipt, error) {
	return s.SendAs(ctx, "", message)
}

// SendAs is Send with an id of 1 to 128 bytes from the caller. A program that
// restarts can repeat a message with its id; the server stores it once.
func (s *Session) SendAs(ctx context.Context, id string, message any) (Receipt, error) {
	return s.do(ctx, &request{id: id, frame: payload.Frame{Action: payload.UserMessage}}, message)
}

// SendFile is Send for a file.
func (s *Session) SendFile(ctx context.Context, f payload.File) (Receipt, error) {
	return s.do(ctx, &request{frame: payload.Frame{Action: payload.UserFile}}, f)
}

// Edit replaces the message of a turn. That turn and all later turns no longer
// belong to the conversation.
func (s *Session) Edit(ctx context.Context, turn int64, message any) (Receipt, error) {
	content, err := payload.Marshal(message)
	if err != nil {
		return Receipt{}, fault.Wrap(fault.Invalid, err, "client_message_not_json", "the message cannot be written as JSON")
	}
	return s.do(ctx, &request{frame: payload.Frame{Action: payload.EditAction}}, payload.Edit{Turn: turn, Message: content})
}

// Regenerate asks for another answer to the message of a turn, like Edit with
// the same message.
func (s *Session) Regenerate(ctx context.Context, turn int64) (Receipt, error) {
	return s.do(ctx, &request{frame: payload.Frame{Action: payload.RegenerateAction}}, payload.Regenerate{Turn: turn})
}

// Show shows the newest branch of the conversation with a turn: a version of a
// question that Edit or Regenerate replaced, or that replaced another one. A
// TurnsShown follows.
func (s *Session) Show(ctx context.Context, turn int64) error {
	_, err := s.do(ctx, &request{frame: payload.Frame{Action: payload.ShowAction}, answer: payload.ShowAction}, payload.Show{Turn: turn})
	return err
}

// Stop ends a turn early; 0 means the running turn. It returns when the server
// has accepted it; a TurnFinished follows. With turn 0 it fails with
// fault.Unavailable if the connection is lost, because another turn may run
// after the reconnect.
func (s *Session) Stop(ctx context.Context, turn int64) error {
	stop := payload.Stop{}
	if turn != 0 {
		stop.Turn = &turn
	}
	_, err := s.do(ctx, &request{frame: payload.Frame{Action: payload.StopAction}, answer: payload.AckAction, once: turn == 0}, stop)
	return err
}

// SetVariables stores variables of the session, in order with earlier messages.
// It returns when the server has accepted them. A refusal is the returned error.
// Limits on their number and size are checked when they are set; exceeding them
// is an [Error] of Events.
func (s *Session) SetVariables(ctx context.Context, values map[string]any) error {
	_, err := s.do(ctx, &request{frame: payload.Frame{Action: payload.UserSetVariable}, answer: payload.AckAction}, values)
	return err
}

// Feedback stores the user's opinion of a turn. It returns when the feedback is
// stored.
func (s *Session) Feedback(ctx context.Context, f payload.Feedback) error {
	_, err := s.do(ctx, &request{frame: payload.Frame{Action: payload.FeedbackAction}, answer: payload.FeedbackAction}, f)
	return err
}

// Reset empties the session, and the agent begins again.
func (s *Session) Reset(ctx context.Context) error {
	_, err := s.do(ctx, &request{frame: payload.Frame{Action: payload.Reset}, answer: payload.Reset}, nil)
	return err
}

// Answer is the answer to a message.
type Answer struct {
	// Receipt confirms the message.
	Receipt Receipt
	// Replies are the replies of the turn, in order.
	Replies []*Reply
	// Outcome is the outcome of the turn; see TurnFinished.
	Outcome payload.Outcome
	// Usage counts the tokens of the model; nil if unknown.
	Usage *payload.Usage
}

// Text returns the texts of the replies, joined by blank lines.
func (a *Answer) Text() string {
	texts := make([]string, 0, len(a.Replies))
	for _, r := range a.Replies {
		texts = append(texts, r.Text())
	}
	return strings.Join(texts, "\n\n")
}

// RAG returns the last reply that is an answer from documents, with its passages
// and citations; false without one.
func (a *Answer) RAG() (payload.RAGMessage, bool) {
	for _, r := range slices.Backward(a.Replies) {
		if m, ok := r.RAG(); ok {
			return m, true
		}
	}
	return payload.RAGMessage{}, false
}

// Ask is Send, and waits until the turn has ended. For a failed turn it returns
// the server's error together with the replies before it.
func (s *Session) Ask(ctx context.Context, message any) (*Answer, error) {
	w := &watch{done: make(chan struct{})}
	r := &request{frame: payload.Frame{Action: payload.UserMessage}, watch: w}
	if _, err := s.do(ctx, r, message); err != nil {
		return nil, err
	}
	select {
	case <-w.done:
	case <-ctx.Done():
		s.mu.Lock()
		defer s.mu.Unlock()
		s.watches = slices.DeleteFunc(s.watches, func(other *watch) bool { return other == w })
		return nil, context.Cause(ctx)
	}
	if w.err != nil {
		return nil, w.err
	}
	a := &Answer{Receipt: w.receipt, Replies: w.replies, Outcome: w.outcome, Usage: w.usage}
	switch {
	case w.outcome != payload.Failed:
		return a, nil
	case w.failure == nil:
		return a, fault.New(fault.Canceled, "client_session_reset", "the session was reset before the turn was over")
	}
	return a, w.failure.fault(nil)
}

// watch collects the output of a turn. Session.mu guards it until done is
// closed.
type watch struct {
	receipt Receipt
	replies []*Reply
	seq     int64 // of the last entry in it
	failure *Error
	outcome payload.Outcome
	usage   *payload.Usage
	err     error // why the outcome stays unknown
	done    chan struct{}
}

func (w *watch) fail(err error) {
	w.err = err
	close(w.done)
}

// hear adds an entry of the turn.
func (w *watch) hear(e Event, entry *Entry) {
	if entry.Turn != w.receipt.Turn || entry.Seq <= max(w.seq, w.receipt.Seq) {
		return
	}
	w.seq = entry.Seq
	switch e := e.(type) {
	case *Reply:
		w.replies, w.failure = append(w.replies, e), nil
	case *Error:
		w.failure = e
	}
}

// unwatch ends a watch.
func (s *state) unwatch(w *watch, outcome payload.Outcome, usage *payload.Usage) {
	s.watches = slices.DeleteFunc(s.watches, func(other *watch) bool { return other == w })
	w.outcome, w.usage = outcome, usage
	close(w.done)
}
