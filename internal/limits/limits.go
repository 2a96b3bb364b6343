// Package limits bounds what clients may use: bytes, connections, or messages a
// second.
package limits

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"
)

// Config configures a Limit.
type Config struct {
	// Total bounds the amount in use by all keys together. Default: 0, unbounded.
	Total int64
	// Each bounds the amount in use by one key. Default: 0, unbounded.
	Each int64
	// PerSecond is the amount that becomes free again each second, for each key and
	// in total. With it, a Limit bounds a rate, and Total or Each is the burst.
	// Default: 0, amounts return only by Free.
	PerSecond float64
	// MaxKeys bounds the keys with something in use. Default: 0, unbounded.
	MaxKeys int
}

// ErrTotal and ErrEach report which bound a call would exceed.
var (
	ErrTotal = errors.New("the limit for all keys together is reached")
	ErrEach  = errors.New("the limit for one key is reached")
)

// Limit counts the amount in use and refuses more than its bounds. It is safe
// for concurrent use.
type Limit struct {
	cfg Config

	mu      sync.Mutex // guards the fields below
	total   level
	keys    map[string]level // keys with nothing in use are removed
	shared  bool
	taken   map[string]int64            // amounts that other processes do not know yet; only with a rate
	others  map[string]map[string]int64 // amounts in use in other processes; only without a rate
	sweepAt int                         // number of keys at which drained keys are removed
}

// level is the amount in use at a point in time.
type level struct {
	amount float64
	at     time.Time // only with Config.PerSecond
}

// minSweep is the least number of keys at which drained keys are removed.
const minSweep = 64

// New returns a Limit with nothing in use.
func New(cfg Config) *Limit { return &Limit{cfg: cfg, sweepAt: minSweep} }

// Take adds n to the amount in use by a key. It returns ErrTotal or ErrEach, and
// changes nothing, if a bound would be exceeded.
func (l *Limit) Take(key string, n int64) error {
	_, err := l.take(key, n)
	return err
}

// Wait takes n for a key as soon as both bounds allow it. It returns an error if
// ctx ends first, or if waiting cannot help.
func (l *Limit) Wait(ctx context.Context, key string, n int64) error {
	for {
		wait, err := l.take(key, n)
		if err == nil || wait == math.MaxInt64 {
			return err
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return context.Cause(ctx)
		}
	}
}

// take is Take; with an error it also returns the time after which another
// attempt may succeed.
func (l *Limit) take(key string, n int64) (wait time.Duration, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var now time.Time
	if l.cfg.PerSecond > 0 {
		now = time.Now()
	}
	total := l.drained(l.total, now)
	if over := total.amount + float64(n) - float64(l.cfg.Total); l.cfg.Total > 0 && over > 0 {
		return l.until(over), ErrTotal
	}
	if l.keyed() {
		each, known := l.keys[key]
		each = l.drained(each, now)
		used := each.amount
		for _, amounts := range l.others {
			used += float64(amounts[key])
		}
		if over := used + float64(n) - float64(l.cfg.Each); l.cfg.Each > 0 && over > 0 {
			return l.until(over), ErrEach
		}
		if !known && !l.room(now) {
			return time.Second, ErrTotal
		}
		each.amount += float64(n)
		l.keys[key] = each
		if l.shared && l.Rate() {
			l.taken[key] += n
		}
	}
	total.amount += float64(n)
	l.total = total
	return 0, nil
}

// keyed reports whether amounts are counted by key.
func (l *Limit) keyed() bool { return l.cfg.Each > 0 || l.cfg.MaxKeys > 0 }

// until returns the time in which PerSecond gives back that amount.
func (l *Limit) until(over float64) time.Duration {
	if l.cfg.PerSecond <= 0 {
		return math.MaxInt64
	}
	return time.Duration(math.Ceil(over / l.cfg.PerSecond * float64(time.Second)))
}

// drained returns a level at a later time.
func (l *Limit) drained(v level, now time.Time) level {
	if l.cfg.PerSecond > 0 {
		v.amount = max(0, v.amount-now.Sub(v.at).Seconds()*l.cfg.PerSecond)
		v.at = now
	}
	return v
}

// room makes room for another key and reports whether there is some. It looks at
// all keys only when their number has doubled.
func (l *Limit) room(now time.Time) bool {
	if l.keys == nil {
		l.keys = map[string]level{}
	}
	full := l.cfg.MaxKeys > 0 && len(l.keys) >= l.cfg.MaxKeys
	if l.cfg.PerSecond > 0 && (full || len(l.keys) >= l.sweepAt) {
		for key, v := range l.keys {
			if l.drained(v, now).amount == 0 {
				delete(l.keys, key)
			}
		}
		l.sweepAt = max(minSweep, 2*len(l.keys))
	}
	return l.cfg.MaxKeys <= 0 || len(l.keys) < l.cfg.MaxKeys
}

// Free gives back n that was taken for a key.
func (l *Limit) Free(key string, n int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.total.amount = max(0, l.total.amount-float64(n))
	if v, ok := l.keys[key]; ok {
		if v.amount -= float64(n); v.amount <= 0 {
			delete(l.keys, key)
		} else {
			l.keys[key] = v
		}
	}
}

// Used returns the amount that was taken by all keys and not freed.
func (l *Limit) Used() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return int64(l.total.amount)
}

// Keys returns the number of keys with something in use.
func (l *Limit) Keys() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.keys)
}
