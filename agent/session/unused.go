package session

import (
	"context"
	"time"

	"docent/internal/quota"
)

// A session without an event, such as a message, is not kept. Clients could otherwise fill the store
// by opening sessions, because only events count for quotas.
const (
	// unusedFor is the time after which Start removes sessions that another process left unused.
	// Their clients may come back until then.
	unusedFor = 24 * time.Hour
	// maxSwept bounds the sessions that Start removes.
	maxSwept = 10_000
	// unusedBytes is the size of a kept session without an event, for quotas.
	unusedBytes = 4 << 10
)

// discard ends a conversation that leaves memory without an event. It removes the session from the
// store. A session that waits for a time stays if the client may store its size.
func (c *conversation) discard(ctx context.Context) {
	if !c.unused {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	c.mu.Lock()
	timed, payer := !c.sched.wakeAt.IsZero(), c.payer
	c.mu.Unlock()
	kept := timed && c.rt.cfg.Quotas.Take(quota.WithClient(ctx, payer), quota.Bytes, unusedBytes) == nil
	if !kept {
		if err := c.rt.cfg.Unused.DeleteUnused(ctx, c.store.Session, c.store.Fence); err != nil {
			c.logError(ctx, "delete a session without messages", err)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if kept {
		c.sched.leaveLocked()
	}
	c.forgetLocked()
}

// awaitLeft waits until a session that nobody can join any more has left memory.
func (c *conversation) awaitLeft(ctx context.Context) error {
	select {
	case <-c.left:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// sweep removes sessions that other processes left unused. After a failure, the next start removes
// them.
func (r *Runtime) sweep(ctx context.Context) {
	if r.cfg.Unused == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	name := r.cfg.Agent.Name()
	if err := r.cfg.Unused.SweepUnused(ctx, name, r.cfg.Now().Add(-unusedFor), maxSwept); err != nil {
		r.cfg.Logger.WarnContext(ctx, "delete sessions without messages", "agent", name, "error", err)
	}
}
