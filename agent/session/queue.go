package session

import (
	"context"
	"slices"
	"time"

	"docent/agent"
	"docent/agent/session/journal"
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

// arriveLocked takes the events from the front of the queue.
func (c *conversation) arriveLocked() {
	n := 0
	for n < len(c.queue) && c.queue[n].arrived != nil {
		c.pending = append(c.pending, c.queue[n].arrived)
		c.check, c.circled = true, false
		c.queue[n] = work{}
		n++
	}
	c.queue = c.queue[n:]
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

// claimLocked takes a pending event for a turn; false if a reset dropped it, or
// the turn has taken too many.
func (c *conversation) claimLocked(t *turn, event *agent.Pending) (*pending, bool) {
	i := slices.IndexFunc(c.pending, func(p *pending) bool { return p.Pending == event })
	if i < 0 {
		return nil, false
	}
	p := c.pending[i]
	if len(t.turns) >= MaxTaken || len(t.turns) > 0 && t.taken+p.size() > MaxQueueBytes {
		return nil, false
	}
	c.pending = slices.Delete(c.pending, i, i+1)
	if len(t.turns) > 0 { // or a body that listens for long would hear no more
		c.free(p)
	}
	t.turns, t.taken = append(t.turns, p.Event.Turn), t.taken+p.size()
	return p, true
}

// free gives back an event's slot.
func (c *conversation) free(p *pending) {
	if p.slot {
		p.slot = false
		<-c.slots
	}
}

// holdLocked keeps events that no transition takes and reports each once.
func (c *conversation) holdLocked(ctx context.Context) {
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
	c.queue = slices.Insert(c.queue, 0, work{do: func(ctx context.Context) { c.drop(ctx, dropped, errCrowded) }})
	for _, p := range dropped {
		c.rt.cfg.Logger.WarnContext(ctx, "event dropped: too many wait for a state that takes them",
			"session", c.key.ID, "event", p.Event.ID, "name", p.Event.Name)
	}
}

// errCrowded is why a turn failed whose event waited for too long.
var errCrowded = fault.New(fault.Busy,
	"session_message_dropped", "too many messages wait in this conversation, and this one was the oldest; try again later")

// drop ends the turns of events that are given up because of why. One of a
// message fails as any does; of others only the clients learn it.
func (c *conversation) drop(ctx context.Context, dropped []*pending, why error) {
	for _, p := range dropped {
		t := &turn{c: c, number: p.Event.Turn, began: p, handled: []*pending{p}, since: time.Now(), failed: why}
		record, now, message := c.standing(), c.rt.cfg.Now(), p.message.Type != ""
		record.Turn, record.Handled = p.Event.Turn, []int64{p.Event.ID}
		if message {
			t.record.resumed = true // steps of it may be stored
			t.record.apologize(t, why, now)
		}
		written, err := c.commit(ctx, t, record)
		if err != nil {
			c.abandon(ctx, err)
			return
		}
		c.present(ctx, t, written)
		if message {
			c.fail(t, why)
			continue
		}
		c.deliver(t.failure(why, now)[0]) // in words nobody was told that it waits
		c.end(t, payload.TurnFinished{Outcome: payload.Failed})
	}
}

// standing is a record that changes nothing.
func (c *conversation) standing() journal.TurnRecord {
	return journal.TurnRecord{
		Session: c.record.RowID, State: c.place.State, EnteredAt: c.place.Entered, WakeAt: c.nextLook(c.place),
	}
}

// waitsLocked reports whether a turn runs or is about to, and whether its event
// is held.
func (c *conversation) waitsLocked(turn int64) (waits, held bool) {
	if c.current != nil && slices.Contains(c.current.turns, turn) {
		return true, false
	}
	for _, p := range c.pending {
		if p.Event.Turn == turn {
			return true, p.Held()
		}
	}
	return slices.ContainsFunc(c.queue, func(w work) bool { return w.arrived != nil && w.arrived.Event.Turn == turn }), false
}

// dropAllLocked empties the queue, and tells clients of the turns that will not
// be.
func (c *conversation) dropAllLocked() {
	c.greetedLocked() // what empties the session greets
	dropped := c.pending
	for _, w := range c.queue {
		if w.arrived != nil {
			dropped = append(dropped, w.arrived)
		} else if w.slot {
			<-c.slots
		}
	}
	c.queue, c.pending, c.check = nil, nil, false
	for _, p := range dropped {
		c.free(p)
		if !p.Held() {
			c.deliverLocked(c.streamed(p.Event.Turn, payload.TurnFinishedAction, payload.TurnFinished{Outcome: payload.Failed}))
		}
	}
}
