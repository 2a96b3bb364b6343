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

// work is one thing that a session does between turns, in order with its events.
type work struct {
	arrived *pending                  // an event; all other fields are then zero
	greet   bool                      // run the body of the initial state
	do      func(ctx context.Context) // anything else
	slot    bool                      // it holds a slot until it is done
	turn    int64                     // the turn that do is about; 0 if none
}

// queue holds the events and other work that wait in a session. The conversation's mu
// guards it, except slots.
type queue struct {
	work    []work
	pending []*pending // events taken from work, oldest first, that no step has taken
	// slots bounds the events that no step has looked at. Each holds one slot until
	// its turn is done or the event is held.
	slots chan struct{}
}

// arrive moves the events at the front of work to pending. It reports whether there
// were any.
func (q *queue) arrive() bool {
	n := 0
	for n < len(q.work) && q.work[n].arrived != nil {
		q.pending = append(q.pending, q.work[n].arrived)
		q.work[n] = work{}
		n++
	}
	q.work = q.work[n:]
	return n > 0
}

// add appends work.
func (q *queue) add(w work) { q.work = append(q.work, w) }

// next removes the first work.
func (q *queue) next() work {
	w := q.work[0]
	q.work[0] = work{}
	q.work = q.work[1:]
	return w
}

// waiting returns all events that no step has taken, oldest first.
func (q *queue) waiting() []*pending {
	all := slices.Clone(q.pending)
	for _, w := range q.work {
		if w.arrived != nil {
			all = append(all, w.arrived)
		}
	}
	return all
}

// find returns the waiting event that began a turn; nil if there is none.
func (q *queue) find(turn int64) *pending {
	all := q.waiting()
	if i := slices.IndexFunc(all, func(p *pending) bool { return p.Event.Turn == turn }); i >= 0 {
		return all[i]
	}
	return nil
}

// room reports whether the queue has room for content of that size.
func (q *queue) room(size int) bool {
	for _, p := range q.waiting() {
		if !p.Held() {
			size += p.size()
		}
	}
	return size <= MaxQueueBytes
}

// free gives back the slot of an event.
func (q *queue) free(p *pending) {
	if p.slot {
		p.slot = false
		<-q.slots
	}
}

// clear removes everything, gives back the slots, and returns the events.
func (q *queue) clear() []*pending {
	all := q.waiting()
	for _, p := range all {
		q.free(p)
	}
	for _, w := range q.work {
		if w.slot {
			<-q.slots
		}
	}
	q.work, q.pending = nil, nil
	return all
}

// arriveLocked takes the events from the front of the queue.
func (c *conversation) arriveLocked() {
	if c.queue.arrive() {
		c.sched.eventLocked()
	}
}

// waiting takes the events that have arrived and returns all that are pending.
func (c *conversation) waiting() []*agent.Pending {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.arriveLocked()
	out := make([]*agent.Pending, len(c.queue.pending))
	for i, p := range c.queue.pending {
		out[i] = p.Pending
	}
	return out
}

// MaxTaken bounds the events that one turn takes, in bodies that listen by
// Session.ManageTransition; MaxQueueBytes bounds their content together. More
// stay in the queue.
const MaxTaken = 1000

// claimLocked takes a pending event for the turn. It reports false if a reset dropped
// the event or the turn has taken too many.
func (t *turn) claimLocked(event *agent.Pending) (*pending, bool) {
	q := &t.c.queue
	i := slices.IndexFunc(q.pending, func(p *pending) bool { return p.Pending == event })
	if i < 0 {
		return nil, false
	}
	p := q.pending[i]
	if len(t.turns) >= MaxTaken || len(t.turns) > 0 && t.taken+p.size() > MaxQueueBytes {
		return nil, false
	}
	q.pending = slices.Delete(q.pending, i, i+1)
	if len(t.turns) > 0 { // a body that listens for long would block new events otherwise
		q.free(p)
	}
	t.turns, t.taken = append(t.turns, p.Event.Turn), t.taken+p.size()
	return p, true
}

// holdLocked keeps events that no transition takes and reports each once.
func (c *conversation) holdLocked(ctx context.Context) {
	bytes := 0
	for _, p := range c.queue.pending {
		bytes += p.size()
		if !p.Held() {
			p.Hold()
			c.queue.free(p)
			if !p.old || p.Event.Human {
				c.rt.meters.turns[payload.Held].Inc()
				c.clients.deliverLocked(c.rt.streamed(p.Event.Turn, payload.TurnFinishedAction, payload.TurnFinished{Outcome: payload.Held}))
			}
		}
	}
	over := 0
	for len(c.queue.pending)-over > c.rt.cfg.HeldEvents || bytes > MaxQueueBytes {
		bytes -= c.queue.pending[over].size()
		over++
	}
	if over == 0 {
		return
	}
	dropped := slices.Clone(c.queue.pending[:over])
	c.queue.pending = slices.Delete(c.queue.pending, 0, over)
	c.queue.work = slices.Insert(c.queue.work, 0, work{do: func(ctx context.Context) { c.drop(ctx, dropped, errCrowded) }})
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
		t.present(ctx, written)
		if message {
			t.fail(why)
			continue
		}
		c.clients.deliver(t.failure(why, now)[0]) // in words nobody was told that it waits
		t.end(payload.TurnFinished{Outcome: payload.Failed})
	}
}

// standing is a record that changes nothing.
func (c *conversation) standing() journal.TurnRecord {
	return journal.TurnRecord{
		Session: c.store.Session, State: c.place.State, EnteredAt: c.place.Entered, WakeAt: c.sched.next(c.place),
	}
}

// waitsLocked reports whether a turn runs or is about to, and whether its event
// is held.
func (c *conversation) waitsLocked(turn int64) (waits, held bool) {
	if c.current != nil && slices.Contains(c.current.turns, turn) {
		return true, false
	}
	p := c.queue.find(turn)
	return p != nil, p != nil && p.Held()
}

// dropAllLocked empties the queue, and tells clients of the turns that will not
// be.
func (c *conversation) dropAllLocked() {
	c.greeting.overLocked() // what empties the session greets
	c.sched.check = false
	for _, p := range c.queue.clear() {
		if !p.Held() {
			c.clients.deliverLocked(c.rt.streamed(p.Event.Turn, payload.TurnFinishedAction, payload.TurnFinished{Outcome: payload.Failed}))
		}
	}
}
