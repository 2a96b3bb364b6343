// Package mailbox holds the calls that wait for the owner of a session, which runs them one at a
// time.
package mailbox

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

// MaxWait bounds how long a client waits until its session can take a message. It is longer
// than any call of the store. A body that ignores the end of its context can delay a reset, and
// with it the session, forever.
const MaxWait = 20 * time.Second

// Call is a function that the owner runs for a waiting caller.
type Call[T comparable] struct {
	do    func(ctx context.Context) error
	turn  T          // the turn whose body waits; zero for a client
	done  chan error // receives one value
	begun bool       // guarded by the mailbox's mu
}

// Run runs the call for its caller. Only the owner calls it.
func (q *Call[T]) Run(ctx context.Context) { q.done <- q.do(ctx) }

// Mailbox holds the calls that wait for the owner of a session. It refuses calls once the session
// has left memory. T names a turn, and its zero value is no turn. Make it with New.
type Mailbox[T comparable] struct {
	wakeup  chan struct{} // holds a value if the owner has to look for work
	closing <-chan struct{}
	refused Refusals
	mu      *sync.Mutex // guards the fields below
	calls   []*Call[T]
	users   int   // callers in an operation that needs the session
	reset   Reset // the progress of a reset
	gone    error // why the session has left memory, or nil
}

// Reset is the progress of a reset.
type Reset int

// The steps of a reset.
const (
	// NoReset means that no reset is due.
	NoReset Reset = iota
	// ResetDue means that the owner must empty the session. Until then, the mailbox refuses the
	// calls of clients.
	ResetDue
	// Emptied means that the owner has emptied the session, and that the greeting is not over.
	// Meanwhile, clients wait.
	Emptied
)

// Refusals are the errors of refused calls.
type Refusals struct {
	// Closing refuses calls during the shutdown.
	Closing error
	// Reset refuses the calls of clients that came before a reset.
	Reset error
}

// New returns an empty mailbox. mu guards its fields and those of its owner. closing is closed when
// the shutdown begins.
func New[T comparable](mu *sync.Mutex, closing <-chan struct{}, refused Refusals) Mailbox[T] {
	return Mailbox[T]{wakeup: make(chan struct{}, 1), closing: closing, refused: refused, mu: mu}
}

func (m *Mailbox[T]) isClosing() bool {
	select {
	case <-m.closing:
		return true
	default:
		return false
	}
}

// EmptyLocked reports whether no call and no caller needs the session.
func (m *Mailbox[T]) EmptyLocked() bool { return len(m.calls) == 0 && m.users == 0 }

// UsedLocked reports whether a caller is between Use and Leave.
func (m *Mailbox[T]) UsedLocked() bool { return m.users > 0 }

// Wakeup returns a channel with a value if the owner has to look for work.
func (m *Mailbox[T]) Wakeup() <-chan struct{} { return m.wakeup }

// ResetLocked returns the progress of a reset.
func (m *Mailbox[T]) ResetLocked() Reset { return m.reset }

// BeginResetLocked makes a reset the next work of the owner.
func (m *Mailbox[T]) BeginResetLocked() {
	m.reset = ResetDue
	m.Signal()
}

// EmptiedLocked records that the reset has emptied the session.
func (m *Mailbox[T]) EmptiedLocked() { m.reset = Emptied }

// GreetedLocked records the end of a greeting. It ends a reset that has emptied the session.
func (m *Mailbox[T]) GreetedLocked() {
	if m.reset == Emptied {
		m.reset = NoReset
	}
}

// GoneLocked records that the session has left memory, and why. The first reason counts. A reset
// is over.
func (m *Mailbox[T]) GoneLocked(err error) {
	m.reset = NoReset
	if m.gone == nil {
		m.gone = err
	}
}

// Signal makes the owner look for work.
func (m *Mailbox[T]) Signal() {
	select {
	case m.wakeup <- struct{}{}:
	default:
	}
}

// Ask makes the owner run a function and waits for the result. If ctx ends before the owner starts,
// Ask withdraws the call and returns the cause. t is the turn whose body asks, or nil. A reset that
// waits for turn t refuses its calls, because the turn would otherwise wait for the reset.
func (m *Mailbox[T]) Ask(ctx context.Context, t T, do func(ctx context.Context) error) error {
	q := &Call[T]{do: do, turn: t, done: make(chan error, 1)}
	m.mu.Lock()
	err := m.refusalLocked(t)
	if err == nil {
		m.calls = append(m.calls, q)
		m.Signal()
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
		m.calls = slices.DeleteFunc(m.calls, func(other *Call[T]) bool { return other == q })
		if m.reset != NoReset && errors.Is(err, errSlow) {
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

// WithWait returns a context that ends after MaxWait, with the cause errSlow.
func WithWait(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, MaxWait, errSlow)
}

// refusalLocked returns the reason to refuse a call, or nil. t is the turn whose body calls, or nil
// for a client.
func (m *Mailbox[T]) refusalLocked(t T) error {
	var none T
	switch {
	case m.gone != nil:
		return m.gone
	case t == none && m.isClosing():
		return m.refused.Closing
	case len(m.calls) >= maxCalls:
		return fault.New(fault.Busy, "session_queue_crowded", "too many messages are waiting in this conversation; try again in a moment")
	}
	return nil
}

// TakeLocked takes the next call. It returns nil if there is none, or if a reset comes first.
// current is the running turn.
func (m *Mailbox[T]) TakeLocked(current T) *Call[T] {
	var none T
	if m.isClosing() {
		m.FailLocked(m.refused.Closing, none)
	}
	if m.reset == ResetDue {
		m.FailLocked(m.refused.Reset, current)
	}
	i := slices.IndexFunc(m.calls, func(q *Call[T]) bool { return m.reset == NoReset || q.turn != none })
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

// FailLocked ends the calls of turn t with an error. The zero value of T stands for clients. Once
// the session has left memory, FailLocked ends all calls.
func (m *Mailbox[T]) FailLocked(err error, t T) {
	m.calls = slices.DeleteFunc(m.calls, func(q *Call[T]) bool {
		if q.turn != t && m.gone == nil {
			return false
		}
		q.begun = true
		q.done <- err
		return true
	})
}

// Use keeps the session in memory until leave. It returns false if the session has already left
// memory.
func (m *Mailbox[T]) Use() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.gone != nil {
		return false
	}
	m.users++
	return true
}

// Leave ends a successful Use.
func (m *Mailbox[T]) Leave() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.users--
	m.Signal()
}

// Failure returns why the session has left memory, or nil.
func (m *Mailbox[T]) Failure() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.gone
}

// FailureLocked is Failure.
func (m *Mailbox[T]) FailureLocked() error { return m.gone }

// Nothing is the function of a caller that only waits for the end of a reset.
func Nothing(context.Context) error { return nil }
