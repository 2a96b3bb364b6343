package session

import (
	"context"
	"fmt"
	"slices"

	"docent/agent"
	"docent/internal/fault"
	"docent/payload"
)

// Reset stops the turn that runs, removes what the session holds but its
// names, and greets again. It returns at once; what is sent after it is for the
// session as it is afterwards.
func (s *Subscription) Reset(ctx context.Context) error {
	c := s.c
	if err := c.lockSoon(ctx); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone {
		<-c.intake
		return c.err
	}
	c.dropAllLocked()
	c.inbox = []work{{do: c.reset, intake: true}}
	c.debts.list = nil // it ends with this
	c.interrupt(errReset)
	c.closePeersLocked(errReset)
	c.startLocked(ctx)
	return nil
}

// resetSoon resets the session next, as a body asked for.
func (c *conversation) resetSoon() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.check = false
	if slices.ContainsFunc(c.inbox, func(w work) bool { return w.intake }) {
		return // a client was first, and its reset has the lock
	}
	c.inbox = append([]work{{do: c.resetNow}}, c.inbox...)
}

// resetNow resets the session, unless a client did meanwhile.
func (c *conversation) resetNow(ctx context.Context) {
	if c.lock(ctx) != nil {
		return
	}
	defer func() { <-c.intake }()
	c.mu.Lock()
	c.dropAllLocked()
	c.closePeersLocked(errReset)
	c.mu.Unlock()
	c.reset(ctx)
}

// reset empties the session and greets.
func (c *conversation) reset(ctx context.Context) {
	if err := c.empty(ctx); err != nil {
		c.oweReset()
		c.logError(ctx, "reset", err)
		for _, d := range Failure(err, "") {
			d.Frame.Time = c.rt.cfg.Now()
			c.deliver(d)
		}
		return
	}
	c.greet(ctx)
}

func (c *conversation) empty(ctx context.Context) error {
	err := c.inOrder(ctx, func() error {
		ctx, cancel := context.WithTimeout(ctx, c.rt.cfg.StoreTimeout)
		defer cancel()
		seq, err := c.rt.cfg.Store.ResetSession(ctx, c.record.RowID)
		if err != nil {
			return err
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.debts.list = nil
		c.seq, c.resetSeq = seq, seq
		c.deliverLocked(c.told(payload.SessionResetAction, payload.SessionReset{Seq: seq}))
		return nil
	})
	if err != nil {
		if fault.KindOf(err) == fault.NotFound {
			c.lose(err, nil)
		}
		return fmt.Errorf("reset session %s: %w", c.key.ID, err)
	}
	c.record.Variables, c.event = nil, nil
	c.place = agent.Place{State: c.rt.machine.Find(""), Entered: c.rt.cfg.Now()}
	return nil
}
