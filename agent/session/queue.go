package session

import (
	"context"
	"slices"
	"time"

	"docent/agent/chat"
)

// MaxQueueBytes bounds the content of the events of one session that wait in memory. If events that
// no step has considered exceed it, new events fail with fault.Busy. If held events exceed it, the
// oldest one fails.
const MaxQueueBytes = 64 << 20

// queuedEvent is an event that waits for a step to take it.
type queuedEvent struct {
	*chat.Pending
	// message is the message that was stored with the event, or zero.
	message chat.Message
	// history are the earlier messages at the time of storing.
	history []chat.Message
	// mark is the session's count of writes at that time, or -1 if history is unknown.
	mark int64
	// slot reports that the event holds a slot of the queue.
	slot bool
	// old reports that the event was stored before the session was loaded.
	old bool
	// begun reports that the store has a part of its interrupted turn.
	begun bool
}

// newQueuedEvent returns an event whose history is unknown.
func newQueuedEvent(e chat.Event, m chat.Message) *queuedEvent {
	return &queuedEvent{Pending: &chat.Pending{Event: e, Message: m.Type != ""}, message: m, mark: -1}
}

// brief reports whether the event asks for a brief.
func (e *queuedEvent) brief() bool { return len(e.Event.Options.Brief) > 0 }

// size returns the bytes of the event's content.
func (e *queuedEvent) size() int { return len(e.message.Content) + len(e.Event.Data) }

// work is something that a session does between turns, in order with its events.
type work struct {
	arrived *queuedEvent              // an event; all other fields are then zero
	greet   bool                      // run the body of the initial state
	do      func(ctx context.Context) // any other work
	slot    bool                      // the work holds a slot until it is done
	turn    int64                     // the turn that do belongs to, or 0
}

// queue holds the events and other work of a session in one order. The conversation's mu
// guards it, except slots, which may be used at any time.
type queue struct {
	// slots bounds the events that no step has considered. An event holds one slot until its turn
	// is done or it is held.
	slots chan struct{}

	work    []work // oldest first
	pending int    // number of events at the beginning that steps may take
}

// arrive makes the events before the first other work pending. It returns false without such
// events.
func (q *queue) arrive() bool {
	before := q.pending
	for q.pending < len(q.work) && q.work[q.pending].arrived != nil {
		q.pending++
	}
	return q.pending > before
}

// add appends work.
func (q *queue) add(w work) { q.work = append(q.work, w) }

// addFirst inserts work after the pending events, before all other work.
func (q *queue) addFirst(w work) { q.work = slices.Insert(q.work, q.pending, w) }

// next removes the first work after the pending events. It returns false without such work.
func (q *queue) next() (w work, ok bool) {
	if q.pending == len(q.work) {
		return work{}, false
	}
	w = q.work[q.pending]
	q.work = slices.Delete(q.work, q.pending, q.pending+1)
	return w, true
}

// shrink releases unused memory.
func (q *queue) shrink() {
	if len(q.work) == 0 {
		q.work = nil
	}
}

// pendingEvents returns the events that steps may take, oldest first.
func (q *queue) pendingEvents() []*queuedEvent { return events(q.work[:q.pending]) }

// waiting returns all events that no step has taken, oldest first.
func (q *queue) waiting() []*queuedEvent { return events(q.work) }

// briefTurns is the number of usual turns that the turn of a brief may take.
const briefTurns = 6

// turnTimeout returns the timeout of the next turn, given that of a usual turn.
func (q *queue) turnTimeout(usual time.Duration) time.Duration {
	if slices.ContainsFunc(q.waiting(), (*queuedEvent).brief) {
		return briefTurns * usual
	}
	return usual
}

func events(work []work) []*queuedEvent {
	var out []*queuedEvent
	for _, w := range work {
		if w.arrived != nil {
			out = append(out, w.arrived)
		}
	}
	return out
}

// turns returns the turns of all waiting events and work.
func (q *queue) turns() []int64 {
	var out []int64
	for _, w := range q.work {
		switch {
		case w.arrived != nil:
			out = append(out, w.arrived.Event.Turn)
		case w.turn != 0:
			out = append(out, w.turn)
		}
	}
	return out
}

// find returns the waiting event that began a turn, or nil.
func (q *queue) find(turn int64) *queuedEvent {
	for _, e := range q.waiting() {
		if e.Event.Turn == turn {
			return e
		}
	}
	return nil
}

// take removes and returns the event of p if it is pending and accept returns true for it.
// Otherwise it returns nil.
func (q *queue) take(p *chat.Pending, accept func(*queuedEvent) bool) *queuedEvent {
	i := slices.IndexFunc(q.work[:q.pending], func(w work) bool { return w.arrived.Pending == p })
	if i < 0 || !accept(q.work[i].arrived) {
		return nil
	}
	e := q.work[i].arrived
	q.work = slices.Delete(q.work, i, i+1)
	q.pending--
	return e
}

// overflow removes and returns the oldest pending events if there are more than
// most, or more than MaxQueueBytes of them.
func (q *queue) overflow(most int) []*queuedEvent {
	pending := q.pendingEvents()
	bytes := 0
	for _, e := range pending {
		bytes += e.size()
	}
	over := 0
	for len(pending)-over > most || bytes > MaxQueueBytes {
		bytes -= pending[over].size()
		over++
	}
	q.work = slices.Delete(q.work, 0, over)
	q.pending -= over
	return pending[:over]
}

// room reports whether the queue has room for content of a size.
func (q *queue) room(size int) bool {
	for _, e := range q.waiting() {
		if !e.Held() {
			size += e.size()
		}
	}
	return size <= MaxQueueBytes
}

// free frees the slot of an event.
func (q *queue) free(e *queuedEvent) {
	if e.slot {
		e.slot = false
		<-q.slots
	}
}

// clear removes everything, frees the slots, and returns the events.
func (q *queue) clear() []*queuedEvent {
	all := q.waiting()
	for _, e := range all {
		q.free(e)
	}
	for _, w := range q.work {
		if w.slot {
			<-q.slots
		}
	}
	q.work, q.pending = nil, 0
	return all
}
