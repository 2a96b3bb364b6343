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
	// Message was stored with the event; zero without one.
	Message chat.Message
	// History are the messages before it, as they were when it was stored.
	History []chat.Message
	// Mark is the session's count of writes at that time; -1 if History is unknown.
	Mark int64
	// Slot tells that the event holds a slot of the queue.
	Slot bool
	// Old tells that the event was stored before the session was loaded.
	Old bool
}

// NewEvent returns an event whose history is unknown.
func NewEvent(e chat.Event, m chat.Message) *Event {
	return &Event{Pending: &chat.Pending{Event: e, Message: m.Type != ""}, Message: m, Mark: -1}
}

// Size returns the bytes of the event's content.
func (e *Event) Size() int { return len(e.Message.Content) + len(e.Event.Data) }

// Work is one thing that a session does between turns, in order with its events.
type Work struct {
	Arrived *Event                    // an event; all other fields are then zero
	Greet   bool                      // run the body of the initial state
	Do      func(ctx context.Context) // any other work
	Slot    bool                      // the work holds a slot until it is done
	Turn    int64                     // the turn that Do is about; 0 without one
}

// Queue holds the events and other work that wait in a session. Its methods must
// not run at the same time. Slots may be used at any time.
type Queue struct {
	// Slots bounds the events that no step has considered. Each holds one slot until
	// its turn is done or the event is held.
	Slots chan struct{}

	work    []Work
	pending []*Event // events taken from work, oldest first, that no step has taken
}

// Arrive moves the events at the front of the work to the pending events. It
// reports whether there were any.
func (q *Queue) Arrive() bool {
	n := 0
	for n < len(q.work) && q.work[n].Arrived != nil {
		q.pending = append(q.pending, q.work[n].Arrived)
		q.work[n] = Work{}
		n++
	}
	q.work = q.work[n:]
	return n > 0
}

// Add appends work.
func (q *Queue) Add(w Work) { q.work = append(q.work, w) }

// AddFirst inserts work before all other work.
func (q *Queue) AddFirst(w Work) { q.work = slices.Insert(q.work, 0, w) }

// Next removes the first work. It reports false if there is none.
func (q *Queue) Next() (w Work, ok bool) {
	if len(q.work) == 0 {
		return Work{}, false
	}
	w, q.work[0] = q.work[0], Work{}
	q.work = q.work[1:]
	return w, true
}

// Shrink releases unused memory.
func (q *Queue) Shrink() {
	if len(q.work) == 0 {
		q.work = nil
	}
	if len(q.pending) == 0 {
		q.pending = nil
	}
}

// Pending returns the events that have arrived and that no step has taken, oldest
// first. The caller must not change the slice.
func (q *Queue) Pending() []*Event { return q.pending }

// Waiting returns all events that no step has taken, oldest first.
func (q *Queue) Waiting() []*Event {
	all := slices.Clone(q.pending)
	for _, w := range q.work {
		if w.Arrived != nil {
			all = append(all, w.Arrived)
		}
	}
	return all
}

// Turns returns the turns of all waiting events and work.
func (q *Queue) Turns() []int64 {
	var out []int64
	for _, e := range q.Waiting() {
		out = append(out, e.Event.Turn)
	}
	for _, w := range q.work {
		if w.Turn != 0 {
			out = append(out, w.Turn)
		}
	}
	return out
}

// Find returns the waiting event that began a turn; nil if there is none.
func (q *Queue) Find(turn int64) *Event {
	all := q.Waiting()
	if i := slices.IndexFunc(all, func(e *Event) bool { return e.Event.Turn == turn }); i >= 0 {
		return all[i]
	}
	return nil
}

// Take removes a pending event if accept returns true for it. It returns nil
// otherwise.
func (q *Queue) Take(p *chat.Pending, accept func(*Event) bool) *Event {
	i := slices.IndexFunc(q.pending, func(e *Event) bool { return e.Pending == p })
	if i < 0 || !accept(q.pending[i]) {
		return nil
	}
	e := q.pending[i]
	q.pending = slices.Delete(q.pending, i, i+1)
	return e
}

// Overflow removes and returns the oldest pending events if there are more than
// most, or more than MaxBytes of them.
func (q *Queue) Overflow(most int) []*Event {
	bytes := 0
	for _, e := range q.pending {
		bytes += e.Size()
	}
	over := 0
	for len(q.pending)-over > most || bytes > MaxBytes {
		bytes -= q.pending[over].Size()
		over++
	}
	dropped := slices.Clone(q.pending[:over])
	q.pending = slices.Delete(q.pending, 0, over)
	return dropped
}

// Room reports whether the queue has room for content of that size.
func (q *Queue) Room(size int) bool {
	for _, e := range q.Waiting() {
		if !e.Held() {
			size += e.Size()
		}
	}
	return size <= MaxBytes
}

// Free gives back the slot of an event.
func (q *Queue) Free(e *Event) {
	if e.Slot {
		e.Slot = false
		<-q.Slots
	}
}

// Clear removes everything, gives back the slots, and returns the events.
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
	q.work, q.pending = nil, nil
	return all
}
