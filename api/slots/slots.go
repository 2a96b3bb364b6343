// Package slots limits the number of concurrent requests of a kind. It shares the
// slots fairly among the clients.
package slots

import (
	"context"
	"sync"
	"time"

	"docent/auth"
	"docent/internal/fault"
)

const (
	// maxWaiting bounds the waiting requests of one client.
	maxWaiting = 16
	// retryAfter is the time after which a client with too many requests may try
	// again.
	retryAfter = 5 * time.Second
)

// Forever makes Take wait until the request's context ends.
const Forever time.Duration = -1

// Slots bounds the requests that run at once. One principal gets at most half
// of the slots. While authentication is off, all clients share all slots. With
// ByAddress, one address then gets all slots except one. It is safe for
// concurrent use.
type Slots struct {
	all       chan struct{} // holds a token for each running request
	full      error
	byAddress bool
	mu        sync.Mutex        // guards shares and their users
	shares    map[string]*share // by client, while it has requests
}

// share belongs to one client.
type share struct {
	running chan struct{} // holds a token for each running request
	users   int           // running and waiting requests
}

// New returns n slots. full is the error of Take while all slots are taken.
func New(n int, full error) *Slots {
	return &Slots{all: make(chan struct{}, n), full: full, shares: map[string]*share{}}
}

// ByAddress returns n slots that distinguish clients by address while
// authentication is off.
func ByAddress(n int, full error) *Slots {
	s := New(n, full)
	s.byAddress = true
	return s
}

// Take waits for a slot, but not longer than patience; a patience of 0 does not
// wait. The caller must call done to release the slot. A client with too many
// requests gets fault.RateLimited.
func (s *Slots) Take(ctx context.Context, patience time.Duration) (done func(), err error) {
	own, leave, err := s.share(ctx)
	if err != nil {
		return nil, err
	}
	var late <-chan time.Time
	if patience >= 0 {
		timer := time.NewTimer(patience)
		defer timer.Stop()
		late = timer.C
	}
	if err := wait(ctx, own, late, errTooMany); err != nil {
		leave()
		return nil, err
	}
	if err := wait(ctx, s.all, late, s.full); err != nil {
		<-own
		leave()
		return nil, err
	}
	return func() {
		<-s.all
		<-own
		leave()
	}, nil
}

// share returns the share of the client; leave gives it back.
func (s *Slots) share(ctx context.Context) (running chan struct{}, leave func(), err error) {
	key, most := ClientKey(ctx), cap(s.all)/2
	if p, _ := auth.FromContext(ctx); p.ID == "" {
		if most = cap(s.all) - 1; key == "" || !s.byAddress {
			return make(chan struct{}, 1), func() {}, nil
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	own := s.shares[key]
	if own == nil {
		own = &share{running: make(chan struct{}, max(1, most))}
		s.shares[key] = own
	}
	if own.users >= cap(own.running)+maxWaiting {
		return nil, nil, errTooMany
	}
	own.users++
	return own.running, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if own.users--; own.users == 0 {
			delete(s.shares, key)
		}
	}, nil
}

// ClientKey identifies the client of a request: the principal, or the address
// while authentication is off. It is empty if neither is known.
func ClientKey(ctx context.Context) string {
	if p, _ := auth.FromContext(ctx); p.ID != "" {
		return p.ID
	}
	if remote := auth.RemoteOf(ctx); remote != "" {
		return "from " + remote
	}
	return ""
}

// wait puts a token into a channel, at once if it has room.
func wait(ctx context.Context, into chan struct{}, late <-chan time.Time, full error) error {
	select {
	case into <- struct{}{}:
		return nil
	default:
	}
	select {
	case into <- struct{}{}:
		return nil
	case <-late:
		return full
	case <-ctx.Done():
		return ctx.Err()
	}
}

// tooManyError is the error of a client with too many requests.
type tooManyError struct{ error }

var errTooMany = tooManyError{fault.New(fault.RateLimited,
	"own_requests_running", "too many of your requests of this kind are running; try again when one of them has ended")}

// Unwrap returns the fault.
func (e tooManyError) Unwrap() error { return e.error }

// RetryAfter returns the time after which the client may try again.
func (e tooManyError) RetryAfter() time.Duration { return retryAfter }
