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

// kind is a kind of frame that clients may send.
type kind struct {
	// decode reads the message. It may return a task with an error, for its voice.
	decode func(t *talk, r request) (task, error)
	size   size
	v1     bool // only docent.v1 has it
	chat   bool // a client that may only chat may send it
	acked  bool // its only answer is an ack; the session itself acknowledges messages, with their seq
	passes bool // a session that has received only such frames counts as new
}

// size says which limit the message of a frame has.
type size int

// The limits.
const (
	shortSize  size = iota // the limit of messages
	spokenSize             // that of texts for the agent
	fileSize               // that of files
)

// kinds has all kinds of frames by their action.
var kinds = map[payload.Action]kind{
	payload.UserMessage:       {decode: decodeText, size: spokenSize, chat: true},
	payload.ReplyStr:          {decode: decodeText, size: spokenSize}, // the sender is another agent
	payload.UserFile:          {decode: decodeFile, size: fileSize},
	payload.UserVoice:         {decode: decodeVoice, size: fileSize, chat: true},
	payload.UserUpdateUI:      {decode: decodeUI, chat: true, acked: true},
	payload.UserGUIEvent:      {decode: decodeGUIEvent, chat: true, acked: true},
	payload.UserSetVariable:   {decode: decodeVariables, acked: true},
	payload.Reset:             {decode: decodeReset, chat: true, acked: true, passes: true},
	payload.FetchUserMessages: {decode: decodeFetch, chat: true, passes: true},
	payload.StopAction:        {decode: decodeStop, v1: true, chat: true, acked: true},
	payload.RegenerateAction:  {decode: decodeRegenerate, v1: true, chat: true},
	payload.EditAction:        {decode: decodeEdit, v1: true, chat: true},
	payload.ShowAction:        {decode: decodeShow, v1: true, chat: true},
	payload.FeedbackAction:    {decode: decodeFeedback, v1: true, chat: true},
	payload.HelloAction:       {decode: decodeHello, v1: true, chat: true},
}

// request is a received frame with its kind, which is zero for an unknown action.
type request struct {
	payload.Frame
	kind kind
}

// task is a decoded request.
type task struct {
	do    func(ctx context.Context) error
	voice order
}

// order says when a task runs if a recording of the client is being transcribed.
type order int

// The orders.
const (
	afterRecording     order = iota // after the recording
	insteadOfRecording              // it gives the recording up
	besideRecording                 // at once
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
	r := request{frame, kinds[frame.Action]}
	if refusal == nil {
		if !t.c.Verify(ctx) {
			return
		}
		if refusal = t.act(ctx, r); refusal == nil && t.v1 && r.ID != "" && r.kind.acked {
			t.sendMessage(payload.AckAction, payload.Ack{ID: r.ID}, r.ID)
		}
	}
	if refusal != nil && ctx.Err() == nil {
		t.refused(ctx, refusal, r)
	}
}

// refused reports a refused frame to the client.
func (t *talk) refused(ctx context.Context, err error, r request) {
	if !t.v1 && needsWords(r.kind, err) {
		for _, d := range session.Failure(err, "") {
			d.Frame.Time = time.Now()
			if r.Action == payload.ReplyStr { // two agents must not apologize to each other forever
				d.Frame.Correlation, d.Frame.Hops = r.Correlation, min(r.Hops+1, payload.MaxHops)
			}
			t.Deliver(d)
		}
	}
	of := fault.KindOf(err)
	if of == fault.Internal || of == fault.Unavailable {
		t.c.Logger().ErrorContext(ctx, "frame failed", "session", t.c.SessionID(), "action", r.Action, errlog.Attr(err))
	}
	t.c.Refuse(err, r.ID)
	if of == fault.NotFound && !errors.Is(err, journal.ErrNoTurn) && !errors.Is(err, session.ErrNoChoice) {
		t.c.Close(CloseGone)
	}
}

// needsWords reports whether a BAF client gets an apology for a refused frame. It
// gets one if the frame was well formed, or if a person would otherwise see no
// answer.
func needsWords(k kind, err error) bool {
	if errors.Is(err, peer.ErrTooManyHops) {
		return false
	}
	return fault.KindOf(err) != fault.Invalid || k.size == fileSize ||
		errors.Is(err, session.ErrTooLong) || errors.Is(err, session.ErrContent) || errors.Is(err, agent.ErrReserved)
}

// act checks and decodes a frame, and does its task in order with the client's recording. A task
// that cannot be decoded is refused in the same order.
func (t *talk) act(ctx context.Context, r request) error {
	if err := t.checkSize(r); err != nil {
		return err
	}
	if err := permitted(t.c.who, r); err != nil {
		return err
	}
	todo, err := t.decode(r)
	t.afterVoice(ctx, todo.voice)
	if !r.kind.passes {
		t.acted.Store(true)
	}
	if err != nil {
		return err
	}
	return todo.do(ctx)
}

func (t *talk) checkSize(r request) error {
	if r.kind.size != fileSize {
		return t.c.CheckSize(r.Message, r.kind.size == spokenSize)
	}
	if len(r.Message) > t.c.server.cfg.FileBytes {
		return fileTooLong(&t.c.server.cfg)
	}
	return nil
}

// decode returns the task of a frame. An unknown action is fault.Invalid.
func (t *talk) decode(r request) (task, error) {
	if r.kind.decode == nil || r.kind.v1 && !t.v1 {
		return task{}, fault.New(fault.Invalid, "action_unknown", "unknown action %.64q", r.Action)
	}
	return r.kind.decode(t, r)
}

func decodeHello(*talk, request) (task, error) {
	return task{}, fault.New(fault.Conflict, "hello_twice", "hello was already sent")
}

// decodeText reads the message of a user or of another agent. An agent that lost its
// connection sends its request again with the same correlation. The session recognizes
// the repetition.
func decodeText(t *talk, r request) (task, error) {
	if r.Message == nil {
		return task{}, fault.New(fault.Invalid, "action_without_message", "%s needs a message", r.Action)
	}
	return task{do: func(ctx context.Context) error { return t.hear(ctx, r.Frame) }}, nil
}

// hear passes a message to the session.
func (t *talk) hear(ctx context.Context, f payload.Frame) error {
	human := f.Action != payload.ReplyStr
	id := f.ID
	if !human && id == "" { // a repeated request is stored once
		id = f.Correlation
	}
	return t.c.Session().Send(ctx, session.Message{
		ID: id, Content: f.Message, Wait: !t.v1, Human: human, Correlation: f.Correlation, Hops: f.Hops,
		Heard: f.Action == payload.UserVoice, Options: t.v1,
	})
}

func decodeFile(t *talk, r request) (task, error) {
	content, err := payload.DecodeFile(r.Message)
	return task{do: func(ctx context.Context) error {
		return t.c.Session().SendFile(ctx, session.File{ID: r.ID, File: content, Wait: !t.v1})
	}}, err
}

// decodeStop reads a stop. Without a turn, it also gives up a recording.
func decodeStop(t *talk, r request) (task, error) {
	var s payload.Stop
	if r.Message != nil {
		if err := payload.UnmarshalMessage(r.Message, &s); err != nil {
			return task{voice: besideRecording},
				fault.Wrap(fault.Invalid, err, "stop_invalid", "stop must be an object; turn (a number) is optional")
		}
	}
	stop := func(turn int64) func(context.Context) error {
		return func(ctx context.Context) error { return t.c.Session().Stop(ctx, turn) }
	}
	switch {
	case s.Turn == nil:
		return task{do: stop(0), voice: insteadOfRecording}, nil
	case *s.Turn < 1:
		return task{voice: besideRecording}, errTurn
	}
	return task{do: stop(*s.Turn), voice: besideRecording}, nil
}

func decodeVariables(t *talk, r request) (task, error) {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(r.Message, &values); err != nil || len(values) == 0 {
		return task{}, fault.Wrap(fault.Invalid, errors.Join(err, errNoVariables),
			"variables_invalid", "user_set_variable needs an object that is not empty")
	}
	return task{do: t.set(values)}, nil
}

var errNoVariables = errors.New("no variables")

// set returns the task of setting variables.
func (t *talk) set(values map[string]json.RawMessage) func(context.Context) error {
	return func(ctx context.Context) error { return t.c.Session().SetVariables(ctx, values) }
}

func decodeFetch(t *talk, _ request) (task, error) { return task{do: t.replay}, nil }

func decodeReset(t *talk, _ request) (task, error) {
	return task{do: t.reset, voice: insteadOfRecording}, nil
}

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

// decodeUI reads an action in a user interface.
func decodeUI(t *talk, r request) (task, error) {
	return task{do: func(ctx context.Context) error {
		return t.c.Session().SendEvent(ctx, chat.EventUI, r.Message, !t.v1)
	}}, nil
}

// decodeGUIEvent reads an action in an interface of BAF's newer React client. A changed field becomes
// a variable. It is no event of its own, because most agents only handle the whole form, and the
// others would wait in the queue.
func decodeGUIEvent(t *talk, r request) (task, error) {
	todo, err := decodeUI(t, r)
	do := todo.do
	if e := payload.ReadGUIEvent(r.Message); e.Changes() {
		do = t.set(e.Inputs())
	}
	todo.do = func(ctx context.Context) error {
		if !t.v1 {
			t.gui.Store(true)
		}
		return do(ctx)
	}
	return todo, err
}
