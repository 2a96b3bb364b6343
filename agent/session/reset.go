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
	c.resetting, c.emptied = true, false
	c.signal()
}

// reset empties the session and greets. If the store does not answer, the session
// leaves memory as it was.
func (c *conversation) reset(ctx context.Context) {
	seq, err := c.empty(ctx)
	if err != nil {
		c.logError(ctx, "reset", err)
		if fault.KindOf(err) == fault.NotFound {
			c.lose(err, nil)
			return
		}
		for _, d := range Failure(err, "") {
			d.Frame.Time = c.rt.cfg.Now()
			c.deliver(d)
		}
		c.abandon(ctx, err)
		return
	}
	c.record.Variables, c.event = nil, nil
	c.place = agent.Place{State: c.rt.machine.Find(""), Entered: c.rt.cfg.Now()}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.emptied = true
	c.seq, c.resetSeq = seq, seq
	c.deliverLocked(c.rt.told(payload.SessionResetAction, payload.SessionReset{Seq: seq}))
}

// empty has the store empty the session. Repeating it is safe.
func (c *conversation) empty(ctx context.Context) (seq int64, err error) {
	err = c.retry(func() error {
		ctx, cancel := context.WithTimeout(ctx, c.rt.cfg.StoreTimeout)
		defer cancel()
		seq, err = c.rt.cfg.Store.ResetSession(ctx, c.record.RowID)
		c.commits++
		return err //nolint:wrapcheck // it names the session
	})
	return seq, err
}
