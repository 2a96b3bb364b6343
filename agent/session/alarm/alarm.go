// Package alarm wakes sessions that are not in memory. It keeps the time of each
// session in a heap and uses one timer for all of them.
package alarm

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

// MaxPage bounds the alarms that are read from the store at once. Later alarms are
// read when their time has come.
const MaxPage = 100_000

// MaxBackoff bounds the interval between attempts to wake a session in vain.
const MaxBackoff = time.Minute

// Alarm is the time at which a session is woken.
type Alarm struct {
	ID string
	At time.Time
	// Backoff is the time for which the session slept before it was woken in vain.
	Backoff time.Duration
}

// Config makes a Clock. All fields are required, except Page.
type Config struct {
	Now    func() time.Time
	Logger *slog.Logger
	// Go runs a function in a goroutine; false during the shutdown.
	Go func(func()) bool
	// Read returns the first stored alarms from a time on, at most limit.
	Read func(ctx context.Context, from time.Time, limit int) ([]Alarm, error)
	// Loaded returns the ids of the sessions in memory, which need no alarm.
	Loaded func() map[string]bool
	// Wake wakes a session.
	Wake func(ctx context.Context, a Alarm) error
	// Interval is the first pause after a session could not be woken.
	Interval time.Duration
	// Page bounds the alarms that are read at once. Default: MaxPage.
	Page int
}

// Clock wakes sessions. It is safe for concurrent use.
type Clock struct {
	cfg Config

	mu     sync.Mutex      // guards the following fields
	ctx    context.Context //nolint:containedctx // for the work of the timer; nil before Start
	timer  *time.Timer
	heap   sessions
	closed bool
	// Stored alarms before from are read. The next page is read at again, or never
	// if again is zero. Sessions that were woken in vain keep their stored time.
	from, again time.Time
}

// New returns a clock without alarms.
func New(cfg Config) *Clock {
	if cfg.Page == 0 {
		cfg.Page = MaxPage
	}
	return &Clock{cfg: cfg}
}

// Start gives the clock the values of a context. Only the first call counts.
func (c *Clock) Start(ctx context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ctx == nil {
		c.ctx = context.WithoutCancel(ctx)
	}
}

// Stop stops the clock for good.
func (c *Clock) Stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	if c.timer != nil {
		c.timer.Stop()
	}
}

// Set adds or changes the alarm of a session.
func (c *Clock) Set(a Alarm) {
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

// Take removes the alarm of a session and returns it; nil without one.
func (c *Clock) Take(id string) *Alarm {
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

// Refill reads alarms from the store.
func (c *Clock) Refill(ctx context.Context) error {
	c.mu.Lock()
	from := c.from
	c.mu.Unlock()
	all, err := c.cfg.Read(ctx, from, c.cfg.Page)
	if err != nil {
		c.readOn(from, c.cfg.Now().Add(MaxBackoff))
		return fmt.Errorf("read the sessions to wake: %w", err)
	}
	loaded := c.cfg.Loaded()
	for _, a := range all {
		if !loaded[a.ID] {
			c.Set(a)
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
func (c *Clock) readOn(from, again time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.from, c.again = from, again
}

// armLocked sets the timer to the first alarm, or to the next read if it is
// earlier.
func (c *Clock) armLocked() {
	at := c.again
	if len(c.heap.list) > 0 && (at.IsZero() || c.heap.list[0].At.Before(at)) {
		at = c.heap.list[0].At
	}
	if c.closed || c.ctx == nil || at.IsZero() {
		return
	}
	wait := at.Sub(c.cfg.Now())
	if c.timer != nil {
		c.timer.Reset(wait)
		return
	}
	ctx := c.ctx
	c.timer = time.AfterFunc(wait, func() { c.cfg.Go(func() { c.ring(ctx) }) })
}

// due takes the first alarm if its time has come. refill asks the caller to read
// alarms first.
func (c *Clock) due() (a Alarm, ok, refill bool) {
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
	a, ok = heap.Pop(&c.heap).(Alarm)
	return a, ok, false
}

// ring wakes the sessions whose time has come, one after the other.
func (c *Clock) ring(ctx context.Context) {
	for {
		a, ok, refill := c.due()
		if refill {
			if err := c.Refill(ctx); err != nil {
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
			a.Backoff = Longer(a.Backoff, c.cfg.Interval)
			a.At = c.cfg.Now().Add(a.Backoff)
			c.Set(a)
		}
	}
}

// Longer returns the backoff after another one: twice as long, at least the
// interval, and at most MaxBackoff.
func Longer(backoff, interval time.Duration) time.Duration {
	return min(max(2*backoff, interval), MaxBackoff)
}
