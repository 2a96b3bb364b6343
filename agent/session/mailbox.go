package session

import (
	"context"
	"errors"
	"slices"
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
	begun bool       // guarded by the conversation's mu
}

// run runs the call for its caller. Only the owner calls it.
func (q *call) run(ctx context.Context) { q.done <- q.do(ctx) }

// mailbox holds the calls that wait for the owner of a session, which runs them one at a time. It
// refuses calls once the session has left memory.
type mailbox struct {
	c      *conversation
	wakeup chan struct{} // holds a value if the owner has to look for work

	// The conversation's mu guards the following fields.
	calls []*call
	users int           // callers in an operation that needs the session
	reset resetProgress // the progress of a reset
	gone  error         // why the session has left memory, or nil
}

// resetProgress is the progress of a reset.
type resetProgress int

// The steps of a reset.
const (
	// noReset means that no reset is due.
	noReset resetProgress = iota
	// resetDue means that the owner must empty the session. Until then, the mailbox refuses the
	// calls of clients.
	resetDue
	// emptied means that the owner has emptied the session, and that the greeting is not over.
	// Meanwhile, clients wait.
	emptied
)

// newMailbox returns the empty mailbox of a conversation.
func newMailbox(c *conversation) mailbox {
	return mailbox{c: c, wakeup: make(chan struct{}, 1)}
}

// emptyLocked reports whether no call and no caller needs the session.
func (m *mailbox) emptyLocked() bool { return len(m.calls) == 0 && m.users == 0 }

// beginResetLocked makes a reset the next work of the owner.
func (m *mailbox) beginResetLocked() {
	m.reset = resetDue
	m.signal()
}

// greetedLocked records the end of a greeting. It ends a reset that has emptied the session.
func (m *mailbox) greetedLocked() {
	if m.reset == emptied {
		m.reset = noReset
	}
}

// goneLocked records that the session has left memory, and why. The first reason counts. A reset
// is over.
func (m *mailbox) goneLocked(err error) {
	m.reset = noReset
	if m.gone == nil {
		m.gone = err
	}
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
	m.c.mu.Lock()
	err := m.refusalLocked(t)
	if err == nil {
		m.calls = append(m.calls, q)
		m.signal()
	}
	m.c.mu.Unlock()
	if err != nil {
		return err
	}
	select {
	case err := <-q.done:
		return err
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	m.c.mu.Lock()
	begun := q.begun
	if !begun {
		m.calls = slices.DeleteFunc(m.calls, func(other *call) bool { return other == q })
		if m.reset != noReset && errors.Is(err, errSlow) {
			err = errStuck
		}
	}
	m.c.mu.Unlock()
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
	case m.gone != nil:
		return m.gone
	case t == nil && m.c.rt.isClosing():
		return errClosing
	case len(m.calls) >= maxCalls:
		return fault.New(fault.Busy, "session_queue_crowded", "too many messages are waiting in this conversation; try again in a moment")
	}
	return nil
}

// takeLocked takes the next call. It returns nil if there is none, or if a reset comes first.
// current is the running turn.
func (m *mailbox) takeLocked(current *openTurn) *call {
	if m.c.rt.isClosing() {
		m.failLocked(errClosing, nil)
	}
	if m.reset == resetDue {
		m.failLocked(errReset, current)
	}
	i := slices.IndexFunc(m.calls, func(q *call) bool { return m.reset == noReset || q.turn != nil })
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

// failLocked ends the calls of turn t with an error. A nil turn stands for clients. Once the
// session has left memory, failLocked ends all calls.
func (m *mailbox) failLocked(err error, t *openTurn) {
	m.calls = slices.DeleteFunc(m.calls, func(q *call) bool {
		if q.turn != t && m.gone == nil {
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
	m.c.mu.Lock()
	defer m.c.mu.Unlock()
	if m.gone != nil {
		return false
	}
	m.users++
	return true
}

// leave ends a successful use.
func (m *mailbox) leave() {
	m.c.mu.Lock()
	defer m.c.mu.Unlock()
	m.users--
	m.signal()
}

// failure returns why the session has left memory, or nil.
func (m *mailbox) failure() error {
	m.c.mu.Lock()
	defer m.c.mu.Unlock()
	return m.gone
}

// nothing is the function of a caller that only waits for the end of a reset.
func nothing(context.Context) error { return nil }
