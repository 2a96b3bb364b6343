package ws

import (
	"context"
	"time"

	"docent/auth"
	"docent/internal/fault"
)

// Intervals of checks whether a client may still be connected.
const (
	// validActing is the minimum time between two checks of a client that sends
	// messages.
	validActing = 5 * time.Second
	// validListening is the time between two checks of all clients.
	validListening = 10 * time.Second
	// validTimeout bounds the check of one client.
	validTimeout = 5 * time.Second
	// recheckPause is the time between two effective calls of Recheck.
	recheckPause = time.Second
)

// Verify checks whether the client may stay connected, and closes the connection
// if not. If the check itself fails, the connection continues.
func (c *Connection) Verify(ctx context.Context) bool {
	if c.server.cfg.Valid == nil || c.Session() == nil || time.Since(c.validAt) < validActing {
		return true
	}
	if ctx.Err() != nil { // the connection has ended
		return false
	}
	if err := c.server.cfg.Valid(ctx, *c.who); fault.KindOf(err) == fault.Unauthorized {
		c.shutOut(ctx, err)
		return false
	}
	c.validAt = time.Now()
	return true
}

// shutOut closes the connection of a client that may no longer be connected.
func (c *Connection) shutOut(ctx context.Context, err error) {
	c.server.cfg.Logger.InfoContext(ctx, "client is not let in any more", "session", c.SessionID())
	c.Refuse(err, "")
	c.Close(CloseUnauthorized)
}

// watch checks all clients from time to time, until ctx ends. Clients that only
// listen receive the messages of their sessions, so they are checked too.
func (s *Server) watch(ctx context.Context) {
	defer s.served.Done()
	ticker := time.NewTicker(validListening)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			s.verifyAll(ctx)
		case <-s.recheck:
			s.verifyAll(ctx)
			select { // users may sign out as often as they like
			case <-time.After(recheckPause):
			case <-ctx.Done():
			}
		}
	}
}

// Recheck makes the server check all clients soon. Call it after credentials were
// revoked. It does not wait for the check.
func (s *Server) Recheck() {
	select {
	case s.recheck <- struct{}{}:
	default: // a check is due already
	}
}

// verifyAll checks one credential after the other, and closes the connections of
// those that are no longer valid.
func (s *Server) verifyAll(ctx context.Context) {
	for _, group := range s.known() {
		if ctx.Err() != nil {
			return
		}
		asking, cancel := context.WithTimeout(ctx, validTimeout)
		err := s.cfg.Valid(asking, group.who)
		cancel()
		if fault.KindOf(err) != fault.Unauthorized {
			continue
		}
		for _, c := range group.conns {
			c.shutOut(ctx, err)
		}
	}
}

// known returns the connections of known clients by their credential.
func (s *Server) known() map[auth.Credential]*audience {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[auth.Credential]*audience{}
	for c := range s.conns {
		if c.who == nil {
			continue
		}
		by := c.who.Credential()
		if out[by] == nil {
			out[by] = &audience{who: *c.who}
		}
		out[by].conns = append(out[by].conns, c)
	}
	return out
}

// audience is the connections of one credential.
type audience struct {
	who   auth.Principal
	conns []*Connection
}
