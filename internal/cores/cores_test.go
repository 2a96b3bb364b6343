package cores_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"docent/internal/cores"
)

func TestPoolLendsNoMoreThanItHas(t *testing.T) {
	t.Parallel()
	pool := cores.New(2)
	var running, most atomic.Int64
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			if err := pool.Acquire(t.Context()); err != nil {
				t.Error(err)
				return
			}
			defer pool.Release()
			n := running.Add(1)
			for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
			}
			running.Add(-1)
			pool.Yield()
		})
	}
	wg.Wait()
	if most.Load() > 2 {
		t.Errorf("%d cores lent at once, want at most 2", most.Load())
	}
}

func TestAcquireEndsWithItsContext(t *testing.T) {
	t.Parallel()
	pool := cores.New(0)
	if err := pool.Acquire(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := pool.Acquire(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("acquire after cancel: %v", err)
	}
	var none *cores.Pool
	if err := none.Acquire(t.Context()); err != nil {
		t.Errorf("a nil pool: %v", err)
	}
	none.Release()
}

func TestRest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		pool := cores.New(1)
		rested := func() time.Duration {
			began := time.Now()
			if err := pool.Rest(t.Context()); err != nil {
				t.Fatal(err)
			}
			return time.Since(began)
		}
		if d := rested(); d != 0 {
			t.Errorf("nobody waits: %v", d)
		}
		done := pool.Answer()
		if d := rested(); d < time.Second || d > 1100*time.Millisecond {
			t.Errorf("under constant load: %v", d)
		}
		go func() {
			<-time.After(300 * time.Millisecond)
			done()
		}()
		if d := rested(); d < 400*time.Millisecond || d > 500*time.Millisecond {
			t.Errorf("until the answer: %v", d)
		}
		pool.Answer()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := pool.Rest(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("after cancel: %v", err)
		}
		var none *cores.Pool
		none.Answer()()
		if err := none.Rest(t.Context()); err != nil {
			t.Errorf("a nil pool: %v", err)
		}
	})
}
