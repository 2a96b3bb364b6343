package session

import (
	"context"
	"sync"
	"time"

	"docent/agent"
)

// MaxGreetingWait bounds how long messages to a new session wait for its greeting, which comes
// first in the record. A slower greeting comes after them.
const MaxGreetingWait = 2 * time.Second

// greeting is the greeting of a new session.
type greeting struct {
	rt      *Runtime
	session string

	mu   *sync.Mutex   // the mutex of the conversation; guards the fields below
	done chan struct{} // closed when the greeting is over; nil without a greeting
	by   time.Time     // the time at which messages stop waiting
}

// expectLocked makes messages wait for the greeting.
func (g *greeting) expectLocked() {
	g.done, g.by = make(chan struct{}), time.Now().Add(MaxGreetingWait)
}

// await waits until the greeting is stored, has failed, or takes too long.
func (g *greeting) await(ctx context.Context) error {
	g.mu.Lock()
	done, by := g.done, g.by
	g.mu.Unlock()
	if done == nil {
		return nil
	}
	if s, ok := agent.SessionFrom(ctx); ok && s.ID() == g.session { // the body of the greeting sends the message
		return nil
	}
	timer := time.NewTimer(time.Until(by))
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	case <-g.rt.closing: // the caller refuses the message
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// overLocked ends the wait for the greeting.
func (g *greeting) overLocked() {
	if g.done != nil {
		close(g.done)
		g.done = nil
	}
}
