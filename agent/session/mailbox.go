package session

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"docent/internal/fault"
)

// maxCalls bounds the calls that wait for one session.
const maxCalls = 1000

// MaxIntakeWait bounds how long a client waits until its session can take a message. It is longer
// than any call of the store. A body that ignores the end of its context can delay a reset, and
// with it the session, forever.
const MaxIntakeWait = 20 * time.Second

// call is a function that the owner runs for a waiting caller.
type call struct {
	do    func(ctx context.Context) error
	turn  *openTurn  // the turn whose body waits; nil for a client
	done  chan error // receives one value
	begun bool       // guarded by the mailbox's mu
}

// mailbox holds the calls that wait for the owner of a session. It refuses calls
// once the session has left memory.
type mailbox struct {
	rt *Runtime
	// wakeup holds a value if the owner has to look for work.
	wakeup chan struct{}

	mu        *sync.Mutex // the mutex of the conversation; guards the fields below
	calls     []*call
	users     int   // callers in an operation that needs the session
	resetting bool  // a reset is due or its greeting has not finished
	emptied   bool  // the reset has emptied the session, and the greeting is due
	gone      bool  // the runtime has forgotten the session
	err       error // the reason, if gone
}

// signal makes the owner look for work.
func (m *mailbox) signal() {
	select {
	case m.wakeup <- struct{}{}:
	default:
	}
}

// ask makes the owner run a function and waits for the result. If ctx ends before the owner starts,
// ask withdraws the call and returns the cause. t is the turn whose body asks, or nil. A reset that
// waits for turn t refuses its calls, because the turn would otherwise wait for the reset.
func (m *mailbox) ask(ctx context.Context, t *openTurn, do func(ctx context.Context) error) error {
	q := &call{do: do, turn: t, done: make(chan error, 1)}
	m.mu.Lock()
	err := m.refusalLocked(t)
	if err == nil {
		m.calls = append(m.calls, q)
		m.signal()
	}
	m.mu.Unlock()
	if err != nil {
		return err
	}
	select {
	case err := <-q.done:
		return err
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	m.mu.Lock()
	begun := q.begun
	if !begun {
		m.calls = slices.DeleteFunc(m.calls, func(other *call) bool { return other == q })
		if m.resetting && errors.Is(err, errSlow) {
			err = errStuck
		}
	}
	m.mu.Unlock()
	if begun {
		return <-q.done
	}
	return err
}

// errSlow refuses a client whose session is busy for too long. errStuck refuses a client whose
// session waits for a running turn before it can be reset.
var (
	errSlow  = fault.New(fault.Busy, "session_busy", "this conversation is busy; try again in a moment")
	errStuck = fault.New(fault.Busy, "reset_stuck", "this conversation is being reset, but its running work does not end; try again later")
)

// withIntakeWait returns a context that ends after MaxIntakeWait, with the cause errSlow.
func withIntakeWait(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, MaxIntakeWait, errSlow)
}

// refusalLocked returns the reason to refuse a call, or nil. t is the turn whose body calls, or nil
// for a client.
func (m *mailbox) refusalLocked(t *openTurn) error {
	switch {
	case m.gone:
		return m.err
	case t == nil && m.rt.isClosing():
		return errClosing
	case len(m.calls) >= maxCalls:
		return fault.New(fault.Busy, "session_queue_crowded", "too many messages are waiting in this conversation; try again in a moment")
	}
	return nil
}

// takeLocked takes the next call. It returns nil if there is none, or if a reset comes first.
// current is the running turn.
func (m *mailbox) takeLocked(current *openTurn) *call {
	if m.rt.isClosing() {
		m.failLocked(errClosing, nil)
	}
	if m.resetting && !m.emptied {
		m.failLocked(errReset, current)
	}
	i := slices.IndexFunc(m.calls, func(q *call) bool { return !m.resetting || q.turn != nil })
	if i < 0 {
		return nil
	}
	q := m.calls[i]
	q.begun = true
	if m.calls = slices.Delete(m.calls, i, i+1); len(m.calls) == 0 {
		m.calls = nil
	}
	return q
}

// failLocked ends the calls of turn t with an error, or the calls of clients if t is nil. If the
// session has left memory, it ends all calls.
func (m *mailbox) failLocked(err error, t *openTurn) {
	m.calls = slices.DeleteFunc(m.calls, func(q *call) bool {
		if q.turn != t && !m.gone {
			return false
		}
		q.begun = true
		q.done <- err
		return true
	})
}

// use keeps the session in memory until leave. It returns false if the session has already left
// memory.
func (m *mailbox) use() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.gone {
		return false
	}
	m.users++
	return true
}

func (m *mailbox) leave() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.users--
	m.signal()
}

// failure returns the reason why the session cannot be used, or nil.
func (m *mailbox) failure() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.err
}

// nothing is the function of a caller that only waits for the end of a reset.
func nothing(context.Context) error { return nil }
