package ws

import (
	"context"
	"time"

	"docent/auth"
	"docent/internal/fault"
)

// How old it may be that a client was found to be let in.
const (
	// validActing is for one that asks for something.
	validActing = 5 * time.Second
	// validListening is for all, beside the time that it takes to ask.
	validListening = 10 * time.Second
	// validTimeout bounds asking for one of them.
	validTimeout = 5 * time.Second
)

// verify ends the connection of who asks for something and is not let in any
// more, and reports whether it goes on. While that cannot be told, it does.
func (c *connection) verify(ctx context.Context) bool {
	if c.server.cfg.Valid == nil || c.sub == nil || time.Since(c.validAt) < validActing {
		return true
	}
	if ctx.Err() != nil { // it has ended
		return false
	}
	if err := c.server.cfg.Valid(ctx, *c.who); fault.KindOf(err) == fault.Unauthorized {
		c.shutOut(ctx, err)
		return false
	}
	c.validAt = time.Now()
	return true
}

// shutOut ends the connection of who is not let in any more.
func (c *connection) shutOut(ctx context.Context, err error) {
	c.server.cfg.Logger.InfoContext(ctx, "client is not let in any more", "session", c.session())
	c.refuse(err, "")
	c.close(CloseUnauthorized)
}

// watch asks for everybody who is connected, until ctx ends. Those who only
// listen hear what is said in their sessions, so they cannot be left until they
// say something themselves.
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
			select { // anybody may sign out, however often
			case <-time.After(recheckPause):
			case <-ctx.Done():
			}
		}
	}
}

// recheckPause is the time between two calls of Recheck that count.
const recheckPause = time.Second

// Recheck has everybody looked at soon who is connected, as somebody may not be
// let in any more. It does not wait for that.
func (s *Server) Recheck() {
	select {
	case s.recheck <- struct{}{}:
	default: // it is to be done already
	}
}

// verifyAll asks one after the other, and once for all connections that were let
// in by the same.
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

// known are the connections of which it is known whose they are, by what those
// were known by.
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

// audience are the connections of one credential.
type audience struct {
	who   auth.Principal
	conns []*connection
}
