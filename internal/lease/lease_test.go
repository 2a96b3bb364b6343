package lease_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"docent/internal/lease"
)

// jobs has the lease of one job.
type jobs struct {
	mu    sync.Mutex
	owner string
	until time.Time
}

func (j *jobs) TakeJob(_ context.Context, _, owner string, until time.Time) (bool, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.owner != "" && j.owner != owner && !time.Now().After(j.until) {
		return false, nil
	}
	j.owner, j.until = owner, until
	return true, nil
}

func (j *jobs) EndJob(ctx context.Context, _, owner string) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.owner == owner {
		j.owner = ""
	}
	return ctx.Err()
}

func (j *jobs) JobRuns(context.Context, string) (bool, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.owner != "", nil
}

// take returns the owner of a new lease, or "".
func take(t *testing.T, j *jobs) string {
	t.Helper()
	owner, err := lease.Take(t.Context(), j, "job", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	return owner
}

// TestHold keeps the lease as long as the work runs, and ends it although the context has ended.
func TestHold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		j := &jobs{}
		ctx, cancel := context.WithCancel(t.Context())
		err := lease.Hold(ctx, j, "job", take(t, j), time.Now, func(ctx context.Context) error {
			<-time.After(time.Hour)
			if take(t, j) != "" {
				t.Error("somebody else has got the lease")
			}
			cancel()
			return ctx.Err()
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("the error is %v", err)
		}
		if take(t, j) == "" {
			t.Error("the lease has not ended")
		}
	})
}

// TestLost ends the work of an owner whose lease another one has.
func TestLost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		j := &jobs{}
		owner := take(t, j)
		j.owner, j.until = "another", time.Now().Add(time.Hour)
		err := lease.Hold(t.Context(), j, "job", owner, time.Now, func(ctx context.Context) error {
			<-ctx.Done()
			return context.Cause(ctx)
		})
		if !errors.Is(err, lease.ErrLost) || j.owner != "another" {
			t.Errorf("the error is %v, and the owner %s", err, j.owner)
		}
	})
}
