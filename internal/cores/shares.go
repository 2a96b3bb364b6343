package cores

import (
	"context"
	"slices"
	"sync"
)

// Shares bounds how much work runs at once, of one client and of all. Under load, work that
// waits for a core ends sooner than work that shares one with all others. Clients whose work
// waits take turns, so that many questions of one client do not delay others. The work of a
// client waits in order. All methods are safe for concurrent use.
type Shares struct {
	each, all int

	mu      sync.Mutex        // guards the fields below and the shares
	running int               // work of all clients
	clients map[string]*share // while they have work
	turns   []*share          // clients whose work waits, in the order of their turns
}

// share belongs to one client.
type share struct {
	client  string
	running int
	waiting []chan struct{} // closed when the work may run
}

// NewShares returns shares that run each pieces of work of a client at once, at least one, and
// all pieces of work of all clients. If all is 0, only clients have a limit.
func NewShares(each, all int) *Shares {
	return &Shares{each: max(each, 1), all: all, clients: map[string]*share{}}
}

// Acquire waits until a client may run more work. The caller must call release at its end.
// Unknown clients, "", have only the limit of all work. Acquire fails only if ctx ends first.
func (s *Shares) Acquire(ctx context.Context, client string) (release func(), err error) {
	turn := make(chan struct{})
	s.mu.Lock()
	own := s.clients[client]
	if own == nil {
		own = &share{client: client}
		s.clients[client] = own
	}
	if own.waiting = append(own.waiting, turn); len(own.waiting) == 1 {
		s.turns = append(s.turns, own)
	}
	s.admit()
	s.mu.Unlock()
	select {
	case <-turn:
		return func() { s.end(own) }, nil
	case <-ctx.Done():
		s.cancel(own, turn)
		return nil, ctx.Err()
	}
}

// admit starts waiting work while the limits allow it. The caller holds mu.
func (s *Shares) admit() {
	for s.all <= 0 || s.running < s.all {
		at := slices.IndexFunc(s.turns, func(c *share) bool { return c.client == "" || c.running < s.each })
		if at < 0 {
			return
		}
		own := s.turns[at]
		close(own.waiting[0])
		own.waiting = own.waiting[1:]
		own.running++
		s.running++
		if s.turns = slices.Delete(s.turns, at, at+1); len(own.waiting) > 0 {
			s.turns = append(s.turns, own)
		}
	}
}

// end ends work that ran.
func (s *Shares) end(own *share) {
	s.mu.Lock()
	defer s.mu.Unlock()
	own.running--
	s.running--
	s.admit()
	s.forget(own)
}

// cancel ends work that waits, or that was admitted just now.
func (s *Shares) cancel(own *share, turn chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := slices.Index(own.waiting, turn)
	if at < 0 {
		own.running--
		s.running--
		s.admit()
	} else if own.waiting = slices.Delete(own.waiting, at, at+1); len(own.waiting) == 0 {
		s.turns = slices.DeleteFunc(s.turns, func(c *share) bool { return c == own })
	}
	s.forget(own)
}

// forget drops a client without work. The caller holds mu.
func (s *Shares) forget(own *share) {
	if own.running == 0 && len(own.waiting) == 0 {
		delete(s.clients, own.client)
	}
}
