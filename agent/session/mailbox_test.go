package session

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"docent/internal/fault"
)

// owner is the owner of a session that has only a mailbox.
type owner struct {
	*conversation
	closing chan struct{}
}

func newOwner() *owner {
	o := &owner{closing: make(chan struct{})}
	o.conversation = &conversation{rt: &Runtime{closing: o.closing}}
	o.mail = newMailbox(o.conversation)
	return o
}

// locked calls f with the mutex.
func (o *owner) locked(f func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	f()
}

// step runs the next call while a turn runs, and reports whether there was one.
func (o *owner) step(t *testing.T, current *openTurn) (ran bool) {
	t.Helper()
	var q *call
	o.locked(func() { q = o.mail.takeLocked(current) })
	if q != nil {
		q.run(t.Context())
	}
	return q != nil
}

// ask asks in the background, and returns once the call waits or has failed.
func (o *owner) ask(ctx context.Context, turn *openTurn, result error) <-chan error {
	got := make(chan error, 1)
	go func() { got <- o.mail.ask(ctx, turn, func(context.Context) error { return result }) }()
	synctest.Wait()
	return got
}

func TestMailboxAsk(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o, first, second := newOwner(), errors.New("first"), errors.New("second")
		a, b := o.ask(t.Context(), nil, first), o.ask(t.Context(), nil, second)
		<-o.mail.wakeup
		if !o.step(t, nil) || !errors.Is(<-a, first) || !o.step(t, nil) || !errors.Is(<-b, second) || o.step(t, nil) {
			t.Error("the calls do not run in their order")
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		c := o.ask(ctx, nil, nil)
		cancel(second)
		if err := <-c; !errors.Is(err, second) || o.step(t, nil) {
			t.Errorf("a withdrawn call ends with %v, or it stays", err)
		}
		o.locked(func() {
			if !o.mail.emptyLocked() {
				t.Error("the mailbox is not empty")
			}
		})
	})
}

// During a reset, the calls of the running turn fail, and those of clients wait for the greeting.
func TestMailboxReset(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := newOwner()
		running, another := &openTurn{}, &openTurn{}
		before, body, other := o.ask(t.Context(), nil, nil), o.ask(t.Context(), running, nil), o.ask(t.Context(), another, nil)
		o.locked(o.mail.beginResetLocked)
		if !o.step(t, running) || !errors.Is(<-body, errReset) || <-other != nil || o.step(t, running) {
			t.Error("the reset does not refuse exactly the calls of its turn")
		}
		o.locked(o.mail.greetedLocked) // of an earlier greeting
		o.locked(func() {
			if o.mail.reset != resetDue {
				t.Error("a greeting before the reset ends it")
			}
			o.mail.failLocked(errReset, nil)
		})
		if err := <-before; !errors.Is(err, errReset) {
			t.Errorf("a client before the reset gets %v", err)
		}
		o.locked(func() { o.mail.reset = emptied })
		after := o.ask(t.Context(), nil, nil)
		if o.step(t, nil) {
			t.Error("a client comes before the greeting")
		}
		o.locked(o.mail.greetedLocked)
		if !o.step(t, nil) || <-after != nil {
			t.Error("a client does not come after the greeting")
		}
	})
}

// A client whose session is busy for too long gets a reason.
func TestMailboxWait(t *testing.T) {
	t.Parallel()
	for id, resets := range map[string]bool{"session_busy": false, "reset_stuck": true} {
		synctest.Test(t, func(t *testing.T) {
			o := newOwner()
			if resets {
				o.locked(o.mail.beginResetLocked)
			}
			ctx, cancel := withIntakeWait(t.Context())
			defer cancel()
			err := <-o.ask(ctx, nil, nil)
			if f := (*fault.Fault)(nil); !errors.As(err, &f) || f.ID != id {
				t.Errorf("got %v, want %s", err, id)
			}
		})
	}
}

func TestMailboxGone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := newOwner()
		if !o.mail.use() || o.mail.failure() != nil {
			t.Fatal("a new mailbox refuses a caller")
		}
		waiting := o.ask(t.Context(), &openTurn{}, nil)
		o.locked(func() {
			if o.mail.users == 0 || o.mail.emptyLocked() {
				t.Error("the mailbox does not count its caller")
			}
			o.mail.beginResetLocked()
			o.mail.goneLocked(errDropped)
			o.mail.goneLocked(errClosing)
			if !errors.Is(o.mail.gone, errDropped) || o.mail.reset != noReset {
				t.Error("the first reason does not count, or the reset is not over")
			}
			o.mail.failLocked(errDropped, nil)
		})
		if err := <-waiting; !errors.Is(err, errDropped) {
			t.Errorf("a call of a turn ends with %v", err)
		}
		if err := <-o.ask(t.Context(), nil, nil); !errors.Is(err, errDropped) || o.mail.use() {
			t.Errorf("a call afterwards ends with %v", err)
		}
		o.mail.leave()
		o.locked(func() {
			if o.mail.users > 0 {
				t.Error("the mailbox still counts its caller")
			}
		})
	})
}

func TestMailboxClosing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := newOwner()
		running := &openTurn{}
		client, body := o.ask(t.Context(), nil, nil), o.ask(t.Context(), running, nil)
		close(o.closing)
		if !o.step(t, running) || !errors.Is(<-client, errClosing) || <-body != nil {
			t.Error("the shutdown does not refuse exactly the calls of clients")
		}
		if err := <-o.ask(t.Context(), nil, nil); !errors.Is(err, errClosing) {
			t.Errorf("a client afterwards gets %v", err)
		}
	})
}
