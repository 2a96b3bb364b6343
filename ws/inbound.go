package ws

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"time"

	"docent/agent/peer"

	"docent/agent"
	"docent/agent/session"
	"docent/internal/fault"
	"docent/payload"
)

// handle does what a frame asks for. Nothing a client sends closes its
// connection, but more than the frame limit.
func (c *connection) handle(ctx context.Context, frame payload.Frame, refusal error) {
	if tooFast := c.rate.exceeded(); tooFast != nil {
		if c.v1 {
			refusal = tooFast
		} else {
			// A BAF client that floods is not read for a while: it would not
			// understand an error, and loses nothing, also if its connection ends
			// meanwhile.
			_ = c.rate.Wait(ctx)
		}
	}
	if refusal == nil {
		if !c.verify(ctx) {
			return
		}
		if refusal = c.act(ctx, frame); refusal == nil && c.v1 && frame.ID != "" && isUnanswered(frame.Action) {
			c.sendMessage(payload.AckAction, payload.Ack{ID: frame.ID}, frame.ID)
		}
	}
	if refusal != nil && ctx.Err() == nil {
		c.refused(ctx, refusal, frame)
	}
}

// isUnanswered reports whether only an ack tells that what an action asks for
// was taken. A message's comes from the session, with its seq.
func isUnanswered(a payload.Action) bool {
	switch a {
	case payload.UserSetVariable, payload.StopAction, payload.Reset, payload.UserUpdateUI, payload.UserGUIEvent:
		return true
	}
	return false
}

// refused tells the client that its frame had no effect.
func (c *connection) refused(ctx context.Context, err error, frame payload.Frame) {
	kind := fault.KindOf(err)
	if !c.v1 && owedWords(frame.Action, kind, err) {
		for _, d := range session.Failure(err, "") {
			d.Frame.Time = time.Now()
			if frame.Action == payload.ReplyStr { // or two agents might apologise to each other for ever
				d.Frame.Correlation, d.Frame.Hops = frame.Correlation, min(frame.Hops+1, payload.MaxHops)
			}
			c.Deliver(d)
		}
	}
	if kind == fault.Internal || kind == fault.Unavailable {
		c.server.cfg.Logger.ErrorContext(ctx, "frame failed", "session", c.session(), "action", frame.Action, agent.ErrorAttr(err))
	}
	c.refuse(err, frame.ID)
	if kind == fault.NotFound && !errors.Is(err, session.ErrNoTurn) && !errors.Is(err, session.ErrNoChoice) {
		c.close(CloseGone)
	}
}

// owedWords reports whether a BAF client is told of a refusal: what is well
// formed and failed, and what a person did, must not be met with silence.
func owedWords(a payload.Action, kind fault.Kind, err error) bool {
	if errors.Is(err, peer.ErrTooManyHops) {
		return false
	}
	return kind != fault.Invalid || isFile(a) ||
		errors.Is(err, session.ErrTooLong) || errors.Is(err, session.ErrContent) || errors.Is(err, agent.ErrReserved)
}

// act does what a frame asks for; what it does not know is fault.Invalid.
func (c *connection) act(ctx context.Context, frame payload.Frame) error {
	if err := c.checkSize(frame); err != nil {
		return err
	}
	c.afterVoice(ctx, frame)
	switch frame.Action {
	case payload.UserMessage:
		return c.hear(ctx, frame, true)
	case payload.ReplyStr: // another agent speaks
		return c.hear(ctx, frame, false)
	case payload.UserFile:
		return c.takeFile(ctx, frame)
	case payload.UserVoice:
		return c.takeVoice(ctx, frame)
	case payload.UserUpdateUI, payload.UserGUIEvent:
		if frame.Action == payload.UserGUIEvent && !c.v1 {
			c.gui.Store(true)
		}
		return c.sub.SendEvent(ctx, agent.EventUI, frame.Message, !c.v1)
	case payload.Reset:
		return c.sub.Reset(ctx)
	case payload.FetchUserMessages:
		return c.replay(ctx)
	case payload.UserSetVariable:
		return c.setVariables(ctx, frame)
	}
	if c.v1 {
		return c.actV1(ctx, frame)
	}
	return errUnknown(frame.Action)
}

// actV1 does what only docent.v1 asks for.
func (c *connection) actV1(ctx context.Context, frame payload.Frame) error {
	switch frame.Action {
	case payload.StopAction:
		return c.stop(ctx, frame)
	case payload.RegenerateAction:
		return c.regenerate(ctx, frame)
	case payload.EditAction:
		return c.edit(ctx, frame)
	case payload.FeedbackAction:
		return c.feedback(ctx, frame)
	case payload.HelloAction:
		return fault.New(fault.Conflict, "hello was said already")
	}
	return errUnknown(frame.Action)
}

func errUnknown(a payload.Action) error {
	return fault.New(fault.Invalid, "unknown action %.64q", a)
}

// checkSize refuses messages that are too long for what they are.
func (c *connection) checkSize(frame payload.Frame) error {
	n := len(frame.Message)
	switch {
	case isFile(frame.Action) && n > c.server.cfg.FileBytes:
		return c.fileTooLong()
	case isFile(frame.Action) || n <= c.server.cfg.MessageBytes:
		return nil
	case isSpoken(frame.Action) && bytes.HasPrefix(frame.Message, []byte{'"'}):
		return nil // the session knows how long a text may be
	}
	return c.tooLong()
}

// isSpoken reports whether an action's message is what somebody says.
func isSpoken(a payload.Action) bool { return a == payload.UserMessage || a == payload.ReplyStr }

// hear hands on what a user, or another agent, says. A request that an agent
// sends again, as it lost its connection, has the same correlation and is the
// same.
func (c *connection) hear(ctx context.Context, frame payload.Frame, human bool) error {
	if frame.Message == nil {
		return fault.New(fault.Invalid, "%s needs a message", frame.Action)
	}
	id := frame.ID
	if !human && id == "" { // what an agent sends again after a reconnect is stored once
		id = frame.Correlation
	}
	return c.sub.Send(ctx, session.Message{
		ID: id, Content: frame.Message, Wait: !c.v1, Human: human, Correlation: frame.Correlation, Hops: frame.Hops, Heard: frame.Action == payload.UserVoice,
		Options: c.v1,
	})
}

func (c *connection) takeFile(ctx context.Context, frame payload.Frame) error {
	file, err := payload.DecodeFile(frame.Message)
	if err != nil {
		return err
	}
	return c.sub.SendFile(ctx, session.File{ID: frame.ID, File: file, Wait: !c.v1})
}

func (c *connection) stop(ctx context.Context, frame payload.Frame) error {
	var s payload.Stop
	if frame.Message != nil {
		if err := payload.UnmarshalMessage(frame.Message, &s); err != nil {
			return fault.Wrap(fault.Invalid, err, "stop needs an object, with the turn as a number or without")
		}
	}
	if s.Turn == nil {
		return c.sub.Stop(ctx, 0)
	}
	if *s.Turn < 1 {
		return errTurn
	}
	return c.sub.Stop(ctx, *s.Turn)
}

func (c *connection) setVariables(ctx context.Context, frame payload.Frame) error {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(frame.Message, &values); err != nil || len(values) == 0 {
		return fault.Wrap(fault.Invalid, errors.Join(err, errNoVariables), "user_set_variable needs an object that is not empty")
	}
	return c.sub.SetVariables(ctx, values)
}

var errNoVariables = errors.New("no variables")
