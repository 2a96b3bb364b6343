package session

import (
	"container/heap"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"docent/internal/errlog"
	"docent/internal/fault"
)

// maxAlarmPage bounds the alarms that are read from the store at once. Later alarms are
// read when their time has come.
const maxAlarmPage = 100_000

// maxBackoff bounds the interval between attempts to wake a session in vain.
const maxBackoff = time.Minute

// alarm is the time at which a session is woken.
type alarm struct {
	ID string
	At time.Time
	// Backoff is the time for which the session slept before it was woken in vain.
	Backoff time.Duration
}

// alarmClockConfig makes an alarmClock. All fields are required, except Page.
type alarmClockConfig struct {
	Now    func() time.Time
	Logger *slog.Logger
	// Go runs a function in a goroutine; false during the shutdown.
	Go func(func()) bool
	// Read returns the first stored alarms from a time on, at most limit.
	Read func(ctx context.Context, from time.Time, limit int) ([]alarm, error)
	// Loaded returns the ids of the sessions in memory, which need no alarm.
	Loaded func() map[string]bool
	// Wake wakes a session.
	Wake func(ctx context.Context, a alarm) error
	// Interval is the first pause after a session could not be woken.
	Interval time.Duration
	// Page bounds the alarms that are read at once. Default: maxAlarmPage.
	Page int
}

// alarmClock wakes sessions that are not in memory. It keeps the time of each session in a heap and
// uses one timer for all of them. It is safe for concurrent use.
type alarmClock struct {
	cfg alarmClockConfig

	mu     sync.Mutex      // guards the following fields
	ctx    context.Context //nolint:containedctx // for the work of the timer; nil before start
	timer  *time.Timer
	heap   alarmHeap
	closed bool
	// Stored alarms before from are read. The next page is read at again, or never
	// if again is zero. Sessions that were woken in vain keep their stored time.
	from, again time.Time
}

// newAlarmClock returns a clock without alarms.
func newAlarmClock(cfg alarmClockConfig) *alarmClock {
	if cfg.Page == 0 {
		cfg.Page = maxAlarmPage
	}
	return &alarmClock{cfg: cfg}
}

// start gives the clock the values of a context. Only the first call counts.
func (c *alarmClock) start(ctx context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ctx == nil {
		c.ctx = context.WithoutCancel(ctx)
	}
}

// stop stops the clock for good.
func (c *alarmClock) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	if c.timer != nil {
		c.timer.Stop()
	}
}

// set adds or changes the alarm of a session.
func (c *alarmClock) set(a alarm) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i, ok := c.heap.where[a.ID]; ok {
		heap.Remove(&c.heap, i)
	}
	heap.Push(&c.heap, a)
	if c.heap.list[0].ID == a.ID {
		c.armLocked()
	}
}

// take removes the alarm of a session and returns it; nil without one.
func (c *alarmClock) take(id string) *alarm {
	c.mu.Lock()
	defer c.mu.Unlock()
	i, ok := c.heap.where[id]
	if !ok {
		return nil
	}
	a := c.heap.list[i]
	heap.Remove(&c.heap, i)
	return &a
}

// refill reads alarms from the store.
func (c *alarmClock) refill(ctx context.Context) error {
	c.mu.Lock()
	from := c.from
	c.mu.Unlock()
	all, err := c.cfg.Read(ctx, from, c.cfg.Page)
	if err != nil {
		c.readOn(from, c.cfg.Now().Add(maxBackoff))
		return fmt.Errorf("read the sessions to wake: %w", err)
	}
	loaded := c.cfg.Loaded()
	for _, a := range all {
		if !loaded[a.ID] {
			c.set(a)
		}
	}
	if len(all) < c.cfg.Page {
		c.readOn(from, time.Time{})
		return nil
	}
	last := all[len(all)-1].At
	if !last.After(from) { // the whole page has one time
		last = from.Add(time.Microsecond)
	}
	c.readOn(last, last)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.armLocked()
	return nil
}

// readOn remembers from when the stored alarms are read next, and when.
func (c *alarmClock) readOn(from, again time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.from, c.again = from, again
}

// armLocked sets the timer to the first alarm, or to the next read if it is
// earlier.
func (c *alarmClock) armLocked() {
	at := c.again
	if len(c.heap.list) > 0 && (at.IsZero() || c.heap.list[0].At.Before(at)) {
		at = c.heap.list[0].At
	}
	if c.closed || c.ctx == nil || at.IsZero() {
		return
	}
	wait := min(at.Sub(c.cfg.Now()), maxNap)
	if c.timer != nil {
		c.timer.Reset(wait)
		return
	}
	ctx := c.ctx
	c.timer = time.AfterFunc(wait, func() { c.cfg.Go(func() { c.ring(ctx) }) })
}

// due takes the first alarm if its time has come. refill asks the caller to read
// alarms first.
func (c *alarmClock) due() (a alarm, ok, refill bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return a, false, false
	}
	now := c.cfg.Now()
	if !c.again.IsZero() && !c.again.After(now) {
		c.again = time.Time{}
		return a, false, true
	}
	if len(c.heap.list) == 0 || c.heap.list[0].At.After(now) {
		c.armLocked()
		return a, false, false
	}
	a, ok = heap.Pop(&c.heap).(alarm)
	return a, ok, false
}

// ring wakes the sessions whose time has come, one after the other.
func (c *alarmClock) ring(ctx context.Context) {
	for {
		a, ok, refill := c.due()
		if refill {
			if err := c.refill(ctx); err != nil {
				c.cfg.Logger.ErrorContext(ctx, "read alarms", errlog.Attr(err))
			}
			continue
		}
		if !ok {
			return
		}
		err := c.cfg.Wake(ctx, a)
		if err == nil {
			continue
		}
		c.cfg.Logger.WarnContext(ctx, "wake session", "session", a.ID, errlog.Attr(err))
		if fault.KindOf(err) != fault.NotFound {
			a.Backoff = longerBackoff(a.Backoff, c.cfg.Interval)
			a.At = c.cfg.Now().Add(a.Backoff)
			c.set(a)
		}
	}
}

// longerBackoff returns the backoff after another one: twice as long, at least the
// interval, and at most maxBackoff.
func longerBackoff(backoff, interval time.Duration) time.Duration {
	return min(max(2*backoff, interval), maxBackoff)
}
