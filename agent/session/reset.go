package session

import (
	"context"

	"docent/agent"
	"docent/internal/fault"
	"docent/payload"
)

// resetSoon makes a reset the next work of the owner.
func (c *conversation) resetSoon() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.resetSoonLocked()
}

func (c *conversation) resetSoonLocked() {
	c.dropAllLocked()
	c.links.Close(errReset)
	c.mail.beginResetLocked()
}

// reset empties the session. The owner then greets. If the store fails, the session leaves memory
// unchanged.
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
	c.place = agent.Place{State: c.rt.programs.machine().Find(""), Entered: c.rt.cfg.Now(), Zone: c.rt.programs.location()}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mail.reset = emptied
	c.clients.seq, c.clients.resetSeq, c.clients.hidden = seq, seq, nil
	c.clients.deliverLocked(c.rt.sessionFrame(payload.SessionResetAction, payload.SessionReset{Seq: seq}))
}
