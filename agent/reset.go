package agent

import (
	"context"
	"fmt"

	"docent/internal/fault"
	"docent/payload"
)

// Reset stops the turn that runs, removes what the session holds but its
// names, and greets again. It returns at once; what is sent after it is for the
// session as it is afterwards.
func (s *Subscription) Reset(ctx context.Context) error {
	c := s.c
	if err := c.lock(ctx); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone {
		<-c.intake
		return c.err
	}
	dropped := c.queue
	c.queue, c.failed = []work{{do: c.reset, intake: true}}, nil
	for _, w := range dropped {
		c.release(w)
		if w.turn != 0 {
			c.deliverLocked(c.streamed(w.turn, payload.TurnFinishedAction, payload.TurnFinished{Outcome: payload.Failed}))
		}
	}
	c.interrupt(errReset)
	c.startLocked(ctx)
	return nil
}

// reset empties the session and greets.
func (c *conversation) reset(ctx context.Context) {
	if err := c.empty(ctx); err != nil {
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
	ctx, cancel := context.WithTimeout(ctx, c.rt.cfg.StoreTimeout)
	defer cancel()
	if err := c.rt.cfg.Store.ResetSession(ctx, c.record.RowID); err != nil {
		if fault.KindOf(err) == fault.NotFound {
			c.lose(err, nil)
		}
		return fmt.Errorf("reset session %s: %w", c.key.ID, err)
	}
	c.record.Variables = nil
	c.state = c.rt.cfg.Agent.initial()
	return nil
}
