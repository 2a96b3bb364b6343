package mailbox_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"docent/agent/session/mailbox"
	"docent/internal/fault"
)

var (
	errClosing = errors.New("closing")
	errReset   = errors.New("reset")
	errGone    = errors.New("gone")
)

// owner has a mailbox with turns named by numbers. 0 is no turn.
type owner struct {
	mu      sync.Mutex
	closing chan struct{}
	mail    mailbox.Mailbox[int]
}

func newOwner() *owner {
	o := &owner{closing: make(chan struct{})}
	o.mail = mailbox.New[int](&o.mu, o.closing, mailbox.Refusals{Closing: errClosing, Reset: errReset})
	return o
}

// locked calls f with the mutex.
func (o *owner) locked(f func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	f()
}

// step runs the next call while a turn runs, and reports whether there was one.
func (o *owner) step(t *testing.T, current int) (ran bool) {
	t.Helper()
	var q *mailbox.Call[int]
	o.locked(func() { q = o.mail.TakeLocked(current) })
	if q != nil {
		q.Run(t.Context())
	}
	return q != nil
}

// ask asks in the background, and returns once the call waits or has failed.
func (o *owner) ask(ctx context.Context, turn int, result error) <-chan error {
	got := make(chan error, 1)
	go func() { got <- o.mail.Ask(ctx, turn, func(context.Context) error { return result }) }()
	synctest.Wait()
	return got
}

func TestAsk(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o, first, second := newOwner(), errors.New("first"), errors.New("second")
		a, b := o.ask(t.Context(), 0, first), o.ask(t.Context(), 0, second)
		<-o.mail.Wakeup()
		if !o.step(t, 0) || !errors.Is(<-a, first) || !o.step(t, 0) || !errors.Is(<-b, second) || o.step(t, 0) {
			t.Error("the calls do not run in their order")
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		c := o.ask(ctx, 0, nil)
		cancel(second)
		if err := <-c; !errors.Is(err, second) || o.step(t, 0) {
			t.Errorf("a withdrawn call ends with %v, or it stays", err)
		}
		o.locked(func() {
			if !o.mail.EmptyLocked() {
				t.Error("the mailbox is not empty")
			}
		})
	})
}

// During a reset, the calls of the running turn fail, and those of clients wait for the greeting.
func TestReset(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := newOwner()
		before, body, other := o.ask(t.Context(), 0, nil), o.ask(t.Context(), 1, nil), o.ask(t.Context(), 2, nil)
		o.locked(o.mail.BeginResetLocked)
		if !o.step(t, 1) || !errors.Is(<-body, errReset) || <-other != nil || o.step(t, 1) {
			t.Error("the reset does not refuse exactly the calls of its turn")
		}
		o.locked(o.mail.GreetedLocked) // of an earlier greeting
		o.locked(func() {
			if o.mail.ResetLocked() != mailbox.ResetDue {
				t.Error("a greeting before the reset ends it")
			}
			o.mail.FailLocked(errReset, 0)
		})
		if err := <-before; !errors.Is(err, errReset) {
			t.Errorf("a client before the reset gets %v", err)
		}
		o.locked(o.mail.EmptiedLocked)
		after := o.ask(t.Context(), 0, nil)
		if o.step(t, 0) {
			t.Error("a client comes before the greeting")
		}
		o.locked(o.mail.GreetedLocked)
		if !o.step(t, 0) || <-after != nil {
			t.Error("a client does not come after the greeting")
		}
	})
}

// A client whose session is busy for too long gets a reason.
func TestWait(t *testing.T) {
	t.Parallel()
	for id, resets := range map[string]bool{"session_busy": false, "reset_stuck": true} {
		synctest.Test(t, func(t *testing.T) {
			o := newOwner()
			if resets {
				o.locked(o.mail.BeginResetLocked)
			}
			ctx, cancel := mailbox.WithWait(t.Context())
			defer cancel()
			err := <-o.ask(ctx, 0, nil)
			if f := (*fault.Fault)(nil); !errors.As(err, &f) || f.ID != id {
				t.Errorf("got %v, want %s", err, id)
			}
		})
	}
}

func TestGone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := newOwner()
		if !o.mail.Use() || o.mail.Failure() != nil {
			t.Fatal("a new mailbox refuses a caller")
		}
		waiting := o.ask(t.Context(), 7, nil)
		o.locked(func() {
			if !o.mail.UsedLocked() || o.mail.EmptyLocked() {
				t.Error("the mailbox does not count its caller")
			}
			o.mail.BeginResetLocked()
			o.mail.GoneLocked(errGone)
			o.mail.GoneLocked(errClosing)
			if !errors.Is(o.mail.FailureLocked(), errGone) || o.mail.ResetLocked() != mailbox.NoReset {
				t.Error("the first reason does not count, or the reset is not over")
			}
			o.mail.FailLocked(errGone, 0)
		})
		if err := <-waiting; !errors.Is(err, errGone) {
			t.Errorf("a call of a turn ends with %v", err)
		}
		if err := <-o.ask(t.Context(), 0, nil); !errors.Is(err, errGone) || o.mail.Use() {
			t.Errorf("a call afterwards ends with %v", err)
		}
		o.mail.Leave()
		o.locked(func() {
			if o.mail.UsedLocked() {
				t.Error("the mailbox still counts its caller")
			}
		})
	})
}

func TestClosing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := newOwner()
		client, body := o.ask(t.Context(), 0, nil), o.ask(t.Context(), 1, nil)
		close(o.closing)
		if !o.step(t, 1) || !errors.Is(<-client, errClosing) || <-body != nil {
			t.Error("the shutdown does not refuse exactly the calls of clients")
		}
		if err := <-o.ask(t.Context(), 0, nil); !errors.Is(err, errClosing) {
			t.Errorf("a client afterwards gets %v", err)
		}
	})
}

func TestGreeting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		g := mailbox.NewGreeting(&mu, make(chan struct{}))
		await := func() time.Duration {
			begun := time.Now()
			if err := g.Await(t.Context()); err != nil {
				t.Error(err)
			}
			return time.Since(begun)
		}
		if d := await(); d != 0 {
			t.Errorf("without a greeting, a message waits for %v", d)
		}
		mu.Lock()
		g.ExpectLocked()
		mu.Unlock()
		if d := await(); d != mailbox.MaxGreetingWait {
			t.Errorf("a message waits for a slow greeting for %v", d)
		}
		mu.Lock()
		g.OverLocked()
		g.OverLocked()
		mu.Unlock()
		if d := await(); d != 0 {
			t.Errorf("after the greeting, a message waits for %v", d)
		}
	})
}
