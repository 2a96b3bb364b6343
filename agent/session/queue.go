package session

import (
	"context"
	"slices"
	"time"

	"docent/agent"
	"docent/internal/fault"
	"docent/payload"
)

// pending is an event that waits for a step to take it.
type pending struct {
	*agent.Pending
	message agent.ChatMessage // stored with it; zero if it is none
	// history are the messages before it, as they were when it was stored and
	// conversation.commits was mark; -1 if they are not known.
	history []agent.ChatMessage
	mark    int64

	slot bool // it holds a slot of the mailbox
	old  bool // it was in the store before the session was loaded
}

func newPending(e agent.Event, m agent.ChatMessage) *pending {
	return &pending{Pending: &agent.Pending{Event: e, Message: m.Type != ""}, message: m, mark: -1}
}

// MaxQueueBytes bounds the content of the events of one session that wait in
// memory: with more that no step has looked at, others are refused with
// fault.Busy; with more that are held, the oldest fails.
const MaxQueueBytes = 64 << 20

// size is the content of an event, in bytes.
func (p *pending) size() int { return len(p.message.Content) + len(p.Event.Data) }

// roomLocked reports whether there is room for the content of another event.
func (c *conversation) roomLocked(size int) bool {
	for _, p := range c.waitingLocked() {
		if !p.Held() {
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
func (c *conversation) waiting() []*agent.Pending {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.arriveLocked()
	out := make([]*agent.Pending, len(c.pending))
	for i, p := range c.pending {
		out[i] = p.Pending
	}
	return out
}

// MaxTaken bounds the events that one turn takes, in bodies that listen by
// Session.ManageTransition; MaxQueueBytes bounds their content together. More
// stay in the queue.
const MaxTaken = 1000

// claim takes a pending event for the turn at hand; false if a reset dropped
// it, or the turn has taken too many.
func (c *conversation) claim(event *agent.Pending) (*pending, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.pending, func(p *pending) bool { return p.Pending == event })
	if i < 0 {
		return nil, false
	}
	p := c.pending[i]
	if len(c.turns) >= MaxTaken || len(c.turns) > 0 && c.taken+p.size() > MaxQueueBytes {
		return nil, false
	}
	c.pending = slices.Delete(c.pending, i, i+1)
	if len(c.turns) > 0 { // or a body that listens for long would hear no more
		c.free(p)
	}
	c.turns, c.taken = append(c.turns, p.Event.Turn), c.taken+p.size()
	return p, true
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
		if !p.Held() {
			p.Hold()
			c.free(p)
			if !p.old || p.Event.Human {
				c.rt.meters.turns[payload.Held].Inc()
				c.deliverLocked(c.streamed(p.Event.Turn, payload.TurnFinishedAction, payload.TurnFinished{Outcome: payload.Held}))
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
			"session", c.key.ID, "event", p.Event.ID, "name", p.Event.Name)
	}
}

// errCrowded is why a turn failed whose event waited for too long.
var errCrowded = fault.New(fault.Busy, "too much waits in this conversation, and this was the oldest of it; try again later")

// drop ends the turns of events that are held no longer. One of a message fails
// as any does; of others only the clients hear.
func (c *conversation) drop(ctx context.Context, dropped []*pending) {
	for _, p := range dropped {
		t := &turn{number: p.Event.Turn, began: p, handled: []*pending{p}, since: time.Now(), failed: errCrowded}
		record, now, message := c.standing(), c.rt.cfg.Now(), p.message.Type != ""
		record.Turn, record.Handled = p.Event.Turn, []int64{p.Event.ID}
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
		Session: c.record.RowID, State: c.place.State, EnteredAt: c.place.Entered, WakeAt: c.wakeAt(c.place),
	}
}

// waitsLocked reports whether a turn runs or is about to, and whether its event
// is held.
func (c *conversation) waitsLocked(turn int64) (waits, held bool) {
	if slices.Contains(c.turns, turn) {
		return true, false
	}
	for _, p := range c.pending {
		if p.Event.Turn == turn {
			return true, p.Held()
		}
	}
	return slices.ContainsFunc(c.inbox, func(w work) bool { return w.arrived != nil && w.arrived.Event.Turn == turn }), false
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
		if !p.Held() {
			c.deliverLocked(c.streamed(p.Event.Turn, payload.TurnFinishedAction, payload.TurnFinished{Outcome: payload.Failed}))
		}
	}
}
