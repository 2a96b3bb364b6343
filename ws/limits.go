package ws

import (
	"context"
	"time"

	"golang.org/x/time/rate"

	"docent/auth"
	"docent/internal/fault"
)

var (
	errFull  = fault.New(fault.Unavailable, "connections_full", "docent has as many connections as it can hold, or is shutting down")
	errCrowd = fault.New(fault.Unavailable,
		"anonymous_connections_full", "too many clients have not said who they are; try again, or bring a token at the handshake")
	errMany = fault.New(fault.RateLimited,
		"anonymous_connections_of_address", "too many clients of your address have not said who they are; say hello, or bring a token at the handshake")
	errTooQuick = fault.New(fault.RateLimited, "connects_throttled", "you connect too often; try again in a moment")
)

// reserve counts a handshake from an address; it fails if there is no room for
// another connection, or none of that principal. Nobody in particular is nil.
func (s *Server) reserve(who *auth.Principal, remote string) (*account, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var a *account
	err := errFull
	switch {
	case s.closed:
	case who == nil:
		a, err = s.ledger.admit(remote)
	case s.hasRoom():
		a, err = s.joinLocked(who)
	}
	if err != nil {
		return nil, err
	}
	s.pending++
	return a, nil
}

func (s *Server) unreserve(a *account) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending--
	s.ledger.part(a)
}

// hasRoom reports whether there may be another connection of somebody who is
// known. Those of strangers have places of their own.
func (s *Server) hasRoom() bool {
	return len(s.conns)+s.pending-s.ledger.unknown < s.cfg.MaxConnections
}

// joinLocked counts another connection of a principal; nil while authentication
// is off.
func (s *Server) joinLocked(who *auth.Principal) (*account, error) {
	if s.cfg.Authenticate == nil {
		return nil, nil //nolint:nilnil // nobody has to keep to a bound
	}
	return s.ledger.join(who.ID, time.Now())
}

// identified counts the connection with those of who it says it is.
func (c *connection) identified(who *auth.Principal) error {
	s := c.server
	s.mu.Lock()
	defer s.mu.Unlock()
	was := c.rate.account
	if c.who == nil || c.who.ID != who.ID {
		if c.who == nil && !s.hasRoom() {
			return errFull
		}
		a, err := s.joinLocked(who)
		if err != nil {
			return err
		}
		s.ledger.part(was)
		c.rate.account = a
	}
	c.who = who
	return nil
}

// pace bounds how fast a client may send, alone and together with the others of
// its principal.
type pace struct {
	own     rate.Limiter
	account *account // nil: it need not
}

// exceeded refuses a frame that must not be taken now, saying which of the two
// bounds it is; nil if it may.
func (p *pace) exceeded() error {
	switch {
	case !p.own.Allow():
		return fault.New(fault.RateLimited,
			"frames_throttled", "a connection may send at most %g frames per second", float64(p.own.Limit()))
	case p.account != nil && !p.account.rate.Allow():
		return fault.New(fault.RateLimited,
			"frames_throttled_all", "all your connections together may send at most %g frames per second", float64(p.account.rate.Limit()))
	}
	return nil
}

// Wait waits until a frame may be taken, or ctx ends.
func (p *pace) Wait(ctx context.Context) error {
	if err := p.own.Wait(ctx); err != nil {
		return err
	}
	if p.account == nil {
		return nil
	}
	return p.account.rate.Wait(ctx)
}
