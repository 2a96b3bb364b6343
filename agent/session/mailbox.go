package session

import (
	"context"
	"slices"

	"docent/internal/fault"
)

// maxCalls bounds the calls that wait for one session.
const maxCalls = 1000

// call is something that the owner does for somebody who waits for it.
type call struct {
	do    func(ctx context.Context) error
	turn  *turn      // whose body waits; nil if a client does
	done  chan error // gets one value
	begun bool       // guarded by the conversation's mu
}

// ask has the owner do something and waits for it. If ctx ends before the owner
// has begun, the call is withdrawn. t is the turn whose body asks, if one does:
// such a call is refused, and not kept waiting, if a reset waits for the turn.
func (c *conversation) ask(ctx context.Context, t *turn, do func(ctx context.Context) error) error {
	q := &call{do: do, turn: t, done: make(chan error, 1)}
	if err := c.post(q); err != nil {
		return err
	}
	select {
	case err := <-q.done:
		return err
	case <-ctx.Done():
	}
	c.mu.Lock()
	begun := q.begun
	if !begun {
		c.calls = slices.DeleteFunc(c.calls, func(other *call) bool { return other == q })
	}
	c.mu.Unlock()
	if begun {
		return <-q.done
	}
	return context.Cause(ctx)
}

func (c *conversation) post(q *call) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.gone:
		return c.err
	case q.turn == nil && c.rt.isClosing():
		return errClosing
	case len(c.calls) >= maxCalls:
		return fault.New(fault.Busy, "session_queue_crowded", "too many messages wait in this conversation; try again in a moment")
	}
	c.calls = append(c.calls, q)
	c.signal()
	return nil
}

// callLocked takes the call that comes next; nil if there is none, or a reset is
// to come before it.
func (c *conversation) callLocked() *call {
	if c.rt.isClosing() {
		c.failCallsLocked(errClosing, nil)
	}
	if c.resetting && !c.emptied {
		c.failCallsLocked(errReset, c.current)
	}
	i := slices.IndexFunc(c.calls, func(q *call) bool { return !c.resetting || q.turn != nil })
	if i < 0 {
		return nil
	}
	q := c.calls[i]
	q.begun = true
	if c.calls = slices.Delete(c.calls, i, i+1); len(c.calls) == 0 {
		c.calls = nil
	}
	return q
}

// failCallsLocked ends calls: those of clients if t is nil, else those of its
// body. Of a session that is gone all end.
func (c *conversation) failCallsLocked(err error, t *turn) {
	c.calls = slices.DeleteFunc(c.calls, func(q *call) bool {
		if q.turn != t && !c.gone {
			return false
		}
		q.begun = true
		q.done <- err
		return true
	})
}

// nothing is asked by those that wait for their turn alone.
func nothing(context.Context) error { return nil }
