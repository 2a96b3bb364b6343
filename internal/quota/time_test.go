package quota_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"testing"
	"time"

	"docent/internal/fault"
	"docent/internal/quota"
)

// counts is a quota.Store in memory that counts its writes.
type counts struct {
	amounts map[string]int64
	writes  int
}

func (c *counts) Used(_ context.Context, day, client string, r quota.Resource) (int64, error) {
	return c.amounts[day+client+string(r)], nil
}

func (c *counts) Use(_ context.Context, day, client string, r quota.Resource, amount, most int64) (bool, error) {
	c.writes++
	key := day + client + string(r)
	if c.amounts[key] >= most {
		return false, nil
	}
	c.amounts[key] += amount
	return true, nil
}

func (c *counts) ForgetUse(_ context.Context, day string) error {
	maps.DeleteFunc(c.amounts, func(key string, _ int64) bool { return key < day })
	return nil
}

// TestClockJumps sets the clock an hour and a day forward and back. A client has its limit once for each day, also after the
// clock is right again, and the counts of old days go.
func TestClockJumps(t *testing.T) {
	t.Parallel()
	store := &counts{amounts: map[string]int64{}}
	noon := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	now := noon
	q := quota.New(quota.Config{
		Store: store, Principal: quota.Limits{quota.Questions: 2, quota.SearchTime: 1000}, Now: func() time.Time { return now },
	})
	ada := quota.WithClient(t.Context(), quota.Client{Principal: "user:ada"})
	for i, jump := range []struct {
		by   time.Duration
		left int // questions that are left at that time
	}{
		{0, 2}, {time.Hour, 0}, {-time.Hour, 0}, {24 * time.Hour, 2}, {0, 0}, {-24 * time.Hour, 2}, {0, 0}, {24 * time.Hour, 0}, {0, 0},
	} {
		now = noon.Add(jump.by)
		taken := 0
		for range 3 {
			err := q.Take(ada, quota.Questions, 1)
			if err == nil {
				taken++
				continue
			}
			var limit interface{ RetryAfter() time.Duration }
			if fault.KindOf(err) != fault.RateLimited || !errors.As(err, &limit) || limit.RetryAfter() <= 0 || limit.RetryAfter() > 24*time.Hour {
				t.Errorf("jump %d, by %v: %v", i, jump.by, err)
			}
		}
		if taken != jump.left {
			t.Errorf("jump %d, by %v: %d questions, want %d", i, jump.by, taken, jump.left)
		}
		if err := q.Spend(ada, quota.SearchTime, 1500); err != nil {
			t.Error(err)
		}
	}
	now = noon.AddDate(0, 1, 0)
	if err := q.Take(ada, quota.Questions, 1); err != nil || len(store.amounts) != 1 {
		t.Errorf("a month later: %v, and the counts %v", err, store.amounts)
	}
}

func TestTimeIsWrittenOnceASecond(t *testing.T) {
	t.Parallel()
	store := &counts{amounts: map[string]int64{}}
	now := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	q := quota.New(quota.Config{
		Store: store, Principal: quota.Limits{quota.SearchTime: 3000}, Now: func() time.Time { return now },
	})
	ada := quota.WithClient(t.Context(), quota.Client{Principal: "user:ada"})
	bob := quota.WithClient(t.Context(), quota.Client{Principal: "user:bob"})
	spend := func(ctx context.Context, times int) {
		t.Helper()
		for range times {
			if err := q.Spend(ctx, quota.SearchTime, 100); err != nil {
				t.Fatal(err)
			}
		}
	}
	spend(ada, 9)
	if store.writes != 0 {
		t.Errorf("%d writes for less than a second, want none", store.writes)
	}
	spend(ada, 21)
	if err := q.Within(ada, quota.SearchTime); err != nil || store.writes != 3 {
		t.Errorf("after 3 s of 3: %v with %d writes, want no error with 3", err, store.writes)
	}
	spend(ada, 10)
	if err := q.Within(ada, quota.SearchTime); fault.KindOf(err) != fault.RateLimited {
		t.Errorf("after 4 s of 3: %v, want rate_limited", err)
	}
	if err := q.Within(bob, quota.SearchTime); err != nil {
		t.Errorf("another client: %v", err)
	}
	now = now.Add(24 * time.Hour)
	if err := q.Within(ada, quota.SearchTime); err != nil {
		t.Errorf("on the next day: %v", err)
	}
}

func TestTimeOfManyClientsIsBounded(t *testing.T) {
	t.Parallel()
	store := &counts{amounts: map[string]int64{}}
	q := quota.New(quota.Config{Store: store, Address: quota.Limits{quota.SearchTime: 1000}})
	first := quota.WithClient(t.Context(), quota.Client{Address: "203.0.113.1"})
	for range 2 {
		if err := q.Spend(first, quota.SearchTime, 1000); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 25_000 {
		ctx := quota.WithClient(t.Context(), quota.Client{Address: fmt.Sprint(i)})
		if err := q.Spend(ctx, quota.SearchTime, 1); err != nil {
			t.Fatal(err)
		}
	}
	if err := q.Within(first, quota.SearchTime); fault.KindOf(err) != fault.RateLimited {
		t.Errorf("a client over its limit after many others: %v, want rate_limited", err)
	}
}
