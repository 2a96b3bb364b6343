package cores

import (
	"context"
	"sync"
)

// Shares bounds how much work of one client runs at once, so that many questions of
// one client do not take the cores from others. The work of a client waits in order.
// All methods are safe for concurrent use.
type Shares struct {
	each int

	mu      sync.Mutex        // guards clients and their users
	clients map[string]*share // while they have work
}

// share belongs to one client.
type share struct {
	running chan struct{} // one value per running work
	users   int           // work that runs or waits
}

// NewShares returns shares that run each pieces of work of a client at once, at least one.
func NewShares(each int) *Shares { return &Shares{each: max(each, 1), clients: map[string]*share{}} }

// Acquire waits until a client may run more work. The caller must call release at its end. An unknown
// client, "", does not wait. Acquire fails only if ctx ends first.
func (s *Shares) Acquire(ctx context.Context, client string) (release func(), err error) {
	if client == "" {
		return func() {}, ctx.Err()
	}
	s.mu.Lock()
	own := s.clients[client]
	if own == nil {
		own = &share{running: make(chan struct{}, s.each)}
		s.clients[client] = own
	}
	own.users++
	s.mu.Unlock()
	select {
	case own.running <- struct{}{}:
		return func() {
			<-own.running
			s.leave(client, own)
		}, nil
	case <-ctx.Done():
		s.leave(client, own)
		return nil, ctx.Err()
	}
}

// leave ends one use of a share.
func (s *Shares) leave(client string, own *share) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if own.users--; own.users == 0 {
		delete(s.clients, client)
	}
}
