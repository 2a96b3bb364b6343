package mailbox

import (
	"context"
	"sync"
	"time"
)

// MaxGreetingWait bounds how long messages to a new session wait for its greeting, which comes
// first in the record. A slower greeting comes after them.
const MaxGreetingWait = 2 * time.Second

// Greeting is the greeting of a new session. Make it with NewGreeting.
type Greeting struct {
	closing <-chan struct{}

	mu   *sync.Mutex   // the mutex of the conversation; guards the fields below
	done chan struct{} // closed when the greeting is over; nil without a greeting
	by   time.Time     // the time at which messages stop waiting
}

// NewGreeting returns a Greeting that nobody waits for. mu guards its fields and those of its owner.
// closing is closed when the shutdown begins.
func NewGreeting(mu *sync.Mutex, closing <-chan struct{}) Greeting {
	return Greeting{closing: closing, mu: mu}
}

// ExpectLocked makes messages wait for the greeting.
func (g *Greeting) ExpectLocked() {
	g.done, g.by = make(chan struct{}), time.Now().Add(MaxGreetingWait)
}

// Await waits until the greeting is stored, has failed, or takes too long.
func (g *Greeting) Await(ctx context.Context) error {
	g.mu.Lock()
	done, by := g.done, g.by
	g.mu.Unlock()
	if done == nil {
		return nil
	}
	timer := time.NewTimer(time.Until(by))
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	case <-g.closing: // the caller refuses the message
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// OverLocked ends the wait for the greeting.
func (g *Greeting) OverLocked() {
	if g.done != nil {
		close(g.done)
		g.done = nil
	}
}
