package ws

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"docent/agent/chat"
	"docent/agent/session"
	"docent/payload"
	"docent/ws/dialect"
)

// talk is the Handler of BAF and docent.v1. Fields without a lock belong to the
// connection's reader.
type talk struct {
	c     *Connection
	v1    bool
	gui   atomic.Bool // the client is BAF's newer React client
	acted atomic.Bool // the client has sent more than a reset since the last one
	info  Info        // of docent.v1, until the welcome
	voice *listening  // the recording that is being transcribed; nil if none
}

func newV1(c *Connection) Handler { return &greeting{talk{c: c, v1: true}} }

func newBAF(c *Connection, gui bool) Handler {
	t := &talk{c: c}
	t.gui.Store(gui)
	return t
}

// Decode implements Handler.
func (t *talk) Decode(m dialect.Message) func(ctx context.Context) {
	var frame payload.Frame
	refusal := m.Refusal
	switch {
	case refusal != nil:
		frame.ID = m.ID
	case t.v1:
		frame, refusal = payload.DecodeV1(m.Data)
	default:
		frame, refusal = payload.DecodeBAF(m.Data)
	}
	if refusal != nil && frame.ID == "" {
		frame.ID, refusal = dialect.Undecoded(m.Data, refusal)
	}
	return func(ctx context.Context) { t.handle(ctx, frame, refusal) }
}

// MayBeFile implements Handler. It returns true if the frame's action allows a
// file, or if begin does not contain the action yet.
func (t *talk) MayBeFile(begin []byte) bool {
	r := json.NewDecoder(bytes.NewReader(begin))
	if token, err := r.Token(); err != nil || token != json.Delim('{') {
		return false
	}
	for {
		key, err := r.Token()
		if err != nil {
			return isCutShort(err)
		}
		var value json.RawMessage
		if err := r.Decode(&value); err != nil {
			return isCutShort(err)
		}
		var action payload.Action
		if key == "action" {
			return json.Unmarshal(value, &action) == nil && kinds[action].size == fileSize
		}
	}
}

// isCutShort reports whether a text is the beginning of valid JSON.
func isCutShort(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// Opened implements session.Listener.
func (t *talk) Opened(o session.Opened) {
	if !t.v1 {
		return
	}
	cfg := &t.c.server.cfg
	t.sendMessage(payload.WelcomeAction, payload.Welcome{
		SessionID: o.SessionID, Agent: o.Agent, Seq: o.Seq, ResetSeq: o.ResetSeq, Resumed: o.Resumed,
		Limits: payload.Limits{MessageBytes: min(cfg.MessageBytes, chat.MaxTextBytes), FrameBytes: cfg.FrameBytes},
		Models: notNil(t.info.Models), Collections: notNil(t.info.Collections),
		Voice: payload.Voice{Listens: cfg.Transcriber != nil, Speaks: t.info.Speaks},
	}, "")
	t.info = Info{}
}

func notNil(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// Deliver implements session.Listener.
func (t *talk) Deliver(d session.Delivery) {
	if d.Audience != session.Everyone && (d.Audience == session.Streaming) != t.v1 {
		return
	}
	if !t.v1 && d.Text != nil {
		d.Frame.Action, d.Frame.Message = payload.ReplyStr, d.Text
	}
	t.send(d.Frame)
}

// Refuse implements Handler. BAF has no frame for errors.
func (t *talk) Refuse(err error, id string) (told bool) {
	if !t.v1 {
		return false
	}
	t.sendMessage(payload.ErrorAction, payload.NewError(err), id)
	return true
}

// End implements Handler.
func (t *talk) End() {
	if t.voice != nil {
		<-t.voice.done // it ended with the connection's context
	}
}

// send queues a frame. It never blocks.
func (t *talk) send(f payload.Frame) {
	if f.Action == payload.DeltaAction {
		t.c.sendDelta(f)
		return
	}
	t.c.add(t.encode(f))
}

// sendMessage queues a frame with a message of this package.
func (t *talk) sendMessage(action payload.Action, message any, id string) {
	content, err := payload.Marshal(message)
	if err != nil { // the structs of package payload always encode
		t.c.Logger().Error("encode", "action", action, "error", err)
		return
	}
	t.send(payload.Frame{Action: action, Message: content, Time: time.Now(), ID: id})
}

// sendPatiently queues a frame as soon as half of the outbox is free. It is for
// many messages that a client has requested. It returns false if the connection
// has ended.
func (t *talk) sendPatiently(ctx context.Context, f payload.Frame) bool {
	for {
		wait, open := t.c.out.addPatiently(func() item { return t.encode(f) })
		if wait == nil {
			t.c.meters.framesOut.Inc()
			return open
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return false
		}
	}
}

// encode returns the item of a frame. It uses the name that the client knows:
// BAF's newer React client has its own name for a user interface.
func (t *talk) encode(f payload.Frame) item {
	if f.Action == payload.ReplyUI && t.gui.Load() {
		f.Action = payload.ReplyGUI
	}
	pooled := buffers.Get().(*[]byte)
	i := item{kind: websocket.TextMessage, pooled: pooled}
	if t.v1 {
		i.data = f.AppendV1((*pooled)[:0])
	} else {
		i.data = f.AppendBAF((*pooled)[:0])
	}
	return i
}
