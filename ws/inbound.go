package ws

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"docent/agent"
	"docent/agent/chat"
	"docent/agent/peer"
	"docent/agent/session"
	"docent/agent/session/journal"
	"docent/internal/errlog"
	"docent/internal/fault"
	"docent/payload"
)

// handle acts on a frame or refuses it. A refused frame does not close its
// connection.
func (t *talk) handle(ctx context.Context, frame payload.Frame, refusal error) {
	if tooFast := t.c.Allow(); tooFast != nil {
		if t.v1 {
			refusal = tooFast
		} else {
			// A BAF client would not understand an error. Its frames wait instead, and
			// are handled even if the connection ends in the meantime.
			_ = t.c.Wait(ctx)
		}
	}
	if refusal == nil {
		if !t.c.Verify(ctx) {
			return
		}
		if refusal = t.act(ctx, frame); refusal == nil && t.v1 && frame.ID != "" && isUnanswered(frame.Action) {
			t.sendMessage(payload.AckAction, payload.Ack{ID: frame.ID}, frame.ID)
		}
	}
	if refusal != nil && ctx.Err() == nil {
		t.refused(ctx, refusal, frame)
	}
}

// isUnanswered reports whether the only answer to an action is an ack. The
// session itself acknowledges messages, with their seq.
func isUnanswered(a payload.Action) bool {
	switch a {
	case payload.UserSetVariable, payload.StopAction, payload.Reset, payload.UserUpdateUI, payload.UserGUIEvent:
		return true
	}
	return false
}

// refused reports a refused frame to the client.
func (t *talk) refused(ctx context.Context, err error, frame payload.Frame) {
	kind := fault.KindOf(err)
	if !t.v1 && needsWords(frame.Action, kind, err) {
		for _, d := range session.Failure(err, "") {
			d.Frame.Time = time.Now()
			if frame.Action == payload.ReplyStr { // two agents must not apologize to each other forever
				d.Frame.Correlation, d.Frame.Hops = frame.Correlation, min(frame.Hops+1, payload.MaxHops)
			}
			t.Deliver(d)
		}
	}
	if kind == fault.Internal || kind == fault.Unavailable {
		t.c.Logger().ErrorContext(ctx, "frame failed", "session", t.c.SessionID(), "action", frame.Action, errlog.Attr(err))
	}
	t.c.Refuse(err, frame.ID)
	if kind == fault.NotFound && !errors.Is(err, journal.ErrNoTurn) && !errors.Is(err, session.ErrNoChoice) {
		t.c.Close(CloseGone)
	}
}

// needsWords reports whether a BAF client gets an apology for a refused frame. It
// gets one if the frame was well formed, or if a person would otherwise see no
// answer.
func needsWords(a payload.Action, kind fault.Kind, err error) bool {
	if errors.Is(err, peer.ErrTooManyHops) {
		return false
	}
	return kind != fault.Invalid || isFile(a) ||
		errors.Is(err, session.ErrTooLong) || errors.Is(err, session.ErrContent) || errors.Is(err, agent.ErrReserved)
}

// act acts on a frame. An unknown action is fault.Invalid.
func (t *talk) act(ctx context.Context, frame payload.Frame) error {
	if isFile(frame.Action) {
		if len(frame.Message) > t.c.server.cfg.FileBytes {
			return fileTooLong(&t.c.server.cfg)
		}
	} else if err := t.c.CheckSize(frame.Message, isSpoken(frame.Action)); err != nil {
		return err
	}
	if err := permitted(t.c.who, frame); err != nil {
		return err
	}
	t.afterVoice(ctx, frame)
	if frame.Action != payload.Reset && frame.Action != payload.FetchUserMessages {
		t.acted.Store(true)
	}
	switch frame.Action {
	case payload.UserMessage:
		return t.hear(ctx, frame, true)
	case payload.ReplyStr: // the sender is another agent
		return t.hear(ctx, frame, false)
	case payload.UserFile:
		return t.takeFile(ctx, frame)
	case payload.UserVoice:
		return t.takeVoice(ctx, frame)
	case payload.UserUpdateUI, payload.UserGUIEvent:
		return t.actUI(ctx, frame)
	case payload.Reset:
		return t.reset(ctx)
	case payload.FetchUserMessages:
		return t.replay(ctx)
	case payload.UserSetVariable:
		return t.setVariables(ctx, frame)
	}
	if t.v1 {
		return t.actV1(ctx, frame)
	}
	return errUnknown(frame.Action)
}

// actV1 acts on a frame whose action only docent.v1 has.
func (t *talk) actV1(ctx context.Context, frame payload.Frame) error {
	switch frame.Action {
	case payload.StopAction:
		return t.stop(ctx, frame)
	case payload.RegenerateAction:
		return t.regenerate(ctx, frame)
	case payload.EditAction:
		return t.edit(ctx, frame)
	case payload.FeedbackAction:
		return t.feedback(ctx, frame)
	case payload.HelloAction:
		return fault.New(fault.Conflict, "hello_twice", "hello was already sent")
	}
	return errUnknown(frame.Action)
}

func errUnknown(a payload.Action) error {
	return fault.New(fault.Invalid, "action_unknown", "unknown action %.64q", a)
}

// isSpoken reports whether an action's message is a text for the agent.
func isSpoken(a payload.Action) bool { return a == payload.UserMessage || a == payload.ReplyStr }

// hear passes the message of a user or of another agent to the session. An agent
// that lost its connection sends its request again with the same correlation. The
// session recognizes the repetition.
func (t *talk) hear(ctx context.Context, frame payload.Frame, human bool) error {
	if frame.Message == nil {
		return fault.New(fault.Invalid, "action_without_message", "%s needs a message", frame.Action)
	}
	id := frame.ID
	if !human && id == "" { // a repeated request is stored once
		id = frame.Correlation
	}
	return t.c.Session().Send(ctx, session.Message{
		ID: id, Content: frame.Message, Wait: !t.v1, Human: human, Correlation: frame.Correlation, Hops: frame.Hops,
		Heard: frame.Action == payload.UserVoice, Options: t.v1,
	})
}

func (t *talk) takeFile(ctx context.Context, frame payload.Frame) error {
	file, err := payload.DecodeFile(frame.Message)
	if err != nil {
		return err
	}
	return t.c.Session().SendFile(ctx, session.File{ID: frame.ID, File: file, Wait: !t.v1})
}

func (t *talk) stop(ctx context.Context, frame payload.Frame) error {
	var s payload.Stop
	if frame.Message != nil {
		if err := payload.UnmarshalMessage(frame.Message, &s); err != nil {
			return fault.Wrap(fault.Invalid, err, "stop_invalid", "stop must be an object; turn (a number) is optional")
		}
	}
	if s.Turn == nil {
		return t.c.Session().Stop(ctx, 0)
	}
	if *s.Turn < 1 {
		return errTurn
	}
	return t.c.Session().Stop(ctx, *s.Turn)
}

func (t *talk) setVariables(ctx context.Context, frame payload.Frame) error {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(frame.Message, &values); err != nil || len(values) == 0 {
		return fault.Wrap(fault.Invalid, errors.Join(err, errNoVariables),
			"variables_invalid", "user_set_variable needs an object that is not empty")
	}
	return t.c.Session().SetVariables(ctx, values)
}

var errNoVariables = errors.New("no variables")

// reset empties the session, which then greets. A BAF session that contains only
// its greeting stays as it is, so that nobody reads the greeting twice.
func (t *talk) reset(ctx context.Context) error {
	if !t.v1 && !t.acted.Load() {
		said, err := t.c.Session().Recent(ctx, session.MaxReplies+1)
		if err != nil {
			return err
		}
		if len(said) > 0 && !slices.ContainsFunc(said, func(m chat.Message) bool { return m.IsUser || m.Turn > 0 }) {
			return nil
		}
	}
	t.acted.Store(false)
	return t.c.Session().Reset(ctx)
}

// actUI passes on an action in a user interface. A changed field becomes a variable. It
// is no event of its own, because most agents only handle the whole form, and the others
// would wait in the queue.
func (t *talk) actUI(ctx context.Context, frame payload.Frame) error {
	if frame.Action == payload.UserGUIEvent {
		if !t.v1 {
			t.gui.Store(true)
		}
		if e := payload.ReadGUIEvent(frame.Message); e.Changes() {
			return t.c.Session().SetVariables(ctx, e.Inputs())
		}
	}
	return t.c.Session().SendEvent(ctx, chat.EventUI, frame.Message, !t.v1)
}
