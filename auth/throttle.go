package auth

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"docent/internal/fault"
)

// limit configures how a throttle slows wrong attempts.
type limit struct {
	free int           // that many attempts are not slowed
	most time.Duration // longest wait between later attempts; the wait begins at a second and doubles
}

// The limits. The one for tokens bounds load only, because nobody can guess a
// token. The one for addresses is generous, because users may share an address, and that for networks even more.
// The one for users ends soon, so that nobody can lock a user out.
var (
	wrongTokenLimit   = limit{free: 20, most: time.Minute}
	wrongUserLimit    = limit{free: 5, most: 15 * time.Second}
	wrongAddressLimit = limit{free: 20, most: time.Minute}
	wrongSiteLimit    = limit{free: 200, most: time.Minute}
)

const (
	// forgetAfter is the time for which a key without attempts is remembered.
	forgetAfter = 15 * time.Minute
	// maxKeys bounds the keys of a throttle.
	maxKeys = 10_000
	// evictLook is the number of keys that are considered for eviction.
	evictLook = 16
)

// throttle slows attempts by key, such as a user name or an address. It
// remembers at most maxKeys keys.
type throttle struct {
	now   func() time.Time
	limit limit

	mu   sync.Mutex // guards keys
	keys map[string]attempts
}

// attempts counts the wrong attempts of a key.
type attempts struct {
	count int
	last  time.Time
}

func newThrottle(now func() time.Time, l limit) *throttle {
	return &throttle{now: now, limit: l, keys: map[string]attempts{}}
}

// attempt counts an attempt. If it comes too early, it is not counted and fails
// with fault.RateLimited, see [RetryAfter]. The key "" is never slowed.
func (t *throttle) attempt(key string) error {
	if key == "" {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	k := t.keys[key]
	if now.Sub(k.last) >= forgetAfter {
		k = attempts{}
	}
	if wait := k.last.Add(t.limit.pause(k.count)).Sub(now); k.count > 0 && wait > 0 {
		return slow(wait)
	}
	if _, known := t.keys[key]; !known && len(t.keys) >= maxKeys {
		t.evict(now)
	}
	t.keys[key] = attempts{k.count + 1, now}
	return nil
}

// pause returns the wait after a number of attempts.
func (l limit) pause(count int) time.Duration {
	if count < l.free {
		return 0
	}
	return min(l.most, time.Second<<min(count-l.free, 30))
}

// evict removes one of a few random keys: an expired one, or the one with the
// fewest attempts.
func (t *throttle) evict(now time.Time) {
	var victim string
	least, looked := -1, 0
	for key, k := range t.keys {
		if now.Sub(k.last) >= forgetAfter {
			victim = key
			break
		}
		if least < 0 || k.count < least {
			victim, least = key, k.count
		}
		if looked++; looked >= evictLook {
			break
		}
	}
	delete(t.keys, victim)
}

// refund removes an attempt that was not wrong.
func (t *throttle) refund(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	k, known := t.keys[key]
	switch {
	case !known:
	case k.count <= 1:
		delete(t.keys, key)
	default:
		t.keys[key] = attempts{k.count - 1, k.last}
	}
}

// forget removes all attempts of a key.
func (t *throttle) forget(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.keys, key)
}

// slowedError is the error of a slowed attempt.
type slowedError struct{ after time.Duration }

// Error returns the message with the wait.
func (e *slowedError) Error() string { return fmt.Sprintf("slowed for %s", e.after) }

func slow(wait time.Duration) error {
	seconds := (wait + time.Second - 1) / time.Second
	return fault.Wrap(fault.RateLimited, &slowedError{seconds * time.Second},
		"sign_in_throttled", "too many wrong attempts; try again in %d s", seconds)
}

// RetryAfter returns the wait in whole seconds that a fault.RateLimited error
// of this package asks for. For other errors it returns 0.
func RetryAfter(err error) time.Duration {
	var slowed *slowedError
	if errors.As(err, &slowed) {
		return slowed.after
	}
	return 0
}
