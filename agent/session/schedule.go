package session

import (
	"context"
	"fmt"
	"time"

	"docent/agent"
	"docent/agent/session/journal"
	"docent/internal/fault"
)

// schedule decides when a session in memory takes its next step. The conversation's mu guards all
// fields except alarm and looked.
type schedule struct {
	rt      *Runtime
	session string
	looked  time.Time // when the last check of the conditions began, by RuntimeConfig.Now; only the owner uses it
	alarm   *alarm    // taken from the runtime's alarms when the session was loaded; only the owner uses it

	check   bool          // take a step
	again   bool          // and take another one after it, because something else happened
	circled bool          // the states formed an endless loop, and nothing has happened since
	wakeAt  time.Time     // time of the next check of timed conditions, by RuntimeConfig.Now; zero for none
	wakeDue time.Time     // the same time by the system's clock
	backoff time.Duration // how long the session slept before it was woken in vain
}

// stepLocked requests a step, and another one if a step is running.
func (s *schedule) stepLocked() { s.check, s.again = true, true }

// eventLocked requests a step because events have arrived.
func (s *schedule) eventLocked() { s.check, s.circled = true, false }

// next returns the time of the next check of the timed conditions at a place. It is zero without
// such conditions.
func (s *schedule) next(at agent.Place) time.Time {
	return s.rt.programs.machine().NextLook(at, s.looked, s.rt.cfg.Now(), s.rt.cfg.ConditionInterval)
}

// armLocked returns how long an idle owner waits for the next check.
func (s *schedule) armLocked(place agent.Place) time.Duration {
	if s.circled || !s.rt.programs.machine().Timed() && place.Deadline.IsZero() {
		return forever
	}
	if s.wakeAt.IsZero() {
		now := s.rt.cfg.Now()
		interval := s.rt.cfg.ConditionInterval
		if s.backoff > 0 {
			interval = longerBackoff(s.backoff, interval)
		}
		if s.wakeAt = s.rt.programs.machine().NextLook(place, s.looked, now, interval); s.wakeAt.IsZero() {
			return forever
		}
		s.wakeDue = time.Now().Add(s.wakeAt.Sub(now))
	}
	return min(max(time.Until(s.wakeDue), 0), maxNap)
}

// maxNap bounds the time after which a timer looks at the clock again.
const maxNap = time.Minute

// timeUpLocked requests a step if a check is due. A time of the day may come sooner than the timer
// says: the clock was set forward, or the computer slept.
func (s *schedule) timeUpLocked() {
	if !s.wakeAt.IsZero() && (time.Until(s.wakeDue) <= 0 || !s.wakeAt.After(s.rt.cfg.Now())) {
		s.check, s.wakeAt = true, time.Time{}
	}
}

// leaveLocked sets an alarm for the next check when the session leaves memory.
func (s *schedule) leaveLocked() {
	if !s.wakeAt.IsZero() {
		s.rt.alarms.set(alarm{ID: s.session, At: s.wakeAt, Backoff: s.wakeAt.Sub(s.rt.cfg.Now())})
	}
}

// giveBack restores the alarm of a session that could not be loaded.
func (s *schedule) giveBack(err error) {
	if s.alarm == nil || fault.KindOf(err) == fault.NotFound {
		return
	}
	soonest := s.rt.cfg.Now().Add(s.rt.cfg.ConditionInterval)
	if s.alarm.At.Before(soonest) {
		s.alarm.At = soonest
	}
	s.rt.alarms.set(*s.alarm)
}

// retryLocked makes the runtime load the session again after a failed write.
func (s *schedule) retryLocked() {
	pause := longerBackoff(s.backoff, s.rt.cfg.ConditionInterval)
	s.rt.alarms.set(alarm{ID: s.session, At: s.rt.cfg.Now().Add(pause), Backoff: pause})
}

// Start loads the sessions with a message or an event that a killed process left behind, and begins to wake
// sessions that are not in memory and whose state waits for a time or a condition, or that have an
// open question about a call. It reads them from the store, and later adds the sessions that leave
// memory. It also removes old sessions without an event.
//
// Start fails if the store cannot be read; the runtime then tries again later.
func (r *Runtime) Start(ctx context.Context) error {
	r.sweep(ctx)
	r.alarms.start(ctx)
	if err := r.goOn(ctx); err != nil {
		return err
	}
	return r.alarms.refill(ctx) //nolint:wrapcheck // the error is complete
}

// waitingFor bounds the age of the messages and events that Start has answered without a client. So a message
// that ends the process cannot do so at each start for ever.
const waitingFor = time.Hour

// maxWaiting bounds the sessions that Start loads for their messages: the last used.
const maxWaiting = 1000

// goOn sets alarms for the sessions with a message or an event that no turn has handled. A session that another
// replica runs stays there.
func (r *Runtime) goOn(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	now := r.cfg.Now()
	waiting, err := r.cfg.Store.Sessions(ctx, journal.SessionFilter{
		Agent: r.cfg.Agent.Name(), Waiting: true, Since: now.Add(-waitingFor), Latest: true, Limit: maxWaiting,
	})
	if err != nil {
		return fmt.Errorf("read the sessions with waiting messages: %w", err)
	}
	loaded := r.inMemory()
	for _, s := range waiting {
		if !loaded[s.Key.ID] {
			r.alarms.set(alarm{ID: s.Key.ID, At: now})
		}
	}
	return nil
}

// storedAlarms reads alarms from the store.
func (r *Runtime) storedAlarms(ctx context.Context, from time.Time, limit int) ([]alarm, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	stored, err := r.cfg.Store.Alarms(ctx, r.cfg.Agent.Name(), from, limit)
	all := make([]alarm, len(stored))
	for i, a := range stored {
		all[i] = alarm{ID: a.ID, At: a.At}
	}
	return all, err //nolint:wrapcheck // the caller wraps it
}

// wake loads a session and checks its conditions.
func (r *Runtime) wake(ctx context.Context, a alarm) error {
	err := r.with(ctx, a.ID, func(c *conversation) error {
		c.mu.Lock()
		defer c.mu.Unlock()
		if len(c.clients.list) == 0 {
			c.sched.backoff = a.Backoff
		}
		c.sched.stepLocked()
		c.mail.signal()
		return nil
	})
	if journal.HeldBy(err) != nil { // the other replica has an alarm
		return nil //nolint:nilerr // nothing failed
	}
	return err
}
