package client

import (
	"context"
	"slices"
	"strings"

	"docent/internal/fault"
	"docent/payload"
)

// Send says something: a text, or anything else that JSON can write. It returns
// when that is stored, and is sent again until then, however often the
// connection is lost: it is stored once. If ctx ends before, it may have been.
func (s *Session) Send(ctx context.Context, message any) (Receipt, error) {
	return s.SendAs(ctx, "", message)
}

// SendAs is Send with an id of the caller's, of 1 to 128 bytes, for programs
// that want to say something once although they are restarted.
func (s *Session) SendAs(ctx context.Context, id string, message any) (Receipt, error) {
	return s.do(ctx, &request{id: id, frame: payload.Frame{Action: payload.UserMessage}}, message)
}

// SendFile is Send for a file.
func (s *Session) SendFile(ctx context.Context, f payload.File) (Receipt, error) {
	return s.do(ctx, &request{frame: payload.Frame{Action: payload.UserFile}}, f)
}

// Edit says something else in the place of a turn's message: that turn and those
// after it are no part of the conversation any more.
func (s *Session) Edit(ctx context.Context, turn int64, message any) (Receipt, error) {
	content, err := payload.Marshal(message)
	if err != nil {
		return Receipt{}, fault.Wrap(fault.Invalid, err, "the message cannot be written as JSON")
	}
	return s.do(ctx, &request{frame: payload.Frame{Action: payload.EditAction}}, payload.Edit{Turn: turn, Message: content})
}

// Regenerate has a turn's message answered anew, as Edit with the same message.
func (s *Session) Regenerate(ctx context.Context, turn int64) (Receipt, error) {
	return s.do(ctx, &request{frame: payload.Frame{Action: payload.RegenerateAction}}, payload.Regenerate{Turn: turn})
}

// Stop ends a turn before its time, that which runs if turn is 0. It returns
// when the server has taken that; a TurnFinished says that it is done. Without a
// turn it fails as fault.Unavailable if the connection is lost: what runs when
// there is another may not be what was meant.
func (s *Session) Stop(ctx context.Context, turn int64) error {
	stop := payload.Stop{}
	if turn != 0 {
		stop.Turn = &turn
	}
	_, err := s.do(ctx, &request{frame: payload.Frame{Action: payload.StopAction}, answer: payload.AckAction, once: turn == 0}, stop)
	return err
}

// SetVariables stores variables of the session; it returns when the server has
// taken them, which are set in order with what was sent before. What it refuses
// is an error; that they are too many or too large is an [Error] of Events, as it
// shows when they are set.
func (s *Session) SetVariables(ctx context.Context, values map[string]any) error {
	_, err := s.do(ctx, &request{frame: payload.Frame{Action: payload.UserSetVariable}, answer: payload.AckAction}, values)
	return err
}

// Feedback tells what the user thinks of a turn; it returns when that is stored.
func (s *Session) Feedback(ctx context.Context, f payload.Feedback) error {
	_, err := s.do(ctx, &request{frame: payload.Frame{Action: payload.FeedbackAction}, answer: payload.FeedbackAction}, f)
	return err
}

// Reset empties the session, and the agent begins again.
func (s *Session) Reset(ctx context.Context) error {
	_, err := s.do(ctx, &request{frame: payload.Frame{Action: payload.Reset}, answer: payload.Reset}, nil)
	return err
}

// Answer is what came of a message.
type Answer struct {
	// Receipt is the message's.
	Receipt Receipt
	// Replies are the agent's, in order; never more than one turn's.
	Replies []*Reply
	// Outcome is how the turn ended; see TurnFinished.
	Outcome payload.Outcome
	// Usage counts the model's tokens; nil if unknown.
	Usage *payload.Usage
}

// Text is what the replies say, joined by blank lines.
func (a *Answer) Text() string {
	texts := make([]string, 0, len(a.Replies))
	for _, r := range a.Replies {
		texts = append(texts, r.Text())
	}
	return strings.Join(texts, "\n\n")
}

// RAG is the last reply that is an answer from documents, with its passages and
// citations; false if there is none.
func (a *Answer) RAG() (payload.RAGMessage, bool) {
	for _, r := range slices.Backward(a.Replies) {
		if m, ok := r.RAG(); ok {
			return m, true
		}
	}
	return payload.RAGMessage{}, false
}

// Ask is Send that waits until the turn is over. Of a turn that failed it
// returns the error that the server told, together with what was said before.
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
		return a, fault.New(fault.Canceled, "the session was reset before the turn was over")
	}
	return a, fault.New(fault.Kind(w.failure.Code), "%s", w.failure.Reason)
}

// watch gathers what a turn says; Session.mu guards it until done is closed.
type watch struct {
	receipt Receipt
	replies []*Reply
	seq     int64 // of the last entry in it
	failure *Error
	outcome payload.Outcome
	usage   *payload.Usage
	err     error // why nobody will know
	done    chan struct{}
}

func (w *watch) fail(err error) {
	w.err = err
	close(w.done)
}

// hear takes an entry if it is of the turn.
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
