package session

import (
	"context"
	"slices"

	"docent/agent"
	"docent/agent/session/replica"
)

// Stop ends a turn early and keeps its messages. 0 means the running turn. A waiting turn does not
// run. Stop does nothing for a finished or unknown turn. It fails if the session has left memory.
func (s *Subscription) Stop(ctx context.Context, turn int64) error {
	if s.remote != nil {
		return s.remote.Call(ctx, replica.OpStop, turn, nil) //nolint:wrapcheck // the error is complete
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	c := s.c
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.mail.gone; err != nil {
		return err
	}
	t := c.current
	if turn == 0 || t != nil && slices.Contains(t.turns, turn) {
		if t != nil && (turn != 0 || len(t.turns) > 0) {
			t.interrupt(agent.ErrStopped)
		}
		return nil
	}
	for _, p := range c.queue.waiting() {
		if p.Event.Turn == turn {
			c.stopLocked(p)
		}
	}
	c.mail.signal()
	return nil
}

// stopLocked ends a turn before it has begun.
func (c *conversation) stopLocked(p *queuedEvent) {
	p.Stop()
	c.sched.stepLocked()
	if t := c.current; t != nil && len(t.turns) == 0 { // its machine may be considering this event
		t.interrupt(agent.ErrStopped)
	}
}

// Reset stops the running turn, removes the contents of the session except its names, and greets
// again. It returns at once. Later messages go to the empty session. Reset fails with fault.Busy if
// an earlier reset does not end.
func (s *Subscription) Reset(ctx context.Context) error {
	if s.remote != nil {
		return s.remote.Call(ctx, replica.OpReset, nil, nil) //nolint:wrapcheck // the error is complete
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	c := s.c
	within, cancel := withIntakeWait(ctx)
	defer cancel()
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.mail.reset != noReset {
		c.mu.Unlock()
		err := c.mail.ask(within, nil, nothing)
		c.mu.Lock()
		if err != nil {
			return err
		}
	}
	switch {
	case c.mail.gone != nil:
		return c.mail.gone
	case c.rt.isClosing():
		return errClosing
	}
	if c.current != nil {
		c.current.interrupt(errReset)
	}
	c.resetSoonLocked()
	return nil
}

// stopTurnsLocked stops the running and waiting turns that a function selects.
func (c *conversation) stopTurnsLocked(selected func(turn int64) bool) {
	if t := c.current; t != nil && slices.ContainsFunc(t.turns, selected) {
		t.interrupt(agent.ErrStopped)
	}
	for _, p := range c.queue.waiting() {
		if selected(p.Event.Turn) {
			c.stopLocked(p)
		}
	}
}
