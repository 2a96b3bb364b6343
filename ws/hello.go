package ws

import (
	"cmp"
	"context"
	"time"

	"docent/agent"
	"docent/agent/session"
	"docent/auth"
	"docent/internal/fault"
	"docent/payload"
)

// awaitHello reads until the client says hello and who it is.
func (c *connection) awaitHello(ctx context.Context) bool {
	if c.refusal != nil {
		c.openFailed(ctx, c.refusal, "")
		return false
	}
	c.helloBy = time.Now().Add(c.server.cfg.HelloTimeout)
	defer func() { c.helloBy = time.Time{} }()
	for {
		if err := c.socket.SetReadDeadline(c.helloBy); err != nil {
			return false
		}
		frame, refusal, err := c.readOne()
		switch {
		case timedOut(err):
			c.close(CloseNoHello)
			return false
		case err != nil:
			c.readFailed(err)
			return false
		case refusal == nil && frame.Action == payload.HelloAction:
			refusal = c.hello(ctx, frame)
		case refusal == nil:
			refusal = fault.New(fault.Invalid, "say hello first")
		}
		if refusal == nil {
			return true
		}
		if fault.KindOf(refusal) != fault.Invalid {
			c.openFailed(ctx, refusal, frame.ID)
			return false
		}
		if c.rate.Wait(ctx) != nil {
			return false
		}
		c.refuse(refusal, frame.ID)
	}
}

// hello takes what the client says of itself; fault.Invalid lets it say it
// again.
func (c *connection) hello(ctx context.Context, frame payload.Frame) error {
	var h payload.Hello
	if frame.Message != nil {
		if err := payload.UnmarshalMessage(frame.Message, &h); err != nil {
			return fault.Wrap(fault.Invalid, err, "hello needs an object, with last_seq as a whole number and token as text, or without")
		}
	}
	if h.LastSeq != nil && *h.LastSeq < 0 {
		return fault.New(fault.Invalid, "sequence numbers count from 1, and a last_seq of 0 asks for all")
	}
	if h.Token != "" && c.server.cfg.Authenticate != nil {
		p, err := c.server.cfg.Authenticate(auth.WithRemote(ctx, c.remote), h.Token)
		if err != nil {
			return err
		}
		if err := c.identified(&p); err != nil {
			return err
		}
	}
	c.request.After = h.LastSeq
	switch {
	case c.who == nil:
		return errNobody
	case !c.who.May(auth.Ask):
		return errNoScope
	}
	return nil
}

// open joins the session.
func (c *connection) open(ctx context.Context) bool {
	if c.v1 {
		c.info = c.server.cfg.Info(ctx)
	}
	req := c.request
	req.Owner, req.AnyOwner = c.who.ID, c.who.May(auth.Admin)
	if req.Username == "" {
		if req.Username = c.who.Name; req.Validate() != nil { // a name that no session can have
			req.Username = ""
		}
	}
	sub, err := c.server.cfg.Runtime.Open(ctx, req, c)
	if err != nil {
		c.openFailed(ctx, err, "")
		return false
	}
	c.sub, c.opening, c.validAt = sub, &opened, time.Now()
	if req.After != nil {
		if err := c.catchUp(ctx); err != nil {
			c.openFailed(ctx, err, "")
			return false
		}
	}
	if c.typed {
		c.beginIdling()
	}
	return c.alive() == nil
}

// openFailed ends a connection that does not get into its session.
func (c *connection) openFailed(ctx context.Context, err error, id string) {
	if ctx.Err() != nil {
		return
	}
	code := CloseInternal
	switch kind := fault.KindOf(err); {
	case kind == fault.Unauthorized:
		code = CloseUnauthorized
	case kind == fault.Forbidden:
		code = CloseForbidden
	case kind == fault.NotFound:
		code = CloseGone
	case kind.Retryable():
		code = CloseUnavailable
	}
	log, session := c.server.cfg.Logger, cmp.Or(c.session(), c.request.ID)
	if code == CloseUnauthorized || code == CloseForbidden || fault.KindOf(err) == fault.RateLimited {
		log.InfoContext(ctx, "client refused", "session", session, "kind", fault.KindOf(err))
	} else {
		log.ErrorContext(ctx, "open session", "session", session, agent.ErrorAttr(err))
	}
	c.refuse(err, id)
	c.close(code)
}

// Opened implements agent.Listener.
func (c *connection) Opened(o session.Opened) {
	c.out.mu.Lock()
	c.id = o.SessionID
	c.out.mu.Unlock()
	if c.typed {
		c.welcomeTyped(o)
	}
	if !c.v1 {
		return
	}
	c.sendMessage(payload.WelcomeAction, payload.Welcome{
		SessionID: o.SessionID, Seq: o.Seq, ResetSeq: o.ResetSeq, Resumed: o.Resumed,
		Limits: payload.Limits{MessageBytes: min(c.server.cfg.MessageBytes, agent.MaxTextBytes), FrameBytes: c.server.cfg.FrameBytes},
		Models: notNil(c.info.Models), Collections: notNil(c.info.Collections),
		Voice: payload.Voice{Listens: c.server.cfg.Transcriber != nil, Speaks: c.info.Speaks},
	}, "")
}

func notNil(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// Deliver implements agent.Listener.
func (c *connection) Deliver(d session.Delivery) {
	if c.typed {
		c.deliverTyped(d)
		return
	}
	if d.Audience == session.Everyone || (d.Audience == session.Streaming) == c.v1 {
		if !c.v1 && d.Text != nil {
			d.Frame.Action, d.Frame.Message = payload.ReplyStr, d.Text
		}
		c.send(c.shown(d.Frame))
	}
}

// shown is a reply as the client knows it: BAF's newer React client has another
// name for a user interface, which the others do not know.
func (c *connection) shown(f payload.Frame) payload.Frame {
	if f.Action == payload.ReplyUI && c.gui.Load() {
		f.Action = payload.ReplyGUI
	}
	return f
}

// Gone implements session.Leaver.
func (c *connection) Gone(err error) {
	if fault.KindOf(err) == fault.NotFound {
		c.close(CloseGone)
		return
	}
	c.close(CloseUnavailable)
}
