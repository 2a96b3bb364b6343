package auth

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"docent/internal/fault"
)

// limit says how wrong attempts are slowed.
type limit struct {
	free int           // that many are not
	most time.Duration // between two of the later ones; it begins at a second and doubles
}

// The limits. Nobody guesses a token, so the first is about load; the third is
// wide since people may share an address; and the second ends soon, or anybody
// could lock a user out.
var (
	wrongTokenLimit   = limit{free: 20, most: time.Minute}
	wrongUserLimit    = limit{free: 5, most: 15 * time.Second}
	wrongAddressLimit = limit{free: 20, most: time.Minute}
)

const (
	// forgetAfter is how long a key without an attempt is remembered.
	forgetAfter = 15 * time.Minute
	// maxKeys bounds the keys of a throttle.
	maxKeys = 10_000
	// evictLook is how many keys are looked at to find one to give up.
	evictLook = 16
)

// throttle slows attempts by a key such as a user name or an address. It keeps
// at most maxKeys of them.
type throttle struct {
	now   func() time.Time
	limit limit

	mu   sync.Mutex // guards keys
	keys map[string]attempts
}

// attempts are those of a key that were not right.
type attempts struct {
	count int
	last  time.Time
}

func newThrottle(now func() time.Time, l limit) *throttle {
	return &throttle{now: now, limit: l, keys: map[string]attempts{}}
}

// attempt counts one. If it comes too early it is not counted but refused as
// fault.RateLimited, see [RetryAfter]. The key "" is nobody's and never slowed.
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

// pause is what has to pass after that many.
func (l limit) pause(count int) time.Duration {
	if count < l.free {
		return 0
	}
	return min(l.most, time.Second<<min(count-l.free, 30))
}

// evict makes room: it gives up one of a few that map iteration happens on,
// those first that are forgotten anyway or have tried least.
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

// refund takes an attempt back that was not wrong.
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

// forget takes all of them back.
func (t *throttle) forget(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.keys, key)
}

// slowedError says when to try again.
type slowedError struct{ after time.Duration }

// Error says how long to wait.
func (e *slowedError) Error() string { return fmt.Sprintf("slowed for %s", e.after) }

func slow(wait time.Duration) error {
	seconds := (wait + time.Second - 1) / time.Second
	return fault.Wrap(fault.RateLimited, &slowedError{seconds * time.Second},
		"sign_in_throttled", "too many wrong attempts; try again in %d s", seconds)
}

// RetryAfter is how long somebody whose attempt failed with that error has to
// wait, in whole seconds; 0 if the error does not say.
func RetryAfter(err error) time.Duration {
	var slowed *slowedError
	if errors.As(err, &slowed) {
		return slowed.after
	}
	return 0
}
