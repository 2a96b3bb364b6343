package ws

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"time"

	"docent/agent"
	"docent/internal/fault"
	"docent/payload"
)

// handle does what a frame asks for. Nothing a client sends closes its
// connection, but more than the frame limit.
func (c *connection) handle(ctx context.Context, frame payload.Frame, refusal error) {
	if !c.rate.Allow() {
		if c.v1 {
			refusal = fault.New(fault.RateLimited, "at most %g frames a second are taken", c.server.cfg.Rate)
		} else if c.rate.Wait(ctx) != nil {
			// A BAF client that floods is not read for a while: it would not
			// understand an error, and loses nothing.
			return
		}
	}
	if refusal == nil {
		refusal = c.act(ctx, frame)
	}
	if refusal != nil && ctx.Err() == nil {
		c.refused(ctx, refusal, frame)
	}
}

// refused tells the client that its frame had no effect.
func (c *connection) refused(ctx context.Context, err error, frame payload.Frame) {
	kind := fault.KindOf(err)
	// What is well formed and failed must not be met with silence.
	if !c.v1 && (kind != fault.Invalid || errors.Is(err, agent.ErrTooLong)) {
		for _, d := range agent.Failure(err, "") {
			d.Frame.Time = time.Now()
			c.Deliver(d)
		}
	}
	if kind == fault.Internal || kind == fault.Unavailable {
		c.server.cfg.Logger.ErrorContext(ctx, "frame failed", "session", c.session(), "action", frame.Action, agent.ErrorAttr(err))
	}
	c.refuse(err, frame.ID)
	if kind == fault.NotFound {
		c.close(CloseGone)
	}
}

func (c *connection) act(ctx context.Context, frame payload.Frame) error {
	// The session knows how long a text may be.
	isText := frame.Action == payload.UserMessage && bytes.HasPrefix(frame.Message, []byte{'"'})
	if len(frame.Message) > c.server.cfg.MessageBytes && !isText {
		return c.tooLong()
	}
	switch frame.Action {
	case payload.UserMessage:
		if frame.Message == nil {
			return fault.New(fault.Invalid, "user_message needs a message")
		}
		return c.sub.Send(ctx, agent.Message{ID: frame.ID, Content: frame.Message, Wait: !c.v1})
	case payload.Reset:
		return c.sub.Reset(ctx)
	case payload.FetchUserMessages:
		return c.replay(ctx)
	case payload.UserSetVariable:
		var values map[string]json.RawMessage
		if err := json.Unmarshal(frame.Message, &values); err != nil || len(values) == 0 {
			return fault.Wrap(fault.Invalid, errors.Join(err, errNoVariables), "user_set_variable needs an object that is not empty")
		}
		return c.sub.SetVariables(ctx, values)
	default:
		return fault.New(fault.Invalid, "unknown action %.64q", frame.Action)
	}
}

var errNoVariables = errors.New("no variables")

// replay sends what was said before the client joined, as fast as it reads.
func (c *connection) replay(ctx context.Context) error {
	messages, err := c.sub.History(ctx)
	if err != nil {
		return err
	}
	for _, m := range messages {
		frame, ok := agent.Replay(m)
		if ok && !c.sendPatiently(ctx, frame) {
			return nil
		}
	}
	return nil
}
