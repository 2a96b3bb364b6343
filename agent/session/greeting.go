package session

import (
	"context"
	"time"
)

// MaxGreetingWait bounds how long messages to a new session wait for its greeting, which comes
// first in the record. A slower greeting comes after them.
const MaxGreetingWait = 2 * time.Second

// greeting is the greeting of a new session. The zero value is a greeting that nobody waits for.
type greeting struct {
	done chan struct{} // closed when the greeting is over; nil without a greeting
	by   time.Time     // the time at which messages stop waiting
}

// expect makes messages wait for the greeting.
func (g *greeting) expect() {
	g.done, g.by = make(chan struct{}), time.Now().Add(MaxGreetingWait)
}

// end ends the wait for the greeting.
func (g *greeting) end() {
	if g.done != nil {
		close(g.done)
		g.done = nil
	}
}

// await waits until the greeting is stored, has failed, or takes too long, or until closing is
// closed. The caller passes a copy, so that it need not hold a lock meanwhile.
func (g greeting) await(ctx context.Context, closing <-chan struct{}) error {
	if g.done == nil {
		return nil
	}
	timer := time.NewTimer(time.Until(g.by))
	defer timer.Stop()
	select {
	case <-g.done:
	case <-timer.C:
	case <-closing: // the caller refuses the message
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}
