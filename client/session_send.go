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

// Receipt confirms that a message is stored.
type Receipt struct {
	// ID is the id of the message, chosen by the caller or generated.
	ID string
	// Seq is the number of the stored message.
	Seq int64
	// Turn is the turn that it begins.
	Turn int64
	// Duplicate reports that the message was stored before, so no turn begins.
	Duplicate bool
}

// request is a frame that waits for its response. Session.mu guards it.
type request struct {
	id      string
	frame   payload.Frame
	answer  payload.Action // what answers it: "" an ack with its seq, AckAction one without, Reset or FeedbackAction what is theirs
	once    bool           // it depends on the current state and is dropped with the connection
	watch   *watch
	sent    *Conn // the last connection that sent it
	due     time.Time
	refused int  // how often the server asked to send it later
	left    bool // no caller waits for it
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

// content returns the content of the request.
func (r *request) content() (payload.Action, json.RawMessage) {
	switch r.frame.Action {
	case payload.EditAction:
		var edit payload.Edit
		_ = json.Unmarshal(r.frame.Message, &edit) // the client encoded it
		return payload.UserMessage, edit.Message
	case payload.RegenerateAction:
		return payload.UserMessage, nil
	}
	return r.frame.Action, r.frame.Message
}

// frameOverhead is more than the size of a frame besides its message, in bytes.
const frameOverhead = 4 << 10

// exceeds reports whether the encoded frame is larger than a limit.
func (r *request) exceeds(bytes int64) bool {
	return int64(len(r.frame.Message))+frameOverhead > bytes && int64(len(r.frame.AppendV1(nil))) > bytes
}

// says returns the length of the text in a user's message, in bytes. In an
// object, or a string that holds one, the text is its field message, if it has
// one.
func (r *request) says() int {
	action, content := r.content()
	if action != payload.UserMessage || content == nil {
		return 0
	}
	text := string(content)
	_ = json.Unmarshal(content, &text) // otherwise text stays as it is
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

// tooLarge drops the largest sent frame, for which the server closed the
// connection.
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
	largest.fail(fault.New(fault.Invalid, "client_too_large", "this is larger than the server accepts"))
}

// do sends a request and waits for its response.
func (s *Session) do(ctx context.Context, r *request, message any) (Receipt, error) {
	content, err := payload.Marshal(message)
	if err != nil {
		return Receipt{}, fault.Wrap(fault.Invalid, err, "client_message_not_json", "the message cannot be written as JSON")
	}
	if r.id == "" {
		r.id = uuid.NewString()
	}
	if len(r.id) > payload.MaxIDBytes {
		return Receipt{}, fault.New(fault.Invalid, "client_id_too_long", "an id may have at most %d bytes", payload.MaxIDBytes)
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
		return fault.New(fault.Invalid,
			"client_frame_limit", "this is too large; the server accepts at most %d bytes for the whole frame", s.limits.FrameBytes)
	case s.limits.MessageBytes > 0 && r.says() > s.limits.MessageBytes:
		return fault.New(fault.Invalid,
			"client_text_limit", "this text is too long; the server accepts at most %d bytes", s.limits.MessageBytes)
	case len(s.requests) >= s.cfg.Unacknowledged:
		return fault.New(fault.Busy, "client_unacknowledged", "%d messages are not acknowledged yet", len(s.requests))
	case s.request(r.id) != nil:
		return fault.New(fault.Conflict, "client_id_pending", "a message with this id is on its way")
	}
	s.requests = append(s.requests, r)
	return nil
}

// request returns the request with an id; nil without one. The caller holds mu,
// also for the functions below.
func (s *state) request(id string) *request {
	for _, r := range s.requests {
		if r.id == id {
			return r
		}
	}
	return nil
}

// answered completes the request with the id. Without an id, it completes the
// oldest request of the kind. It returns false if there is none.
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

// refused processes an error of a request. It returns false if no request fits.
// Messages are sent again until they are stored, other requests only if they
// came too fast.
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
	r.fail(e.fault(nil))
	return true
}

// The error of requests that depend on the current state.
var (
	errNotConnected = fault.New(fault.Unavailable, "client_offline", "there is no connection")
	errUnknown      = fault.New(fault.Unavailable,
		"client_outcome_unknown", "the connection was lost; the server may not have carried out the request")
)

// giveUp fails the requests that depend on the lost connection.
func (s *state) giveUp() {
	s.requests = slices.DeleteFunc(s.requests, func(r *request) bool {
		if r.once {
			r.fail(errUnknown)
		}
		return r.once
	})
}

// abandon removes requests that were not sent and for which no caller waits.
func (s *state) abandon() {
	s.requests = slices.DeleteFunc(s.requests, func(r *request) bool {
		return r.left && (r.sent == nil || r.sent != s.line.conn)
	})
}

// sendAll sends requests when they are due, until the session ends.
func (s *Session) sendAll(ctx context.Context) {
	for {
		frame, conn, wait := s.next()
		if conn != nil {
			_ = conn.write(ctx, func() []byte { return frame.AppendV1(nil) }) // the reader notices a broken connection
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

// longWait is the time for which the sender sleeps without a wake-up.
const longWait = time.Hour

// next returns a due request and its connection. Without one it returns the time
// to wait.
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
