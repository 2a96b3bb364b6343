package mcp

import (
	"context"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"docent/api/slots"
	"docent/auth"
	"docent/internal/fault"
)

const (
	// maxSessions bounds the sessions of all clients.
	maxSessions = 512
	// maxOwnSessions bounds the sessions of one client. A further one ends its oldest.
	maxOwnSessions = 32
	// maxIdle is the time without requests after which a session ends.
	maxIdle = 30 * time.Minute
	// maxAge is the age at which a session ends.
	maxAge = 24 * time.Hour
)

// Sessions are the sessions of clients over HTTP. A session belongs to one principal
// with its scopes. It is safe for concurrent use.
type Sessions struct {
	most, own int
	age       time.Duration

	mu      sync.Mutex
	open    map[string]session // by id
	closed  bool
	closing sync.WaitGroup // of the sessions that are being closed
}

// session is an open session.
type session struct {
	*sdk.ServerSession

	owner  string // the principal and its scopes
	client string // as slots.ClientKey
	began  time.Time
}

// NewSessions returns Sessions without any session.
func NewSessions() *Sessions {
	return &Sessions{most: maxSessions, own: maxOwnSessions, age: maxAge, open: map[string]session{}}
}

// ownerOf returns the owner of the sessions that a request may use.
func ownerOf(ctx context.Context) string {
	p, _ := auth.FromContext(ctx)
	return p.ID + " " + p.Scopes.String()
}

// add adds a session that begins. It ends the oldest session of a client with too
// many. live are the sessions that still exist.
func (s *Sessions) add(ctx context.Context, begun *sdk.ServerSession, live map[string]bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.open[begun.ID()]; known { // a second initialize makes it no younger
		return nil
	}
	own, oldest := 0, ""
	client := slots.ClientKey(ctx)
	for id, one := range s.open {
		switch {
		case !live[id]:
			delete(s.open, id)
		case time.Since(one.began) > s.age:
			s.end(id)
		case one.client == client:
			if own++; oldest == "" || one.began.Before(s.open[oldest].began) {
				oldest = id
			}
		}
	}
	if own >= s.own {
		s.end(oldest)
	}
	if s.closed || len(s.open) >= s.most {
		return fault.New(fault.Busy, "mcp_sessions_full", "docent has as many sessions as it can; try again in a moment")
	}
	s.open[begun.ID()] = session{begun, ownerOf(ctx), client, time.Now()}
	return nil
}

// end forgets and closes a session. The caller holds the lock.
func (s *Sessions) end(id string) {
	one := s.open[id]
	delete(s.open, id)
	s.closing.Go(func() { _ = one.Close() }) // it waits for the running requests
}

// check fails with fault.NotFound unless the reader has a session with this id.
// Clients then begin a new one.
func (s *Sessions) check(ctx context.Context, id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	one, known := s.open[id]
	if known && time.Since(one.began) > s.age {
		s.end(id)
		known = false
	}
	if !known || one.owner != ownerOf(ctx) {
		return fault.New(fault.NotFound, "mcp_no_session", "there is no such session; begin a new one")
	}
	return nil
}

// Close ends all sessions and refuses new ones. It waits for running requests until
// ctx ends.
func (s *Sessions) Close(ctx context.Context) {
	s.mu.Lock()
	s.closed = true
	for id := range s.open {
		s.end(id)
	}
	s.mu.Unlock()
	done := make(chan struct{})
	go func() {
		s.closing.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
}
