package session

import (
	"context"

	"docent/agent"
	"docent/internal/fault"
	"docent/payload"
)

// resetSoon resets the session next, as a body asked for.
func (c *conversation) resetSoon() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.resetSoonLocked()
}

func (c *conversation) resetSoonLocked() {
	c.dropAllLocked()
	c.links.Close(errReset)
	c.mail.resetting, c.mail.emptied = true, false
	c.mail.signal()
}

// reset empties the session and greets. If the store does not answer, the session
// leaves memory as it was.
func (c *conversation) reset(ctx context.Context) {
	seq, err := c.store.Empty(ctx)
	if err != nil {
		c.logError(ctx, "reset", err)
		if fault.KindOf(err) == fault.NotFound {
			c.lose(err, nil)
			return
		}
		for _, d := range Failure(err, "") {
			d.Frame.Time = c.rt.cfg.Now()
			c.clients.deliver(d)
		}
		c.abandon(ctx, err)
		return
	}
	c.record.Variables, c.event = nil, nil
	c.place = agent.Place{State: c.rt.machine.Find(""), Entered: c.rt.cfg.Now()}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mail.emptied = true
	c.clients.seq, c.clients.resetSeq = seq, seq
	c.clients.deliverLocked(c.rt.told(payload.SessionResetAction, payload.SessionReset{Seq: seq}))
}
