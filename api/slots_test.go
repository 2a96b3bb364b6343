package api

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"docent/auth"
	"docent/internal/fault"
)

// One principal gets half of the slots, waits for more and is told to come back
// later, while others get theirs.
func TestSlots(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSlots(4, drawingFull())
		as := func(id string) context.Context { return auth.NewContext(t.Context(), auth.Principal{ID: id}) }
		kind := func(id string) fault.Kind {
			_, err := s.take(as(id), time.After(time.Second))
			return asError(err).Code
		}
		take := func(id string) func() {
			t.Helper()
			done, err := s.take(as(id), atOnce)
			if err != nil {
				t.Fatalf("%s: %v", id, err)
			}
			return done
		}
		first := take("ada")
		take("ada")
		if _, err := s.take(as("ada"), atOnce); asError(err).status != http.StatusTooManyRequests || asError(err).GetHeaders().Get("Retry-After") != "5" {
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
				_, err := s.take(ctx, forEver)
				got <- err
			}()
		}
		synctest.Wait()
		if _, err := s.take(as("ada"), forEver); asError(err).Code != fault.RateLimited {
			t.Errorf("one more than may wait: %v", err)
		}
		bob() // one of those that wait has it now
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

// Without authentication everybody is the same, and has all there is.
func TestSlotsOfAnyone(t *testing.T) {
	t.Parallel()
	s := newSlots(2, drawingFull())
	ctx := auth.NewContext(t.Context(), auth.Anyone())
	one, err1 := s.take(ctx, atOnce)
	two, err2 := s.take(ctx, atOnce)
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	if _, err := s.take(ctx, atOnce); asError(err).Code != fault.Busy {
		t.Errorf("a third: %v", err)
	}
	one()
	two()
	if len(s.all) != 0 || len(s.shares) != 0 {
		t.Errorf("%d are taken, %d have shares", len(s.all), len(s.shares))
	}
}

// Without authentication one address leaves a slot for uploads of others.
func TestSlotsByAddress(t *testing.T) {
	t.Parallel()
	s := newUploadSlots(4)
	from := func(remote string) context.Context { return auth.WithRemote(t.Context(), remote) }
	for range 3 {
		if _, err := s.take(from("192.0.2.1"), atOnce); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.take(from("192.0.2.1"), atOnce); asError(err).Code != fault.RateLimited {
		t.Errorf("a fourth: %v", err)
	}
	if _, err := s.take(from("192.0.2.2"), atOnce); err != nil {
		t.Errorf("another address: %v", err)
	}
}
