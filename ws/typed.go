package ws

import (
	"context"
	"slices"
	"time"

	"github.com/gorilla/websocket"

	"docent/agent"
	"docent/agent/session"
	"docent/internal/fault"
	"docent/payload"
)

// TypedPath is where the Agent WebSocket dialect is spoken.
const TypedPath = "/agent_websocket"

// thinking is the status of a query that is taken.
const thinking = "Thinking..."

// nextTyped reads a message and does what it asks for; an error tells that the
// connection is over.
func (c *connection) nextTyped(ctx context.Context) error {
	if err := c.alive(); err != nil {
		return err
	}
	var m payload.TypedRequest
	_, refusal, err := c.readWith(func(data []byte) (refusal error) {
		if m, refusal = payload.DecodeTyped(data); refusal != nil {
			_, refusal = unread(data, refusal)
		}
		return refusal
	})
	if err != nil {
		return err
	}
	c.active()
	c.handleTyped(ctx, m, refusal)
	return nil
}

// handleTyped does what a message asks for. A query that comes too fast is
// refused, so that commands behind it are read; all else is read later.
func (c *connection) handleTyped(ctx context.Context, m payload.TypedRequest, refusal error) {
	if tooFast := c.rate.exceeded(); tooFast != nil {
		if m.Type == payload.TypedQuery {
			refusal = tooFast
		} else if c.rate.Wait(ctx) != nil {
			return
		}
	}
	if refusal == nil {
		if !c.verify(ctx) {
			return
		}
		refusal = c.actTyped(ctx, m)
	}
	if refusal == nil || ctx.Err() != nil {
		return
	}
	kind := fault.KindOf(refusal)
	if kind == fault.Internal || kind == fault.Unavailable {
		c.server.cfg.Logger.ErrorContext(ctx, "message failed", "session", c.session(), "type", m.Type, agent.ErrorAttr(refusal))
	}
	c.refuse(refusal, "")
	if kind == fault.NotFound {
		c.close(CloseGone)
	}
}

func (c *connection) actTyped(ctx context.Context, m payload.TypedRequest) error {
	if err := c.checkSize(payload.Frame{Action: payload.UserMessage, Message: m.Content}); err != nil {
		return err
	}
	switch m.Type {
	case payload.TypedCommand:
		return c.command(ctx, m.Command())
	case payload.TypedHumanFeedback:
		return c.feedbackTyped(ctx, m)
	default: // nobody waits for room, or commands would wait behind
		return c.sub.Send(ctx, session.Message{Content: m.Content, Human: true})
	}
}

// feedbackData is the data of the notification that feedback is stored.
type feedbackData struct {
	Turn   int64 `json:"turn"`
	Rating *int  `json:"rating"`
}

// feedbackTyped stores what the user thinks of the last answer.
func (c *connection) feedbackTyped(ctx context.Context, m payload.TypedRequest) error {
	f, err := m.Feedback()
	if err != nil {
		return err
	}
	turn, err := c.sub.Feedback(ctx, session.Feedback{Rating: f.Rating, Comment: f.Comment})
	if err != nil {
		return err
	}
	stored := payload.NewTyped(payload.TypedNotification, "Your feedback is stored.", time.Now())
	stored.Kind, stored.Data = "feedback", feedbackData{turn, f.Rating}
	c.sendTyped(stored)
	return nil
}

// sendTyped queues a message. It never blocks; see send.
func (c *connection) sendTyped(m payload.Typed) {
	data, err := payload.Marshal(m)
	if err != nil { // our own structs always encode
		c.server.cfg.Logger.Error("encode", "type", m.Type, "error", err)
		return
	}
	c.out.mu.Lock()
	defer c.out.mu.Unlock()
	if !c.out.closing {
		c.queueLocked(item{kind: websocket.TextMessage, data: data})
	}
}

// welcomeTyped is the first message, with the id to come back with.
func (c *connection) welcomeTyped(o session.Opened) {
	c.server.list(c, o.SessionID)
	m := payload.NewTyped(payload.TypedNotification, "Connected to Agent WebSocket. Session ID: "+o.SessionID, time.Now())
	m.Kind, m.Data = "welcome", payload.TypedWelcome{SessionID: o.SessionID, Resumed: o.Resumed}
	c.sendTyped(m)
}

// failTyped tells of an error.
func (c *connection) failTyped(err error) {
	kind := fault.KindOf(err)
	m := payload.NewTyped(payload.TypedError, fault.Message(err), time.Now())
	m.Data = payload.TypedFault{Code: string(kind), Retryable: kind.Retryable()}
	c.sendTyped(m)
}

// deliverTyped sends what is said in the session: replies, steps as BAF's
// clients see them, errors as docent.v1's do, and that a query is taken.
func (c *connection) deliverTyped(d session.Delivery) {
	m, ok := typed(d)
	if ok {
		c.active()
		c.sendTyped(m)
	}
}

// beginIdling starts the time that the client has; the session is open.
func (c *connection) beginIdling() {
	c.out.mu.Lock()
	defer c.out.mu.Unlock()
	if !c.out.closing {
		c.idle = time.AfterFunc(c.server.cfg.SessionTimeout, c.timeOut)
	}
}

// active gives the client its whole time again.
func (c *connection) active() {
	c.out.mu.Lock()
	defer c.out.mu.Unlock()
	if c.idle != nil && !c.out.closing {
		c.idle.Reset(c.server.cfg.SessionTimeout)
	}
}

// timeOut ends an idle connection. One that is being answered is not idle.
func (c *connection) timeOut() {
	if c.sub.Progress().Running != 0 {
		c.active()
		return
	}
	m := payload.NewTyped(payload.TypedNotification, "Session closed due to inactivity", time.Now())
	m.Kind = "timeout"
	c.sendTyped(m)
	c.close(CloseIdle)
}

// list makes a connection known under its session.
func (s *Server) list(c *connection, session string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.typed[session] = append(s.typed[session], c)
}

// unlist is the reverse of list.
func (s *Server) unlist(c *connection) {
	session := c.session()
	s.mu.Lock()
	defer s.mu.Unlock()
	left := slices.DeleteFunc(s.typed[session], func(other *connection) bool { return other == c })
	if len(left) == 0 {
		delete(s.typed, session)
	} else {
		s.typed[session] = left
	}
}

// Notify sends a notification to the clients of TypedPath in a session, and
// returns how many there are. It fails with fault.NotFound if there is none in
// this process. Clients that do not read are closed, as always.
func (s *Server) Notify(session, message string) (int, error) {
	s.mu.Lock()
	conns := slices.Clone(s.typed[session])
	s.mu.Unlock()
	if len(conns) == 0 {
		return 0, fault.New(fault.NotFound, "no client of this session is connected at %s", TypedPath)
	}
	m := payload.NewTyped(payload.TypedNotification, message, time.Now())
	for _, c := range conns {
		c.sendTyped(m)
	}
	return len(conns), nil
}
