package client

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/google/uuid"

	"docent/internal/fault"
	"docent/payload"
)

// Receipt says that a message is stored.
type Receipt struct {
	// ID is the message's: the client's, or one that was made for it.
	ID string
	// Seq is the number under which it is stored.
	Seq int64
	// Turn is the turn that it begins.
	Turn int64
	// Duplicate reports that it was there before, and begins nothing.
	Duplicate bool
}

// request is a frame that is on its way until it is answered; Session.mu guards
// it.
type request struct {
	id      string
	frame   payload.Frame
	answer  payload.Action // what answers it: "" an ack with its seq, AckAction one without, Reset or FeedbackAction what is theirs
	once    bool           // it is about what is now: it is given up with the connection
	watch   *watch
	sent    *Conn // the connection on which it was sent last
	due     time.Time
	refused int  // how often it was to be sent again later
	left    bool // nobody waits for it
	receipt Receipt
	err     error
	done    chan struct{}
}

func (r *request) fail(err error) {
	r.err = err
	close(r.done)
	if r.watch != nil {
		r.watch.fail(err)
	}
}

// content is what the request says.
func (r *request) content() (payload.Action, json.RawMessage) {
	switch r.frame.Action {
	case payload.EditAction:
		var edit payload.Edit
		_ = json.Unmarshal(r.frame.Message, &edit) // it was made here
		return payload.UserMessage, edit.Message
	case payload.RegenerateAction:
		return payload.UserMessage, nil
	}
	return r.frame.Action, r.frame.Message
}

// frameOverhead is more than a frame has beside its message, in bytes.
const frameOverhead = 4 << 10

// exceeds reports whether the frame is larger than that as it is sent.
func (r *request) exceeds(bytes int64) bool {
	return int64(len(r.frame.Message))+frameOverhead > bytes && int64(len(r.frame.AppendV1(nil))) > bytes
}

// says is how long the text of a user's message is, in bytes: that of an object, or
// of a string that holds one, is its message, if it has one.
func (r *request) says() int {
	action, content := r.content()
	if action != payload.UserMessage || content == nil {
		return 0
	}
	text := string(content)
	_ = json.Unmarshal(content, &text) // else it stays
	var object struct {
		Message any `json:"message"`
	}
	if json.Unmarshal([]byte(text), &object) == nil {
		if said, ok := object.Message.(string); ok {
			return len(said)
		}
	}
	return len(text)
}

// tooLarge gives up the frame because of which the server ended a connection:
// the largest of those on their way.
func (s *Session) tooLarge(conn *Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var largest *request
	for _, r := range s.requests {
		if r.sent == conn && (largest == nil || len(r.frame.Message) > len(largest.frame.Message)) {
			largest = r
		}
	}
	if largest == nil {
		return
	}
	s.requests = slices.DeleteFunc(s.requests, func(r *request) bool { return r == largest })
	largest.fail(fault.New(fault.Invalid, "this is larger than the server takes"))
}

// do sends a request and waits for its answer.
func (s *Session) do(ctx context.Context, r *request, message any) (Receipt, error) {
	content, err := payload.Marshal(message)
	if err != nil {
		return Receipt{}, fault.Wrap(fault.Invalid, err, "the message cannot be written as JSON")
	}
	if r.id == "" {
		r.id = uuid.NewString()
	}
	if len(r.id) > payload.MaxIDBytes {
		return Receipt{}, fault.New(fault.Invalid, "an id may have at most %d bytes", payload.MaxIDBytes)
	}
	r.frame.ID, r.frame.Message, r.done = r.id, content, make(chan struct{})
	if err := s.enlist(r); err != nil {
		return Receipt{}, err
	}
	signal(s.wake)
	select {
	case <-r.done:
		return r.receipt, r.err
	case <-ctx.Done():
		s.mu.Lock()
		defer s.mu.Unlock()
		if r.left = true; r.sent == nil {
			s.abandon()
		}
		return Receipt{}, context.Cause(ctx)
	}
}

func (s *Session) enlist(r *request) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.err != nil:
		return s.err
	case r.once && s.line.conn == nil:
		return errNotConnected
	case s.limits.FrameBytes > 0 && r.exceeds(s.limits.FrameBytes):
		return fault.New(fault.Invalid, "this is larger than the server takes, which is %d bytes with all that belongs to it", s.limits.FrameBytes)
	case s.limits.MessageBytes > 0 && r.says() > s.limits.MessageBytes:
		return fault.New(fault.Invalid, "this text is longer than the server takes, which is %d bytes", s.limits.MessageBytes)
	case len(s.requests) >= s.cfg.Unacknowledged:
		return fault.New(fault.Busy, "%d messages are not acknowledged yet", len(s.requests))
	case s.request(r.id) != nil:
		return fault.New(fault.Conflict, "a message with this id is on its way")
	}
	s.requests = append(s.requests, r)
	return nil
}

// request finds one by its id; nil if there is none. The caller holds mu, as of
// what follows.
func (s *state) request(id string) *request {
	for _, r := range s.requests {
		if r.id == id {
			return r
		}
	}
	return nil
}

// answered ends the request of that id, or of that kind if there is no id;
// false if there is none.
func (s *state) answered(id string, kind payload.Action, receipt Receipt) bool {
	i := slices.IndexFunc(s.requests, func(r *request) bool {
		return r.answer == kind && (r.id == id || id == "" && kind != "" && r.sent != nil)
	})
	if i < 0 {
		return false
	}
	r := s.requests[i]
	s.requests = slices.Delete(s.requests, i, i+1)
	r.receipt = receipt
	close(r.done)
	if r.watch != nil && !r.left {
		r.watch.receipt = receipt
		s.watches = append(s.watches, r.watch)
	}
	return true
}

// refused takes an error that is about a request; false if it is about none.
// Messages are sent again until they are stored, all else if it came too fast.
func (s *state) refused(id string, e *Error) bool {
	r := s.request(id)
	if r == nil || id == "" {
		return false
	}
	if e.Retryable && !r.once && (r.answer == "" || e.Code != string(fault.Unavailable)) {
		r.sent, r.due = nil, time.Now().Add(s.pause(r.refused))
		r.refused++
		signal(s.wake)
		return true
	}
	s.requests = slices.DeleteFunc(s.requests, func(other *request) bool { return other == r })
	r.fail(fault.New(fault.Kind(e.Code), "%s", e.Reason))
	return true
}

// Why what is about what is now is not done.
var (
	errNotConnected = fault.New(fault.Unavailable, "there is no connection")
	errUnknown      = fault.New(fault.Unavailable, "the connection was lost: what was asked for may not have been done")
)

// giveUp ends requests that are not for another connection than the one that is
// lost.
func (s *state) giveUp() {
	s.requests = slices.DeleteFunc(s.requests, func(r *request) bool {
		if r.once {
			r.fail(errUnknown)
		}
		return r.once
	})
}

// abandon forgets requests that nobody waits for and that are not on their way.
func (s *state) abandon() {
	s.requests = slices.DeleteFunc(s.requests, func(r *request) bool {
		return r.left && (r.sent == nil || r.sent != s.line.conn)
	})
}

// sendAll sends requests as they become due, until the session ends.
func (s *Session) sendAll(ctx context.Context) {
	for {
		frame, conn, wait := s.next()
		if conn != nil {
			_ = conn.write(ctx, func() []byte { return frame.AppendV1(nil) }) // the reader hears of a connection that broke
			continue
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-s.wake:
		case <-ctx.Done():
			timer.Stop()
			return
		}
		timer.Stop()
	}
}

// longWait is how long the sender sleeps if nothing wakes it.
const longWait = time.Hour

// next is a request that is due, and the connection for it; without one, how
// long there will be none.
func (s *Session) next() (payload.Frame, *Conn, time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	wait := longWait
	if !s.line.live || s.line.again {
		return payload.Frame{}, nil, wait
	}
	for _, r := range s.requests {
		if r.sent == s.line.conn || r.left {
			continue
		}
		if until := time.Until(r.due); until > 0 {
			wait = min(wait, until)
			continue
		}
		r.sent = s.line.conn
		return r.frame, s.line.conn, 0
	}
	return payload.Frame{}, nil, wait
}
