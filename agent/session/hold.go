package session

import (
	"context"
	"slices"
	"time"

	"docent/agent/session/journal"
	"docent/internal/fault"
	"docent/payload"
)

// holdLocked marks pending events as held, because no transition takes them. Clients hear of each
// once.
func (c *conversation) holdLocked(ctx context.Context) {
	for _, p := range c.queue.pendingEvents() {
		if !p.Held() {
			p.Hold()
			c.queue.free(p)
			if !p.old || p.Event.Human {
				c.rt.meters.turns[payload.Held].Inc()
				c.clients.deliverLocked(c.rt.turnFrame(p.Event.Turn, payload.TurnFinishedAction, payload.TurnFinished{Outcome: payload.Held}))
			}
		}
	}
	dropped := c.queue.overflow(c.rt.cfg.limits.Held)
	if len(dropped) == 0 {
		return
	}
	c.queue.addFirst(work{do: func(ctx context.Context) { c.drop(ctx, dropped, errCrowded) }})
	for _, p := range dropped {
		c.rt.cfg.Logger.WarnContext(ctx, "event dropped: too many wait for a state that takes them",
			"session", c.key.ID, "event", p.Event.ID, "name", p.Event.Name)
	}
}

// errCrowded ends the turn of the oldest held event.
var errCrowded = fault.New(fault.Busy,
	"session_message_dropped", "too many messages are waiting in this conversation, and docent dropped the oldest, which is this one; try again later")

// drop ends the turns of discarded events. The turn of a message fails like any other. For other
// events, only the clients receive the failure.
func (c *conversation) drop(ctx context.Context, dropped []*queuedEvent, why error) {
	for _, p := range dropped {
		t := &openTurn{c: c, number: p.Event.Turn, began: p, handled: []*queuedEvent{p}, since: time.Now(), failed: why}
		record, now, message := c.standing(), c.rt.cfg.Now(), p.message.Type != ""
		record.Turn, record.Handled = p.Event.Turn, []int64{p.Event.ID}
		if message {
			t.record.Resumed = true // the store may have steps of the turn
			t.record.Apologize(t.number, t.asked(), why, now)
		}
		written, err := c.commit(ctx, t, record)
		if err != nil {
			c.abandon(ctx, err)
			return
		}
		t.present(ctx, written)
		if message {
			t.fail(why)
			continue
		}
		c.clients.deliver(t.failure(why, now)[0]) // in words, because clients do not know that the event waited
		t.end(payload.TurnFinished{Outcome: payload.Failed})
	}
}

// standing returns a record that changes nothing.
func (c *conversation) standing() journal.TurnRecord {
	return journal.TurnRecord{
		Session: c.store.Session, State: c.place.State, EnteredAt: c.place.Entered, WakeAt: c.sched.next(c.place),
	}
}

// waitsLocked reports whether a turn runs or waits, and whether its event is held.
func (c *conversation) waitsLocked(turn int64) (waits, held bool) {
	if c.current != nil && slices.Contains(c.current.turns, turn) {
		return true, false
	}
	p := c.queue.find(turn)
	return p != nil, p != nil && p.Held()
}

// dropAllLocked empties the queue. It tells clients that the turns failed.
func (c *conversation) dropAllLocked() {
	c.greeting.end() // the reset greets again
	c.sched.check = false
	for _, p := range c.queue.clear() {
		if !p.Held() {
			c.clients.deliverLocked(c.rt.turnFrame(p.Event.Turn, payload.TurnFinishedAction, payload.TurnFinished{Outcome: payload.Failed}))
		}
	}
}
