package ws

import (
	"context"

	"golang.org/x/time/rate"

	"docent/auth"
	"docent/internal/fault"
)

// account is what the connections of one principal have together. It exists as
// long as there is one.
type account struct {
	id          string
	connections int // guarded by Server.mu
	rate        *rate.Limiter
}

var errFull = fault.New(fault.Unavailable, "docent has as many connections as it can hold, or is shutting down")

// reserve counts a handshake; it fails if there is no room for another
// connection, or none of that principal. Nobody in particular is nil.
func (s *Server) reserve(who *auth.Principal) (*account, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || len(s.conns)+s.pending >= s.cfg.MaxConnections {
		return nil, errFull
	}
	a, err := s.joinLocked(who)
	if err == nil {
		s.pending++
	}
	return a, err
}

func (s *Server) unreserve(a *account) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending--
	s.partLocked(a)
}

// joinLocked counts another connection of a principal; nil while authentication
// is off.
func (s *Server) joinLocked(who *auth.Principal) (*account, error) {
	if s.cfg.Authenticate == nil || who == nil {
		return nil, nil //nolint:nilnil // nobody has to keep to a bound
	}
	a := s.accounts[who.ID]
	if a == nil {
		a = &account{id: who.ID, rate: rate.NewLimiter(rate.Limit(s.cfg.UserRate), s.cfg.UserBurst)}
		s.accounts[who.ID] = a
	}
	if a.connections >= s.cfg.UserConnections {
		return nil, fault.New(fault.RateLimited, "you have %d connections open, and may not have more", a.connections)
	}
	a.connections++
	return a, nil
}

func (s *Server) partLocked(a *account) {
	if a == nil {
		return
	}
	if a.connections--; a.connections == 0 {
		delete(s.accounts, a.id)
	}
}

// identified counts the connection with those of who it says it is.
func (c *connection) identified(who *auth.Principal) error {
	s := c.server
	s.mu.Lock()
	defer s.mu.Unlock()
	a, err := s.joinLocked(who)
	if err != nil {
		return err
	}
	s.partLocked(c.rate.account)
	c.who, c.rate.account = who, a
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
		return fault.New(fault.RateLimited, "at most %g frames a second are taken on a connection", float64(p.own.Limit()))
	case p.account != nil && !p.account.rate.Allow():
		return fault.New(fault.RateLimited, "at most %g frames a second are taken of all your connections together", float64(p.account.rate.Limit()))
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
