package ws

import (
	"context"
	"errors"

	"docent/auth"
	"docent/internal/fault"
	"docent/internal/limits"
)

var (
	errFull  = fault.New(fault.Unavailable, "connections_full", "docent has no room for another connection, or is shutting down")
	errCrowd = fault.New(fault.Unavailable,
		"anonymous_connections_full", "too many clients have not signed in; try again, or send a token in the handshake")
	errMany = fault.New(fault.RateLimited,
		"anonymous_connections_of_address", "too many clients of your address have not signed in; send hello, or a token in the handshake")
	errTooQuick = fault.New(fault.RateLimited, "connects_throttled", "you connect too often; try again in a moment")
)

// Bounds of unauthenticated clients if Config.Authenticate is set.
const (
	// anonymousShare sets the limit of unauthenticated clients, as a fraction of
	// MaxConnections. The limit is added to MaxConnections.
	anonymousShare = 10
	// minAnonymous is the minimum for that limit.
	minAnonymous = 16
	// maxRemoteAnonymous limits the unauthenticated clients from one address.
	maxRemoteAnonymous = 32
	// minRates is the minimum number of principals whose rate the server remembers.
	minRates = 10_000
)

// bounds are the limits that all connections share.
type bounds struct {
	// connections counts connections, by principal.
	connections *limits.Limit
	// anonymous counts connections of unauthenticated clients, by address.
	anonymous *limits.Limit
	// rate counts messages, by principal; nil without Config.Authenticate. A
	// principal's rate outlives its connections, so that reconnecting does not
	// reset it.
	rate *limits.Limit
	// uploads counts the memory of large messages by sharer, from their arrival
	// until they are handled.
	uploads *limits.Limit
}

func newBounds(cfg Config) bounds {
	b := bounds{
		connections: limits.New(limits.Config{Total: int64(cfg.MaxConnections)}),
		anonymous:   limits.New(limits.Config{Total: int64(max(minAnonymous, cfg.MaxConnections/anonymousShare)), Each: maxRemoteAnonymous}),
		uploads:     limits.New(limits.Config{Total: cfg.fixed.UploadBytes, Each: min(cfg.fixed.UserUploadBytes, cfg.fixed.UploadBytes)}),
	}
	if cfg.Authenticate != nil {
		b.connections = limits.New(limits.Config{Total: int64(cfg.MaxConnections), Each: int64(cfg.UserConnections)})
		b.rate = limits.New(limits.Config{
			Each: int64(cfg.UserBurst), PerSecond: cfg.UserRate, MaxKeys: max(minRates, 2*cfg.MaxConnections),
		})
	}
	return b
}

// UserLimits returns the limits of one user that several servers can share, by name.
func (s *Server) UserLimits() map[string]*limits.Limit {
	if s.bounds.rate == nil {
		return nil
	}
	return map[string]*limits.Limit{"connections": s.bounds.connections, "rate": s.bounds.rate}
}

// place is the share of one connection in a limit.
type place struct {
	limit *limits.Limit
	key   string
}

func (p place) free() { p.limit.Free(p.key, 1) }

// admit counts a new connection. It returns an error if a limit is reached. For an
// unauthenticated client, who is nil.
func (s *Server) admit(who *auth.Principal, remote string) (place, error) {
	s.mu.Lock()
	closed := s.closed
	s.mu.Unlock()
	if closed {
		return place{}, errFull
	}
	if who != nil {
		return s.admitKnown(who, remote)
	}
	p := place{s.bounds.anonymous, remote}
	switch err := p.limit.Take(p.key, 1); {
	case errors.Is(err, limits.ErrEach):
		return place{}, errMany
	case err != nil:
		return place{}, errCrowd
	}
	return p, nil
}

// sharer is the key of a client in the limits: the principal. Many people share a token
// with only the scope chat, so there it is the token at the client's address.
func sharer(who *auth.Principal, remote string) string {
	if who.MayOnlyChat() {
		return who.ID + " " + remote
	}
	return who.ID
}

func (s *Server) admitKnown(who *auth.Principal, remote string) (place, error) {
	p := place{s.bounds.connections, sharer(who, remote)}
	switch err := p.limit.Take(p.key, 1); {
	case errors.Is(err, limits.ErrEach):
		return place{}, fault.New(fault.RateLimited,
			"connections_exhausted", "you have %d open connections, and no more are allowed; close one first", s.cfg.UserConnections)
	case err != nil:
		return place{}, errFull
	}
	if s.bounds.rate != nil && s.bounds.rate.Take(p.key, 1) != nil {
		p.free()
		return place{}, errTooQuick
	}
	return p, nil
}

// identify sets the principal of a connection, and counts the connection for that
// principal instead.
func (c *Connection) identify(who *auth.Principal) error {
	s := c.server
	if c.who == nil || c.who.ID != who.ID {
		p, err := s.admitKnown(who, c.remote)
		if err != nil {
			return err
		}
		c.place.free()
		c.place = p
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c.who = who
	return nil
}

// Allow counts a message of the client. If the message exceeds a rate limit, it
// returns fault.RateLimited, and the error names the limit.
func (c *Connection) Allow() error {
	switch {
	case c.rate.Take("", 1) != nil:
		return fault.New(fault.RateLimited, "frames_throttled", "a connection may send at most %g frames per second", c.server.cfg.Rate)
	case c.server.bounds.rate != nil && c.server.bounds.rate.Take(sharer(c.who, c.remote), 1) != nil:
		return fault.New(fault.RateLimited,
			"frames_throttled_all", "all your connections together may send at most %g frames per second", c.server.cfg.UserRate)
	}
	return nil
}

// Wait waits until the rate limits allow another message. It fails if ctx ends
// first.
func (c *Connection) Wait(ctx context.Context) error {
	if err := c.rate.Wait(ctx, "", 1); err != nil || c.server.bounds.rate == nil {
		return err
	}
	return c.server.bounds.rate.Wait(ctx, sharer(c.who, c.remote), 1)
}

// upload counts the memory of the current large message.
type upload struct {
	limit *limits.Limit
	key   string // the principal, or the address without authentication
	bytes int64
}

// grow counts n more bytes.
func (u *upload) grow(n int64) error {
	switch err := u.limit.Take(u.key, n); {
	case errors.Is(err, limits.ErrEach):
		return fault.New(fault.Busy, "own_uploads_busy", "too many files of yours are being received; try again in a moment")
	case err != nil:
		return fault.New(fault.Busy, "uploads_busy", "too many files are being received; try again in a moment")
	}
	u.bytes += n
	return nil
}

// free releases the memory.
func (u *upload) free() { u.handOver()() }

// handOver returns the function that releases the memory. The connection no
// longer counts it as its own.
func (u *upload) handOver() (free func()) {
	limit, key, n := u.limit, u.key, u.bytes
	u.bytes = 0
	return func() {
		if n > 0 {
			limit.Free(key, n)
		}
	}
}
