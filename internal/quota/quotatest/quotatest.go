// Package quotatest is the test suite for quota.Store. Each store must pass it.
package quotatest

import (
	"sync"
	"sync/atomic"
	"testing"

	"docent/internal/quota"
)

// The days of the tests.
const (
	yesterday = "2026-01-01"
	today     = "2026-01-02"
)

// Run runs the suite. open makes an empty store for each test.
func Run(t *testing.T, open func(t *testing.T) quota.Store) {
	for name, test := range map[string]func(*testing.T, quota.Store){
		"Use":        use,
		"Days":       days,
		"Concurrent": concurrent,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

// used checks the amount that a client has used.
func used(t *testing.T, s quota.Store, day, client string, want int64) {
	t.Helper()
	got, err := s.Used(t.Context(), day, client, quota.Questions)
	if err != nil || got != want {
		t.Errorf("%s has used %d (%v) on %s, want %d", client, got, err, day, want)
	}
}

// take checks whether an amount is counted.
func take(t *testing.T, s quota.Store, day, client string, amount, most int64, want bool) {
	t.Helper()
	got, err := s.Use(t.Context(), day, client, quota.Questions, amount, most)
	if err != nil || got != want {
		t.Errorf("Use of %d below %d: %v, %v, want %v", amount, most, got, err, want)
	}
}

// use counts until the limit is reached, for each client and resource on its own.
func use(t *testing.T, s quota.Store) {
	used(t, s, today, "user:ada", 0)
	take(t, s, today, "user:ada", 2, 3, true)
	take(t, s, today, "user:ada", 5, 3, true) // begins below the limit
	take(t, s, today, "user:ada", 1, 3, false)
	take(t, s, today, "user:ada", 1, 8, true)
	used(t, s, today, "user:ada", 8)
	used(t, s, today, "user:bob", 0)
	if got, err := s.Used(t.Context(), today, "user:ada", quota.Tokens); got != 0 || err != nil {
		t.Errorf("another resource: %d, %v", got, err)
	}
	take(t, s, today, "name with \x00 and \xff", 1, 3, true)
}

// days are counted on their own, until they are forgotten.
func days(t *testing.T, s quota.Store) {
	take(t, s, yesterday, "user:ada", 3, 3, true)
	take(t, s, today, "user:ada", 1, 3, true)
	used(t, s, yesterday, "user:ada", 3)
	if err := s.ForgetUse(t.Context(), today); err != nil {
		t.Fatal(err)
	}
	used(t, s, yesterday, "user:ada", 0)
	used(t, s, today, "user:ada", 1)
}

// concurrent uses never exceed the limit together.
func concurrent(t *testing.T, s quota.Store) {
	var done atomic.Int64
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for range 4 {
				ok, err := s.Use(t.Context(), today, "user:ada", quota.Questions, 1, 20)
				if err != nil {
					t.Error(err)
				}
				if ok {
					done.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if done.Load() != 20 {
		t.Errorf("%d uses were counted, want 20", done.Load())
	}
	used(t, s, today, "user:ada", 20)
}
