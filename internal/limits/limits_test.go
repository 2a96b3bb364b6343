package limits_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"docent/internal/limits"
)

// take fails the test if taking n for a key does not return want.
func take(t *testing.T, l *limits.Limit, key string, n int64, want error) {
	t.Helper()
	if err := l.Take(key, n); !errors.Is(err, want) {
		t.Errorf("take %d for %q: %v, want %v", n, key, err, want)
	}
}

func TestAmounts(t *testing.T) {
	t.Parallel()
	l := limits.New(limits.Config{Total: 10, Each: 6})
	take(t, l, "ada", 6, nil)
	take(t, l, "ada", 1, limits.ErrEach)
	take(t, l, "bob", 5, limits.ErrTotal)
	take(t, l, "bob", 4, nil)
	if l.Used() != 10 || l.Keys() != 2 {
		t.Errorf("%d are in use by %d keys", l.Used(), l.Keys())
	}
	l.Free("ada", 2)
	take(t, l, "bob", 2, nil)
	l.Free("ada", 4)
	l.Free("bob", 6)
	if l.Used() != 0 || l.Keys() != 0 {
		t.Errorf("%d are in use by %d keys after all were freed", l.Used(), l.Keys())
	}
	if err := limits.New(limits.Config{Total: 1}).Wait(t.Context(), "", 2); !errors.Is(err, limits.ErrTotal) {
		t.Errorf("waiting for more than there is: %v", err)
	}
}

func TestRate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := limits.New(limits.Config{Each: 3, PerSecond: 0.5})
		for range 3 {
			take(t, l, "ada", 1, nil)
		}
		take(t, l, "ada", 1, limits.ErrEach)
		take(t, l, "bob", 1, nil)
		begin := time.Now()
		for range 3 {
			if err := l.Wait(t.Context(), "ada", 1); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(begin); took != 6*time.Second {
			t.Errorf("waited %s for three at one in two seconds", took)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := l.Wait(ctx, "ada", 1); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("waiting until the context ends: %v", err)
		}
		<-time.After(time.Minute) // the full burst is available again, but not more
		for range 3 {
			take(t, l, "ada", 1, nil)
		}
		take(t, l, "ada", 1, limits.ErrEach)
	})
}

// Keys are forgotten only after their rate has recovered.
func TestKeysAreForgotten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := limits.New(limits.Config{Each: 20, PerSecond: 10, MaxKeys: 1000})
		for i := range 1000 {
			take(t, l, fmt.Sprint(i), 1, nil)
		}
		take(t, l, "ada", 20, limits.ErrTotal)
		<-time.After(time.Second)
		take(t, l, "ada", 20, nil)
		take(t, l, "ada", 1, limits.ErrEach)
		if n := l.Keys(); n != 1 {
			t.Errorf("%d keys are kept", n)
		}
		for i := range 10_000 {
			take(t, l, fmt.Sprint(i), 1, nil)
			<-time.After(10 * time.Millisecond)
		}
		if n := l.Keys(); n > 200 {
			t.Errorf("%d keys are kept, of about 10 that have not recovered", n)
		}
	})
}

func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	l := limits.New(limits.Config{Total: 50, Each: 10})
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			key := fmt.Sprint(i % 3)
			for range 1000 {
				if l.Take(key, 5) == nil {
					l.Free(key, 5)
				}
			}
		})
	}
	all.Wait()
	if l.Used() != 0 || l.Keys() != 0 {
		t.Errorf("%d are in use by %d keys", l.Used(), l.Keys())
	}
}
