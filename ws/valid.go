package ws

import (
	"context"
	"time"

	"docent/internal/fault"
)

// How old it may be that a client was found to be let in.
const (
	// validActing is for one that asks for something.
	validActing = 5 * time.Second
	// validListening is for one that only listens, beside the time between pings.
	validListening = time.Minute
)

// doubtful reports whether it is to be asked again if the client is let in.
func (c *connection) doubtful(age time.Duration) bool {
	return c.server.cfg.Valid != nil && c.sub != nil && time.Since(c.validAt) >= age
}

// verify ends the connection of who is not let in any more, and reports whether
// it goes on. While that cannot be told, it does.
func (c *connection) verify(ctx context.Context, age time.Duration) bool {
	if !c.doubtful(age) {
		return true
	}
	if ctx.Err() != nil { // it has ended
		return false
	}
	err := c.server.cfg.Valid(ctx, *c.who)
	if fault.KindOf(err) != fault.Unauthorized {
		c.validAt = time.Now()
		return true
	}
	c.server.cfg.Logger.InfoContext(ctx, "client is not let in any more", "session", c.session())
	c.refuse(err, "")
	c.close(CloseUnauthorized)
	return false
}
