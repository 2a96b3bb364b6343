package cores_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

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
