package session

import (
	"context"
	"time"

	"docent/agent"
)

// MaxGreetingWait is how long after a new session was loaded what is said to it
// waits for its greeting, which comes first in the record. One that takes longer
// comes later.
const MaxGreetingWait = 2 * time.Second

// awaitGreeting waits until the greeting that loading the session has queued is
// stored, has failed, or takes too long. It holds nothing meanwhile.
func (c *conversation) awaitGreeting(ctx context.Context) error {
	c.mu.Lock()
	greeting, end := c.greeting, c.greetBy
	c.mu.Unlock()
	if greeting == nil {
		return nil
	}
	if s, ok := agent.SessionFrom(ctx); ok && s.ID() == c.key.ID { // the greeting itself says it
		return nil
	}
	timer := time.NewTimer(time.Until(end))
	defer timer.Stop()
	select {
	case <-greeting:
	case <-timer.C:
	case <-c.rt.closing: // which whoever takes it says
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// greetedLocked lets those go on that wait for the greeting.
func (c *conversation) greetedLocked() {
	if c.greeting != nil {
		close(c.greeting)
		c.greeting = nil
	}
}
