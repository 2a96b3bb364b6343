package api

import (
	"context"
	"net/http"
	"sync"
	"time"

	"docent/auth"
	"docent/internal/fault"
)

const (
	// maxWaiting bounds how many requests of one principal wait for their turn.
	maxWaiting = 16
	// retryAfter is when who has too many may try again.
	retryAfter = 5 * time.Second
)

// slots bounds how much of something is done at once: in all, and half of that
// for one principal, so that nobody keeps all others waiting. While
// authentication is off, everybody is the same and has all, or with byAddress one
// address has all but one.
type slots struct {
	all  chan struct{} // one token for each that is done
	busy error         // the answer while all are taken
	// byAddress tells clients apart while authentication is off.
	byAddress bool
	mu        sync.Mutex
	shares    map[string]*share // by principal or address, of those who have or want one
}

// share is what one principal has.
type share struct {
	taken chan struct{}
	users int // how many have or want a token; guarded by slots.mu
}

func newSlots(n int, busy error) *slots {
	return &slots{all: make(chan struct{}, n), busy: busy, shares: map[string]*share{}}
}

func newUploadSlots(n int) *slots {
	s := newSlots(n, fault.New(fault.Busy, "uploads_full", "docent is reading as many uploads as it can; try again in a moment"))
	s.byAddress = true
	return s
}

// atOnce and forEver are how long to wait for a slot.
var (
	atOnce  = func() <-chan time.Time { c := make(chan time.Time); close(c); return c }()
	forEver <-chan time.Time
)

// take waits for a slot until patience ends, at most; done gives it back. Who
// has too many is rate limited, and fault.Busy is that there are too many in all.
func (s *slots) take(ctx context.Context, patience <-chan time.Time) (done func(), err error) {
	own, leave, err := s.share(ctx)
	if err != nil {
		return nil, err
	}
	if err := wait(ctx, own, patience, tooMany()); err != nil {
		leave()
		return nil, err
	}
	if err := wait(ctx, s.all, patience, s.busy); err != nil {
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

// share is that of who asks; leave gives it back.
func (s *slots) share(ctx context.Context) (taken chan struct{}, leave func(), err error) {
	key, most := clientKey(ctx), cap(s.all)/2
	if p, _ := auth.FromContext(ctx); p.ID == "" {
		if most = cap(s.all) - 1; key == "" || !s.byAddress {
			return make(chan struct{}, 1), func() {}, nil
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	own := s.shares[key]
	if own == nil {
		own = &share{taken: make(chan struct{}, max(1, most))}
		s.shares[key] = own
	}
	if own.users >= cap(own.taken)+maxWaiting {
		return nil, nil, tooMany()
	}
	own.users++
	return own.taken, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if own.users--; own.users == 0 {
			delete(s.shares, key)
		}
	}, nil
}

// clientKey tells clients apart: by principal, or by address while authentication
// is off; "" if neither is known.
func clientKey(ctx context.Context) string {
	if p, _ := auth.FromContext(ctx); p.ID != "" {
		return p.ID
	}
	if remote := auth.RemoteOf(ctx); remote != "" {
		return "from " + remote
	}
	return ""
}

func tooMany() *Error {
	return &Error{
		status: http.StatusTooManyRequests, after: retryAfter, Code: fault.RateLimited, Retryable: true,
		Text: fault.NewText("own_requests_running", "too many of your requests of this kind are running; try again when one of them has ended"),
	}
}

// wait puts a token into a channel, at once if it has room.
func wait(ctx context.Context, into chan struct{}, patience <-chan time.Time, late error) error {
	select {
	case into <- struct{}{}:
		return nil
	default:
	}
	select {
	case into <- struct{}{}:
		return nil
	case <-patience:
		return late
	case <-ctx.Done():
		return ctx.Err()
	}
}

func drawingFull() error {
	return fault.New(fault.Busy, "page_images_full", "docent is drawing as many pages as it can; try again in a moment")
}
