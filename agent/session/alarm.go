package session

import (
	"container/heap"
	"context"
	"fmt"
	"sync"
	"time"

	"docent/agent"
	"docent/internal/fault"
)

// Bounds of waking sessions that are not in memory.
const (
	// MaxAlarms bounds the sessions that are read at once to wake them; what is
	// due later is read when its time has come.
	MaxAlarms = 100_000
)

// Start begins to wake the sessions whose state waits for a time or a condition
// and that are not in memory: those that the store has, and from then on those
// that leave memory. It does nothing for an agent without such states.
func (r *Runtime) Start(ctx context.Context) error {
	if !r.machine.Timed() {
		return nil
	}
	r.alarms.start(ctx)
	return r.refill(ctx)
}

// refill reads alarms from the store.
func (r *Runtime) refill(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, r.cfg.StoreTimeout)
	defer cancel()
	from, page := r.alarms.position()
	all, err := r.cfg.Store.Alarms(ctx, r.cfg.Agent.Name(), from, page)
	if err != nil {
		r.alarms.read(from, r.cfg.Now().Add(maxBackoff))
		return fmt.Errorf("read the sessions to wake: %w", err)
	}
	r.mu.Lock()
	here := make(map[string]bool, len(r.sessions))
	for key := range r.sessions {
		here[key.ID] = true
	}
	r.mu.Unlock()
	for _, a := range all {
		if !here[a.ID] {
			r.alarms.set(sleeper{id: a.ID, at: a.At}, r)
		}
	}
	if len(all) < page {
		r.alarms.read(from, time.Time{})
		return nil
	}
	last := all[len(all)-1].At
	if !last.After(from) { // as many at one time
		last = from.Add(time.Microsecond)
	}
	r.alarms.read(last, last)
	r.alarms.arm(r)
	return nil
}

// sleeper is a session that is to be woken.
type sleeper struct {
	id      string
	at      time.Time
	backoff time.Duration
}

// alarms wakes the sessions that are not in memory, by one timer.
type alarms struct {
	mu     sync.Mutex      // guards what follows
	ctx    context.Context //nolint:containedctx // for what the timer begins; nil before the first session
	timer  *time.Timer
	heap   sleepers
	closed bool
	page   int // how many are read at once; 0 for MaxAlarms
	// from is up to when the store's alarms are read, and again when to read on;
	// zero if the store has no others. Sessions that are woken in vain stay where
	// they are in the store.
	from, again time.Time
}

// start gives the alarms the values of a context; the first counts.
func (a *alarms) start(ctx context.Context) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ctx == nil {
		a.ctx = context.WithoutCancel(ctx)
	}
}

func (a *alarms) stop() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = true
	if a.timer != nil {
		a.timer.Stop()
	}
}

// position says from when the store's alarms are to be read, and how many.
func (a *alarms) position() (from time.Time, page int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.page == 0 {
		a.page = MaxAlarms
	}
	return a.from, a.page
}

// read tells that they are read up to a time, and when to read on.
func (a *alarms) read(from, again time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.from, a.again = from, again
}

func (a *alarms) arm(r *Runtime) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.armLocked(r)
}

// set makes or changes an alarm.
func (a *alarms) set(s sleeper, r *Runtime) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.removeLocked(s.id)
	heap.Push(&a.heap, s)
	if a.heap.list[0].id == s.id {
		a.armLocked(r)
	}
}

// take removes a session's alarm and returns it; nil if it has none.
func (a *alarms) take(id string) *sleeper {
	a.mu.Lock()
	defer a.mu.Unlock()
	i, ok := a.heap.where[id]
	if !ok {
		return nil
	}
	s := a.heap.list[i]
	heap.Remove(&a.heap, i)
	return &s
}

func (a *alarms) removeLocked(id string) {
	if i, ok := a.heap.where[id]; ok {
		heap.Remove(&a.heap, i)
	}
}

// armLocked sets the timer to the first alarm, or to when others are to be read.
func (a *alarms) armLocked(r *Runtime) {
	at := a.again
	if len(a.heap.list) > 0 && (at.IsZero() || a.heap.list[0].at.Before(at)) {
		at = a.heap.list[0].at
	}
	if a.closed || a.ctx == nil || at.IsZero() {
		return
	}
	wait := at.Sub(r.cfg.Now())
	if a.timer != nil {
		a.timer.Reset(wait)
		return
	}
	ctx := a.ctx
	a.timer = time.AfterFunc(wait, func() { r.ring(ctx) })
}

// due takes the first alarm if its time has come; refill tells to read others
// first.
func (a *alarms) due(r *Runtime) (s sleeper, ok, refill bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return s, false, false
	}
	now := r.cfg.Now()
	if !a.again.IsZero() && !a.again.After(now) {
		a.again = time.Time{}
		return s, false, true
	}
	if len(a.heap.list) == 0 || a.heap.list[0].at.After(now) {
		a.armLocked(r)
		return s, false, false
	}
	s, ok = heap.Pop(&a.heap).(sleeper)
	return s, ok, false
}

// ring wakes the sessions whose time has come, one after the other.
func (r *Runtime) ring(ctx context.Context) {
	if !r.begin() {
		return
	}
	defer r.running.Done()
	for {
		s, ok, refill := r.alarms.due(r)
		if refill {
			if err := r.refill(ctx); err != nil {
				r.cfg.Logger.ErrorContext(ctx, "read alarms", agent.ErrorAttr(err))
			}
			continue
		}
		if !ok {
			return
		}
		err := r.with(ctx, s.id, func(c *conversation) error {
			c.mu.Lock()
			defer c.mu.Unlock()
			if len(c.clients.list) == 0 {
				c.sched.backoff = s.backoff
			}
			c.sched.stepLocked()
			c.mail.signal()
			return nil
		})
		if err == nil {
			continue
		}
		r.cfg.Logger.WarnContext(ctx, "wake session", "session", s.id, agent.ErrorAttr(err))
		if fault.KindOf(err) != fault.NotFound {
			s.backoff = min(max(2*s.backoff, r.cfg.ConditionInterval), maxBackoff)
			s.at = r.cfg.Now().Add(s.backoff)
			r.alarms.set(s, r)
		}
	}
}

// sleepers is a heap by time that knows where each session is.
type sleepers struct {
	list  []sleeper
	where map[string]int
}

// Len implements heap.Interface.
func (h *sleepers) Len() int { return len(h.list) }

// Less implements heap.Interface.
func (h *sleepers) Less(i, j int) bool { return h.list[i].at.Before(h.list[j].at) }

// Swap implements heap.Interface.
func (h *sleepers) Swap(i, j int) {
	h.list[i], h.list[j] = h.list[j], h.list[i]
	h.where[h.list[i].id], h.where[h.list[j].id] = i, j
}

// Push implements heap.Interface.
func (h *sleepers) Push(x any) {
	s, _ := x.(sleeper)
	if h.where == nil {
		h.where = map[string]int{}
	}
	h.where[s.id] = len(h.list)
	h.list = append(h.list, s)
}

// Pop implements heap.Interface.
func (h *sleepers) Pop() any {
	last := len(h.list) - 1
	s := h.list[last]
	h.list[last] = sleeper{}
	h.list = h.list[:last]
	delete(h.where, s.id)
	return s
}
