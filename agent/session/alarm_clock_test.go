package session

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// woken records the sessions that a clock wakes. It fails for those in failing.
type woken struct {
	mu      sync.Mutex
	ids     []string
	failing map[string]bool
}

func (w *woken) wake(_ context.Context, a alarm) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ids = append(w.ids, a.ID)
	if w.failing[a.ID] {
		return errors.New("the store does not respond")
	}
	return nil
}

func (w *woken) got() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.ids)
}

// newTestClock returns a clock in a bubble whose store has the alarms.
func newTestClock(t *testing.T, w *woken, stored ...alarm) *alarmClock {
	t.Helper()
	c := newAlarmClock(alarmClockConfig{
		Now: time.Now, Logger: slog.New(slog.NewTextHandler(t.Output(), nil)), Interval: time.Second,
		Go:     func(f func()) bool { go f(); return true },
		Loaded: func() map[string]bool { return map[string]bool{"loaded": true} },
		Read: func(_ context.Context, from time.Time, limit int) ([]alarm, error) {
			var out []alarm
			for _, a := range stored {
				if !a.At.Before(from) && len(out) < limit {
					out = append(out, a)
				}
			}
			return out, nil
		},
		Wake: w.wake,
	})
	c.start(t.Context())
	t.Cleanup(c.stop)
	return c
}

// TestAlarmClock: sessions are woken in the order of their alarms, except those in
// memory and those whose alarm was taken.
func TestAlarmClock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		now := time.Now()
		var w woken
		c := newTestClock(t, &w, alarm{ID: "stored", At: now.Add(2 * time.Second)}, alarm{ID: "loaded", At: now.Add(time.Second)})
		if err := c.refill(t.Context()); err != nil {
			t.Fatal(err)
		}
		c.set(alarm{ID: "late", At: now.Add(4 * time.Second)})
		c.set(alarm{ID: "early", At: now.Add(time.Second)})
		c.set(alarm{ID: "taken", At: now.Add(time.Second)})
		if c.take("taken") == nil || c.take("taken") != nil {
			t.Error("an alarm is taken once")
		}
		<-time.After(3 * time.Second) // of the fake clock
		synctest.Wait()
		if got := w.got(); !slices.Equal(got, []string{"early", "stored"}) {
			t.Errorf("woke %v", got)
		}
		c.stop()
		<-time.After(time.Minute)
		synctest.Wait()
		if got := w.got(); len(got) != 2 {
			t.Errorf("after the stop woke %v", got)
		}
	})
}

// TestAlarmBackoff: the interval between attempts doubles up to maxBackoff.
func TestAlarmBackoff(t *testing.T) {
	t.Parallel()
	backoff := time.Duration(0)
	for range 20 {
		next := longerBackoff(backoff, time.Second)
		if next < backoff || next > maxBackoff {
			t.Fatalf("after %v comes %v", backoff, next)
		}
		backoff = next
	}
	if backoff != maxBackoff {
		t.Errorf("the longest interval is %v", backoff)
	}
}
