package client

import (
	"context"
	"iter"

	"docent/internal/fault"
	"docent/payload"
)

// queue holds the events for the loop over Events. When it is full, it drops
// events and requests them again once the reader has caught up. Session.mu
// guards it.
type queue struct {
	events []Event
	sizes  []int
	bytes  int
	limit  int
	more   chan struct{} // has an element if there may be new events
	read   bool          // whether a loop runs
	behind bool          // whether events were dropped
	seq    int64         // of the last entry that was added
	open   map[int64]bool
}

// eventBytes is the approximate memory of an event besides its message.
const eventBytes = 256

func size(e Event) int {
	n := eventBytes
	if entry := e.stored(); entry != nil {
		return n + len(entry.Message)
	}
	switch e := e.(type) {
	case *Delta:
		n += len(e.Text)
	case *Step:
		n += len(e.Message)
	case *TasksUpdated:
		n += len(e.Message)
	case *Reply:
		n += len(e.Message)
	case *Snapshot:
		n += len(e.Text)
		for _, step := range e.Steps {
			n += len(step.Message) + eventBytes
		}
	}
	return n
}

func (q *queue) empty() bool { return len(q.events) == 0 }

// add appends an event, or drops it.
func (q *queue) add(e Event) {
	if q.behind {
		return
	}
	entry := e.stored()
	if entry != nil && entry.Seq <= q.seq {
		return
	}
	n := size(e)
	if len(q.events) > 0 && q.bytes+n > q.limit {
		q.behind = true
		return
	}
	if entry != nil {
		q.seq = entry.Seq
	}
	if q.note(e); q.events == nil {
		q.events, q.sizes = make([]Event, 0, 16), make([]int, 0, 16)
	}
	q.events, q.sizes, q.bytes = append(q.events, e), append(q.sizes, n), q.bytes+n
	signal(q.more)
}

// note tracks the turns that the reader considers open, and which of them
// failed.
func (q *queue) note(e Event) {
	if q.open == nil {
		q.open = map[int64]bool{}
	}
	switch e := e.(type) {
	case *UserMessage:
		if !e.History {
			q.open[e.Turn] = false
		}
	case *Reply:
		q.setFailed(e.Turn, false)
	case *Error:
		q.setFailed(e.Turn, e.Seq != 0)
	case *TurnFinished:
		if e.Outcome != payload.Held {
			delete(q.open, e.Turn)
		}
	case *SessionReset:
		clear(q.open)
	case *Synced:
		clear(q.open)
		for _, turn := range e.Turns {
			q.open[turn.Turn] = false
		}
	}
}

// setFailed records whether an open turn has failed.
func (q *queue) setFailed(turn int64, failed bool) {
	if _, ok := q.open[turn]; ok {
		q.open[turn] = failed
	}
}

// take returns the next event; nil if there is none.
func (q *queue) take() Event {
	if len(q.events) == 0 {
		return nil
	}
	e := q.events[0]
	q.events[0] = nil
	q.bytes -= q.sizes[0]
	q.events, q.sizes = q.events[1:], q.sizes[1:]
	if len(q.events) == 0 {
		q.events, q.sizes = nil, nil
	}
	return e
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Events yields the events of the session from Open on: each stored entry once,
// in the order of Seq, with the provisional events in between. The error that
// ended the session comes last, unless Close ended it. Leaving the loop keeps
// the rest for the next loop; only one may run at a time. The queue holds up to
// QueueBytes. When it is full, only stored entries are kept, because they can be
// requested again.
func (s *Session) Events(ctx context.Context) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		if !s.beginReading() {
			yield(nil, fault.New(fault.Conflict, "client_events_taken", "another reader has the events of this session"))
			return
		}
		defer s.endReading()
		for {
			e, err := s.nextEvent(ctx)
			if e == nil && err == nil || !yield(e, err) || err != nil {
				return
			}
		}
	}
}

func (s *Session) beginReading() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.queue.read {
		return false
	}
	s.queue.read = true
	return true
}

func (s *Session) endReading() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue.read = false
}

// nextEvent waits for an event. Without an event and an error, Close was called.
func (s *Session) nextEvent(ctx context.Context) (Event, error) {
	for {
		s.mu.Lock()
		e, err := s.queue.take(), s.err
		if e == nil && s.queue.behind && s.line.conn != nil && err == nil {
			s.line.again = true
			_ = s.line.conn.socket.Close() // the next connection requests the dropped events
		}
		s.mu.Unlock()
		switch {
		case e != nil:
			return e, nil
		case err == errClosed: //nolint:errorlint // compares the identity
			return nil, nil //nolint:nilnil // the end of a loop
		case err != nil:
			return nil, err
		}
		select {
		case <-s.queue.more:
		case <-s.ended:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// tell adds an event of the client itself.
func (s *Session) tell(e Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue.add(e)
}
