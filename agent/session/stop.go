package session

import (
	"context"
	"slices"

	"docent/agent"
)

// Stop ends a turn before its time; 0 is the one that runs. What it has said is
// kept. A turn that waits is not run. Of one that is over, or was never there,
// nothing happens.
func (s *Subscription) Stop(ctx context.Context, turn int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c := s.c
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone {
		return c.err
	}
	if turn == 0 || slices.Contains(c.turns, turn) {
		if c.acting && (turn != 0 || len(c.turns) > 0) {
			c.interrupt(agent.ErrStopped)
		}
		return nil
	}
	for _, p := range c.waitingLocked() {
		if p.Event.Turn != turn {
			continue
		}
		p.Stop()
		c.check = true
		if c.acting && len(c.turns) == 0 { // it may be the one that is decided about
			c.interrupt(agent.ErrStopped)
		}
	}
	c.startLocked(ctx)
	return nil
}

// waitingLocked are the events that no step has taken.
func (c *conversation) waitingLocked() []*pending {
	all := slices.Clone(c.pending)
	for _, w := range c.inbox {
		if w.arrived != nil {
			all = append(all, w.arrived)
		}
	}
	return all
}
