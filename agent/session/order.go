package session

import (
	"context"

	"docent/agent"
	"docent/payload"
)

// fill delivers what is stored up to a seq and clients that stream do not know:
// what was in doubt, or what another process has stored. What cannot be read
// now comes before what is delivered next.
func (c *conversation) fill(ctx context.Context, seq int64) {
	c.mu.Lock()
	from := c.seq
	if !c.heardLocked() {
		c.seq = max(c.seq, seq)
	}
	known := c.seq >= seq
	c.mu.Unlock()
	if known {
		return
	}
	for e, err := range c.reader().After(context.WithoutCancel(ctx), from, seq) {
		if err != nil {
			c.logError(ctx, "read what clients missed", err)
			return
		}
		c.mu.Lock()
		if e.Seq() > c.seq {
			c.seq = e.Seq()
			c.deliverLocked(Delivery{Audience: Streaming, Frame: e.Frame()})
		}
		c.mu.Unlock()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seq = max(c.seq, seq) // what another process has removed is not there
}

// heardLocked reports whether any client hears what is said.
func (c *conversation) heardLocked() bool {
	for _, s := range c.listeners {
		if !s.muted {
			return true
		}
	}
	return false
}

// deliver hands a frame to every client.
func (c *conversation) deliver(d Delivery) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deliverLocked(d)
}

func (c *conversation) deliverLocked(d Delivery) {
	for _, s := range c.listeners {
		if !s.muted {
			s.listener.Deliver(d)
		}
	}
}

// streamed returns a frame of a turn that is not stored.
func (r *Runtime) streamed(turn int64, action payload.Action, message any) Delivery {
	d := r.told(action, message)
	d.Frame.Turn = &turn
	return d
}

// told returns a frame that is not stored and belongs to no turn.
func (r *Runtime) told(action payload.Action, message any) Delivery {
	content, err := payload.Marshal(message)
	if err != nil { // our own structs always encode
		r.cfg.Logger.Error("encode", "action", action, "error", err)
	}
	return Delivery{Audience: Streaming, Frame: payload.Frame{Action: action, Message: content, Time: r.cfg.Now()}}
}

// logError logs a failure in the session.
func (c *conversation) logError(ctx context.Context, what string, err error, attrs ...any) {
	agent.LogFailure(ctx, c.rt.cfg.Logger, c.key.ID, what, err, attrs...)
}
