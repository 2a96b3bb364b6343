package ws

import (
	"context"
	"time"

	"docent/agent"
	"docent/internal/fault"
	"docent/payload"
)

// awaitHello reads until the client says hello.
func (c *connection) awaitHello(ctx context.Context) bool {
	deadline := time.Now().Add(c.server.cfg.HelloTimeout)
	for {
		if err := c.socket.SetReadDeadline(deadline); err != nil {
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
			return true
		case refusal == nil:
			refusal = fault.New(fault.Invalid, "say hello first")
		}
		if c.rate.Wait(ctx) != nil {
			return false
		}
		c.refuse(refusal, frame.ID)
	}
}

// open joins the session.
func (c *connection) open(ctx context.Context) bool {
	if c.v1 {
		c.info = c.server.cfg.Info(ctx)
	}
	sub, err := c.server.cfg.Runtime.Open(ctx, c.request, c)
	if err == nil {
		c.sub, c.info, c.request = sub, Info{}, agent.OpenRequest{}
		if c.typed {
			c.beginIdling()
		}
		return c.alive() == nil
	}
	if ctx.Err() != nil {
		return false
	}
	c.server.cfg.Logger.ErrorContext(ctx, "open session", "session", c.request.ID, agent.ErrorAttr(err))
	c.refuse(err, "")
	if fault.KindOf(err).Retryable() {
		c.close(CloseUnavailable)
	} else {
		c.close(CloseInternal)
	}
	return false
}

// Opened implements agent.Listener.
func (c *connection) Opened(o agent.Opened) {
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
		SessionID: o.SessionID, Seq: o.Seq, Resumed: o.Resumed,
		Limits: payload.Limits{MessageBytes: min(c.server.cfg.MessageBytes, agent.MaxTextBytes)},
		Models: notNil(c.info.Models), Collections: notNil(c.info.Collections),
	}, "")
}

func notNil(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// Deliver implements agent.Listener.
func (c *connection) Deliver(d agent.Delivery) {
	if c.typed {
		c.deliverTyped(d)
		return
	}
	if d.Audience == agent.Everyone || (d.Audience == agent.Streaming) == c.v1 {
		if !c.v1 && d.Text != nil {
			d.Frame.Action, d.Frame.Message = payload.ReplyStr, d.Text
		}
		c.send(d.Frame)
	}
}

// Gone implements agent.Leaver.
func (c *connection) Gone() { c.close(CloseGone) }
