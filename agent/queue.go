package agent

import (
	"context"
	"slices"
	"time"

	"docent/internal/fault"
	"docent/payload"
)

// pending is an event that waits for a step to take it.
type pending struct {
	event   Event
	message ChatMessage // stored with it; zero if it is none
	// history are the messages before it, as they were when it was stored and
	// conversation.commits was mark; -1 if they are not known.
	history []ChatMessage
	mark    int64

	slot      bool // it holds a slot of the mailbox
	held      bool // steps have looked at it and nothing takes it
	stopped   bool // its turn is to end before it began
	processed bool // processors have seen its text
	old       bool // it was in the store before the session was loaded

	predictions map[string]Prediction // by state
}

// MaxQueueBytes bounds the content of the events of one session that wait in
// memory: with more that no step has looked at, others are refused with
// fault.Busy; with more that are held, the oldest fails.
const MaxQueueBytes = 64 << 20

// size is the content of an event, in bytes.
func (p *pending) size() int { return len(p.message.Content) + len(p.event.Data) }

// roomLocked reports whether there is room for the content of another event.
func (c *conversation) roomLocked(size int) bool {
	for _, p := range c.waitingLocked() {
		if !p.held {
			size += p.size()
		}
	}
	return size <= MaxQueueBytes
}

// arriveLocked takes the events from the front of the inbox.
func (c *conversation) arriveLocked() {
	n := 0
	for n < len(c.inbox) && c.inbox[n].arrived != nil {
		c.pending = append(c.pending, c.inbox[n].arrived)
		c.check, c.circled = true, false
		c.inbox[n] = work{}
		n++
	}
	c.inbox = c.inbox[n:]
}

// waiting takes the events that have arrived and returns all that are pending.
func (c *conversation) waiting() []*pending {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.arriveLocked()
	return slices.Clone(c.pending)
}

// MaxTaken bounds the events that one turn takes, in bodies that listen by
// Session.ManageTransition; MaxQueueBytes bounds their content together. More
// stay in the queue.
const MaxTaken = 1000

// claim takes a pending event for the turn at hand; false if a reset dropped
// it, or the turn has taken too many.
func (c *conversation) claim(p *pending) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.Index(c.pending, p)
	if i < 0 || len(c.turns) >= MaxTaken || len(c.turns) > 0 && c.taken+p.size() > MaxQueueBytes {
		return false
	}
	c.pending = slices.Delete(c.pending, i, i+1)
	if len(c.turns) > 0 { // or a body that listens for long would hear no more
		c.free(p)
	}
	c.turns, c.taken = append(c.turns, p.event.Turn), c.taken+p.size()
	return true
}

// free gives back an event's slot.
func (c *conversation) free(p *pending) {
	if p.slot {
		p.slot = false
		<-c.slots
	}
}

// hold keeps what steps have looked at and nothing takes; it is told once.
func (c *conversation) hold(ctx context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	bytes := 0
	for _, p := range c.pending {
		bytes += p.size()
		if !p.held {
			p.held = true
			c.free(p)
			if !p.old || p.event.Human {
				c.rt.meters.turns[payload.Held].Inc()
				c.deliverLocked(c.streamed(p.event.Turn, payload.TurnFinishedAction, payload.TurnFinished{Outcome: payload.Held}))
			}
		}
	}
	over := 0
	for len(c.pending)-over > c.rt.cfg.HeldEvents || bytes > MaxQueueBytes {
		bytes -= c.pending[over].size()
		over++
	}
	if over == 0 {
		return
	}
	dropped := slices.Clone(c.pending[:over])
	c.pending = slices.Delete(c.pending, 0, over)
	c.inbox = slices.Insert(c.inbox, 0, work{do: func(ctx context.Context) { c.drop(ctx, dropped) }})
	for _, p := range dropped {
		c.rt.cfg.Logger.WarnContext(ctx, "event dropped: too many wait for a state that takes them",
			"session", c.key.ID, "event", p.event.ID, "name", p.event.Name)
	}
}

// errCrowded is why a turn failed whose event waited for too long.
var errCrowded = fault.New(fault.Busy,
	"session_message_dropped", "too many messages wait in this conversation, and this one was the oldest; try again later")

// drop ends the turns of events that are held no longer. One of a message fails
// as any does; of others only the clients hear.
func (c *conversation) drop(ctx context.Context, dropped []*pending) {
	for _, p := range dropped {
		t := &turn{number: p.event.Turn, began: p, handled: []*pending{p}, since: time.Now(), failed: errCrowded}
		record, now, message := c.standing(), c.rt.cfg.Now(), p.message.Type != ""
		record.Turn, record.Handled = p.event.Turn, []int64{p.event.ID}
		if message {
			t.record.apologize(t, errCrowded, now)
		}
		err := c.commit(ctx, t, record, func(written Written) error {
			c.present(ctx, t, written)
			return nil
		})
		if err != nil {
			c.logError(ctx, "drop an event", err)
		}
		if message {
			c.fail(t, errCrowded)
			continue
		}
		c.deliver(t.failure(errCrowded, now)[0]) // in words nobody was told that it waits
		c.end(t, payload.TurnFinished{Outcome: payload.Failed})
	}
}

// standing is a record that changes nothing.
func (c *conversation) standing() TurnRecord {
	return TurnRecord{
		Session: c.record.RowID, State: c.at.name, EnteredAt: c.entered, WakeAt: c.wakeAt(c.at, c.entered),
	}
}

// waitsLocked reports whether a turn runs or is about to, and whether its event
// is held.
func (c *conversation) waitsLocked(turn int64) (waits, held bool) {
	if slices.Contains(c.turns, turn) {
		return true, false
	}
	for _, p := range c.pending {
		if p.event.Turn == turn {
			return true, p.held
		}
	}
	return slices.ContainsFunc(c.inbox, func(w work) bool { return w.arrived != nil && w.arrived.event.Turn == turn }), false
}

// dropAllLocked empties inbox and queue, and tells the turns that will not be.
func (c *conversation) dropAllLocked() {
	c.greetedLocked() // what empties the session greets
	dropped := c.pending
	for _, w := range c.inbox {
		if w.arrived != nil {
			dropped = append(dropped, w.arrived)
		} else {
			c.release(w)
		}
	}
	c.inbox, c.pending, c.failed, c.uncertain, c.check = nil, nil, nil, nil, false
	for _, p := range dropped {
		c.free(p)
		if !p.held {
			c.deliverLocked(c.streamed(p.event.Turn, payload.TurnFinishedAction, payload.TurnFinished{Outcome: payload.Failed}))
		}
	}
}
