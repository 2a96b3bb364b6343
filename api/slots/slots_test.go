package slots

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"docent/auth"
	"docent/internal/fault"
)

var errFull = fault.New(fault.Busy, "test_sentence", "all slots are taken")

// One principal gets half of the slots and waits for more. Further requests are
// refused, while other principals still get slots.
func TestSlots(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := New(4, errFull)
		as := func(id string) context.Context { return auth.NewContext(t.Context(), auth.Principal{ID: id}) }
		kind := func(id string) fault.Kind {
			_, err := s.Take(as(id), time.Second)
			return fault.KindOf(err)
		}
		take := func(id string) func() {
			t.Helper()
			done, err := s.Take(as(id), 0)
			if err != nil {
				t.Fatalf("%s: %v", id, err)
			}
			return done
		}
		first := take("ada")
		take("ada")
		if _, err := s.Take(as("ada"), 0); !errors.Is(err, errTooMany) || errTooMany.RetryAfter() != retryAfter {
			t.Errorf("a third: %v", err)
		}
		if got := kind("ada"); got != fault.RateLimited {
			t.Errorf("a third that waited: %s", got)
		}
		bob := take("bob")
		take("bob")
		if got := kind("cy"); got != fault.Busy {
			t.Errorf("a fifth in all: %s", got)
		}
		bob()
		take("cy")

		first()
		bob = take("ada")
		got := make(chan error, maxWaiting)
		ctx, cancel := context.WithCancel(as("ada"))
		for range maxWaiting {
			go func() {
				_, err := s.Take(ctx, Forever)
				got <- err
			}()
		}
		synctest.Wait()
		if _, err := s.Take(as("ada"), Forever); fault.KindOf(err) != fault.RateLimited {
			t.Errorf("one more than may wait: %v", err)
		}
		bob() // a waiting request has it now
		if err := <-got; err != nil {
			t.Error(err)
		}
		cancel()
		for range maxWaiting - 1 {
			if err := <-got; !errors.Is(err, context.Canceled) {
				t.Errorf("who is gone: %v", err)
			}
		}
		if n := s.shares["ada"].users; n != 2 || len(s.all) != 4 {
			t.Errorf("%d users, %d taken", n, len(s.all))
		}
	})
}

// Without authentication, all clients share all slots.
func TestSlotsOfAnyone(t *testing.T) {
	t.Parallel()
	s := New(2, errFull)
	ctx := auth.NewContext(t.Context(), auth.Anyone())
	one, err1 := s.Take(ctx, 0)
	two, err2 := s.Take(ctx, 0)
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	if _, err := s.Take(ctx, 0); fault.KindOf(err) != fault.Busy {
		t.Errorf("a third: %v", err)
	}
	one()
	two()
	if len(s.all) != 0 || len(s.shares) != 0 {
		t.Errorf("%d are taken, %d have shares", len(s.all), len(s.shares))
	}
}

// Without authentication, an address leaves at least one slot for other
// addresses.
func TestSlotsByAddress(t *testing.T) {
	t.Parallel()
	s := ByAddress(4, errFull)
	from := func(remote string) context.Context { return auth.WithRemote(t.Context(), remote) }
	for range 3 {
		if _, err := s.Take(from("192.0.2.1"), 0); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Take(from("192.0.2.1"), 0); fault.KindOf(err) != fault.RateLimited {
		t.Errorf("a fourth: %v", err)
	}
	if _, err := s.Take(from("192.0.2.2"), 0); err != nil {
		t.Errorf("another address: %v", err)
	}
}
