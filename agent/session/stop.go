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
	t := c.current
	if turn == 0 || t != nil && slices.Contains(t.turns, turn) {
		if t != nil && (turn != 0 || len(t.turns) > 0) {
			t.interrupt(agent.ErrStopped)
		}
		return nil
	}
	for _, p := range c.waitingLocked() {
		if p.Event.Turn == turn {
			c.stopLocked(p)
		}
	}
	c.signal()
	return nil
}

// stopLocked ends a turn before it has begun.
func (c *conversation) stopLocked(p *pending) {
	p.Stop()
	c.check, c.checkAgain = true, true
	if t := c.current; t != nil && len(t.turns) == 0 { // it may be the one that is decided about
		t.interrupt(agent.ErrStopped)
	}
}

// waitingLocked are the events that no step has taken.
func (c *conversation) waitingLocked() []*pending {
	all := slices.Clone(c.pending)
	for _, w := range c.queue {
		if w.arrived != nil {
			all = append(all, w.arrived)
		}
	}
	return all
}
