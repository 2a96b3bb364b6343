package limits_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"docent/internal/limits"
)

// TestShareAmounts checks that the amounts of other processes count for each key.
func TestShareAmounts(t *testing.T) {
	t.Parallel()
	a, b := limits.New(limits.Config{Total: 10, Each: 3}), limits.New(limits.Config{Total: 10, Each: 3})
	a.Share()
	b.Share()
	for range 2 {
		if err := a.Take("ann", 1); err != nil {
			t.Fatal(err)
		}
	}
	b.Others("a", a.Shared())
	if err := b.Take("ann", 2); !errors.Is(err, limits.ErrEach) {
		t.Errorf("took 2 of the 1 that is left: %v", err)
	}
	if err := errors.Join(b.Take("ann", 1), b.Take("bob", 3)); err != nil {
		t.Error(err)
	}
	a.Free("ann", 1)
	b.Others("a", a.Shared())
	if err := b.Take("ann", 1); err != nil {
		t.Errorf("after another process freed 1: %v", err)
	}
	b.Others("a", nil)
	if err := b.Take("ann", 1); err != nil {
		t.Errorf("after another process ended: %v", err)
	}
	if err := b.Take("ann", 1); !errors.Is(err, limits.ErrEach) {
		t.Errorf("took more than the bound: %v", err)
	}
}

// TestShareRates checks that processes share the rate of a key.
func TestShareRates(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cfg := limits.Config{Each: 4, PerSecond: 2, MaxKeys: 2}
		a, b := limits.New(cfg), limits.New(cfg)
		a.Share()
		b.Share()
		if err := a.Take("ann", 3); err != nil {
			t.Fatal(err)
		}
		b.Others("a", a.Shared())
		if n := len(a.Shared()); n != 0 {
			t.Errorf("%d amounts are told again", n)
		}
		if err := b.Take("ann", 2); !errors.Is(err, limits.ErrEach) {
			t.Errorf("took 2 of the 1 that is left: %v", err)
		}
		if err := b.Take("ann", 1); err != nil {
			t.Error(err)
		}
		if got := b.Shared()["ann"]; got != 1 {
			t.Errorf("b tells %d, want only its own 1", got)
		}
		<-time.After(time.Second)
		if err := b.Take("ann", 2); err != nil {
			t.Errorf("a second later: %v", err)
		}
		if err := b.Take("ann", 1); !errors.Is(err, limits.ErrEach) {
			t.Errorf("took more than the rate: %v", err)
		}
		b.Others("a", map[string]int64{"bob": 1, "cyd": 1})
		if n := b.Keys(); n != 2 {
			t.Errorf("%d keys, want at most 2", n)
		}
	})
}
