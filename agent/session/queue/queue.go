// Package queue holds the events and other work that wait in one session.
package queue

import (
	"context"
	"slices"

	"docent/agent/chat"
)

// MaxBytes bounds the content of the waiting events of one session in memory.
const MaxBytes = 64 << 20

// Event is an event that waits for a step to take it.
type Event struct {
	*chat.Pending
	// Message is the message that was stored with the event, or zero.
	Message chat.Message
	// History are the earlier messages at the time of storing.
	History []chat.Message
	// Mark is the session's count of writes at that time, or -1 if History is unknown.
	Mark int64
	// Slot reports that the event holds a slot of the queue.
	Slot bool
	// Old reports that the event was stored before the session was loaded.
	Old bool
}

// NewEvent returns an event whose history is unknown.
func NewEvent(e chat.Event, m chat.Message) *Event {
	return &Event{Pending: &chat.Pending{Event: e, Message: m.Type != ""}, Message: m, Mark: -1}
}

// Size returns the bytes of the event's content.
func (e *Event) Size() int { return len(e.Message.Content) + len(e.Event.Data) }

// Work is something that a session does between turns, in order with its events.
type Work struct {
	Arrived *Event                    // an event; all other fields are then zero
	Greet   bool                      // run the body of the initial state
	Do      func(ctx context.Context) // any other work
	Slot    bool                      // the work holds a slot until it is done
	Turn    int64                     // the turn that Do belongs to, or 0
}

// Queue holds the events and other work of a session in one order. Its methods must not run
// concurrently. Slots may be used at any time.
type Queue struct {
	// Slots bounds the events that no step has considered. An event holds one slot until its turn
	// is done or it is held.
	Slots chan struct{}

	work    []Work // oldest first
	pending int    // number of events at the beginning that steps may take
}

// Arrive makes the events before the first other work pending. It returns false without such
// events.
func (q *Queue) Arrive() bool {
	before := q.pending
	for q.pending < len(q.work) && q.work[q.pending].Arrived != nil {
		q.pending++
	}
	return q.pending > before
}

// Add appends work.
func (q *Queue) Add(w Work) { q.work = append(q.work, w) }

// AddFirst inserts work after the pending events, before all other work.
func (q *Queue) AddFirst(w Work) { q.work = slices.Insert(q.work, q.pending, w) }

// Next removes the first work after the pending events. It returns false without such work.
func (q *Queue) Next() (w Work, ok bool) {
	if q.pending == len(q.work) {
		return Work{}, false
	}
	w = q.work[q.pending]
	q.work = slices.Delete(q.work, q.pending, q.pending+1)
	return w, true
}

// Shrink releases unused memory.
func (q *Queue) Shrink() {
	if len(q.work) == 0 {
		q.work = nil
	}
}

// Pending returns the events that steps may take, oldest first.
func (q *Queue) Pending() []*Event { return events(q.work[:q.pending]) }

// Waiting returns all events that no step has taken, oldest first.
func (q *Queue) Waiting() []*Event { return events(q.work) }

func events(work []Work) []*Event {
	var out []*Event
	for _, w := range work {
		if w.Arrived != nil {
			out = append(out, w.Arrived)
		}
	}
	return out
}

// Turns returns the turns of all waiting events and work.
func (q *Queue) Turns() []int64 {
	var out []int64
	for _, w := range q.work {
		switch {
		case w.Arrived != nil:
			out = append(out, w.Arrived.Event.Turn)
		case w.Turn != 0:
			out = append(out, w.Turn)
		}
	}
	return out
}

// Find returns the waiting event that began a turn, or nil.
func (q *Queue) Find(turn int64) *Event {
	for _, e := range q.Waiting() {
		if e.Event.Turn == turn {
			return e
		}
	}
	return nil
}

// Take removes and returns the event of p if it is pending and accept returns true for it.
// Otherwise it returns nil.
func (q *Queue) Take(p *chat.Pending, accept func(*Event) bool) *Event {
	i := slices.IndexFunc(q.work[:q.pending], func(w Work) bool { return w.Arrived.Pending == p })
	if i < 0 || !accept(q.work[i].Arrived) {
		return nil
	}
	e := q.work[i].Arrived
	q.work = slices.Delete(q.work, i, i+1)
	q.pending--
	return e
}

// Overflow removes and returns the oldest pending events if there are more than
// most, or more than MaxBytes of them.
func (q *Queue) Overflow(most int) []*Event {
	pending := q.Pending()
	bytes := 0
	for _, e := range pending {
		bytes += e.Size()
	}
	over := 0
	for len(pending)-over > most || bytes > MaxBytes {
		bytes -= pending[over].Size()
		over++
	}
	q.work = slices.Delete(q.work, 0, over)
	q.pending -= over
	return pending[:over]
}

// Room reports whether the queue has room for content of a size.
func (q *Queue) Room(size int) bool {
	for _, e := range q.Waiting() {
		if !e.Held() {
			size += e.Size()
		}
	}
	return size <= MaxBytes
}

// Free frees the slot of an event.
func (q *Queue) Free(e *Event) {
	if e.Slot {
		e.Slot = false
		<-q.Slots
	}
}

// Clear removes everything, frees the slots, and returns the events.
func (q *Queue) Clear() []*Event {
	all := q.Waiting()
	for _, e := range all {
		q.Free(e)
	}
	for _, w := range q.work {
		if w.Slot {
			<-q.Slots
		}
	}
	q.work, q.pending = nil, 0
	return all
}
