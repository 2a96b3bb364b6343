// Package converse sends single messages to sessions, for protocols that respond
// to each request with one answer.
package converse

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"sync"

	"github.com/google/uuid"

	"docent/agent/session"
	"docent/auth"
	"docent/internal/fault"
	"docent/payload"
)

// Conversations sends messages to the sessions of a runtime. It is safe for
// concurrent use.
type Conversations struct {
	runtime Runtime
	closed  chan struct{}

	// Close ends all waits for answers. Call it after Runtime.Shutdown, which leaves
	// waiting messages in the store. It may be called more than once.
	Close func()
}

// Runtime runs the sessions: a session.Runtime, or session.Agents.
type Runtime interface {
	// Open joins a session.
	Open(ctx context.Context, req session.OpenRequest, listener session.Listener) (*session.Subscription, error)
}

// agentKey is the key of the agent in a context.
type agentKey struct{}

// WithAgent returns a context in which sessions are those of an agent. Without it, the stored session decides, or else
// the default agent of the runtime.
func WithAgent(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, agentKey{}, name)
}

// AgentOf returns the agent of WithAgent, or "".
func AgentOf(ctx context.Context) string {
	agent, _ := ctx.Value(agentKey{}).(string)
	return agent
}

// New returns the conversations of a runtime.
func New(runtime Runtime) *Conversations {
	c := &Conversations{runtime: runtime, closed: make(chan struct{})}
	c.Close = sync.OnceFunc(func() { close(c.closed) })
	return c
}

// Say sends a text with options, like Turn. The caller must call answer once, which waits
// for the end of the turn and returns its stored frames in order.
func (c *Conversations) Say(
	ctx context.Context, sessionID, text string, options payload.AskOptions,
) (answer func() ([]payload.Frame, error), err error) {
	content, err := message(text, options)
	if err != nil {
		return nil, err
	}
	frames, err := c.say(ctx, sessionID, session.Message{Content: content})
	if err != nil {
		return nil, err
	}
	return collected(frames), nil
}

// SendFile sends a file, like Turn. The caller must call answer once, which waits for the
// end of the turn and returns its stored frames in order. A session of another user fails
// with fault.NotFound.
func (c *Conversations) SendFile(
	ctx context.Context, sessionID string, file payload.File,
) (answer func() ([]payload.Frame, error), err error) {
	frames, err := c.turn(ctx, sessionID, func(ctx context.Context, s *session.Subscription) error {
		return s.SendFile(ctx, session.File{ID: uuid.NewString(), File: file}) //nolint:wrapcheck // the error is complete
	})
	if err != nil {
		return nil, err
	}
	return collected(frames), nil
}

// collected returns a function that waits for the last frame.
func collected(frames iter.Seq2[[]payload.Frame, error]) func() ([]payload.Frame, error) {
	return func() ([]payload.Frame, error) {
		var all []payload.Frame
		for stored, err := range frames {
			if err != nil {
				return all, err
			}
			all = append(all, stored...)
		}
		return all, nil
	}
}

// Turn sends a text with options of the principal in ctx to a session, which it creates if it
// does not exist. It returns when the text is stored. The caller must range over the
// frames once. They are the stored frames of the turn, as soon as they are stored, and
// payload.TurnFinished is the last one. The end of ctx ends the frames and not the turn.
//
// If answers is not 0, it is the sequence number of the options that the text answers.
// Turn fails with fault.Conflict if these are not the open question of the session. If
// the session belongs to another user, the text goes to a session of the principal,
// which has this name for the principal alone: many clients number their sessions. If
// the turn fails, its error is yielded last.
func (c *Conversations) Turn(
	ctx context.Context, sessionID, text string, options payload.AskOptions, answers int64,
) (iter.Seq2[[]payload.Frame, error], error) {
	content, err := message(text, options)
	if err != nil {
		return nil, err
	}
	return c.say(ctx, sessionID, session.Message{Content: content, Answers: answers})
}

// say sends a message of a user. See Turn for a session of another user.
func (c *Conversations) say(ctx context.Context, sessionID string, m session.Message) (iter.Seq2[[]payload.Frame, error], error) {
	m.ID, m.Human, m.Options = uuid.NewString(), true, true
	send := func(ctx context.Context, s *session.Subscription) error { return s.Send(ctx, m) } //nolint:wrapcheck // the error is complete
	frames, err := c.turn(ctx, sessionID, send)
	if !errors.Is(err, errForeign) {
		return frames, err
	}
	p, _ := auth.FromContext(ctx)
	return c.turn(ctx, uuid.NewSHA1(uuid.NameSpaceOID, []byte(p.ID+"\x00"+sessionID)).String(), send)
}

// Start sends a text like Turn, and does not wait for the turn.
func (c *Conversations) Start(ctx context.Context, sessionID, text string, options payload.AskOptions) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	frames, err := c.Turn(ctx, sessionID, text, options, 0)
	if err != nil {
		return err
	}
	cancel()
	for range frames { // nobody waits for them
		break
	}
	return nil
}

// Stop ends the running turn of a session of the principal in ctx, and keeps its answer so far. A session that
// is not there is created.
func (c *Conversations) Stop(ctx context.Context, sessionID string) error {
	subscription, err := c.runtime.Open(ctx, request(ctx, sessionID), &turn{more: make(chan struct{}, 1)})
	switch {
	case fault.KindOf(err) == fault.Forbidden:
		return errForeign
	case err != nil:
		return fmt.Errorf("open session %s: %w", sessionID, err)
	}
	defer subscription.Close()
	return subscription.Stop(ctx, 0) //nolint:wrapcheck // the error is complete
}

// errForeign is the error for a session of another user. The HTTP interface does not tell
// that it exists.
var errForeign = fault.New(fault.NotFound, "no_session", "there is no such session")

// turn opens a session and sends it a message or a file of a user.
func (c *Conversations) turn(
	ctx context.Context, sessionID string, send func(context.Context, *session.Subscription) error,
) (iter.Seq2[[]payload.Frame, error], error) {
	heard := &turn{more: make(chan struct{}, 1)}
	subscription, err := c.runtime.Open(ctx, request(ctx, sessionID), heard)
	switch {
	case fault.KindOf(err) == fault.Forbidden:
		return nil, errForeign
	case err != nil:
		return nil, fmt.Errorf("open session %s: %w", sessionID, err)
	}
	if err := send(ctx, subscription); err != nil {
		subscription.Close()
		return nil, err
	}
	return func(yield func([]payload.Frame, error) bool) {
		defer subscription.Close()
		for {
			frames, over, err := heard.take()
			if len(frames) > 0 && !yield(frames, nil) {
				return
			}
			if err != nil {
				yield(nil, err)
			}
			if over {
				return
			}
			select {
			case <-heard.more:
				continue
			case <-c.closed:
				err = fault.New(fault.Unavailable, "shutting_down", "docent is shutting down; try again in a moment")
			case <-ctx.Done():
				err = ctx.Err()
			}
			yield(nil, err)
			return
		}
	}, nil
}

// request opens a session as the principal of ctx.
func request(ctx context.Context, id string) session.OpenRequest {
	p, _ := auth.FromContext(ctx)
	req := session.OpenRequest{Agent: AgentOf(ctx), ID: id, Username: p.Name, Owner: p.ID, AnyOwner: p.OwnsAll(), Channel: "api"}
	if req.Validate() != nil {
		req.Username = "" // no session can have this name; Open refuses a wrong id
	}
	return req
}

// message returns the content of a message.
func message(text string, options payload.AskOptions) (json.RawMessage, error) {
	if options.IsZero() {
		return payload.Marshal(text)
	}
	return payload.Marshal(struct {
		Message string `json:"message"`
		payload.AskOptions
	}{text, options})
}

// turn collects the frames of the turn of one message. It is a session.Listener, so
// its calls come one at a time.
type turn struct {
	more   chan struct{} // signals that take has something to return
	number *int64        // nil until the message is stored

	mu     sync.Mutex // guards the fields below
	frames []payload.Frame
	err    error
	over   bool
}

// Opened implements session.Listener.
func (t *turn) Opened(session.Opened) {}

// Deliver implements session.Listener. The acknowledgment has the number of the turn
// and comes before its other frames.
func (t *turn) Deliver(d session.Delivery) {
	f := d.Frame
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.over || d.Audience == session.Plain || f.Turn == nil:
	case f.Action == payload.AckAction:
		t.number = f.Turn
	case t.number == nil || *f.Turn != *t.number:
	case f.Action == payload.ErrorAction:
		t.err = failure(f.Message)
	case f.Action == payload.TurnFinishedAction:
		t.endLocked(f)
	case f.Seq != 0:
		t.frames = append(t.frames, f)
		t.signal()
	}
}

// Gone implements session.Leaver.
func (t *turn) Gone(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.over {
		t.err, t.over = err, true
		t.signal()
	}
}

// endLocked ends the turn with its last frame. A turn that fails without an error was
// reset.
func (t *turn) endLocked(last payload.Frame) {
	var finished payload.TurnFinished
	err := json.Unmarshal(last.Message, &finished)
	switch {
	case t.err != nil:
	case err != nil:
		t.err = fmt.Errorf("end of a turn: %w", err)
	case finished.Outcome == payload.Held:
		t.err = fault.New(fault.Conflict, "message_held", "the agent stored the message, but it does not take messages in its current state")
	case finished.Outcome == payload.Failed:
		t.err = fault.New(fault.Canceled, "session_reset", "the conversation was reset")
	default:
		t.frames = append(t.frames, last)
	}
	t.over = true
	t.signal()
}

func (t *turn) signal() {
	select {
	case t.more <- struct{}{}:
	default: // take has not run since the last signal
	}
}

// take returns the frames that it has not returned before. over reports the end of
// the turn, and err is the error of the turn.
func (t *turn) take() (frames []payload.Frame, over bool, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	frames, t.frames = t.frames, nil
	if t.over {
		err = t.err
	}
	return frames, t.over, err
}

// failure returns the error of a frame.
func failure(message json.RawMessage) error {
	var e payload.Error
	if err := json.Unmarshal(message, &e); err != nil {
		return fmt.Errorf("error of a turn: %w", err)
	}
	return &fault.Fault{Kind: fault.Kind(e.Code), Text: e.Text}
}
