package cores

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
)

func TestSharesLeaveCoresToOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := NewShares(1, 0)
		acquire := func(client string) func() {
			t.Helper()
			release, err := s.Acquire(t.Context(), client)
			if err != nil {
				t.Fatal(err)
			}
			return release
		}
		ada := acquire("ada")
		second := make(chan func())
		go func() {
			release, _ := s.Acquire(context.Background(), "ada")
			second <- release
		}()
		synctest.Wait()
		acquire("bob")() // does not wait for ada
		for range 3 {
			defer acquire("")()
		}
		select {
		case <-second:
			t.Error("one client runs more than its share")
		default:
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := s.Acquire(ctx, "ada"); !errors.Is(err, context.Canceled) {
			t.Errorf("a canceled wait ended with %v", err)
		}
		ada()
		(<-second)()
		if len(s.clients) != 1 { // that of ""
			t.Errorf("%d clients without work are kept", len(s.clients))
		}
	})
}

// TestSharesTakeTurns: one piece of work runs at once. The client with much work does not delay the others.
func TestSharesTakeTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := NewShares(4, 1)
		first, err := s.Acquire(t.Context(), "ada")
		if err != nil {
			t.Fatal(err)
		}
		var order []string
		queue := func(ctx context.Context, client string) {
			go func() {
				if release, err := s.Acquire(ctx, client); err == nil {
					order = append(order, client)
					release()
				}
			}()
			synctest.Wait()
		}
		gone, leave := context.WithCancel(t.Context())
		for _, client := range []string{"ada", "ada", "ada", "bob", "", "bob", ""} {
			queue(t.Context(), client)
		}
		queue(gone, "eve")
		queue(gone, "ada")
		leave()
		synctest.Wait()
		if len(order) > 0 {
			t.Errorf("%q run beside the first", order)
		}
		first()
		synctest.Wait()
		if want := []string{"ada", "bob", "", "ada", "bob", "", "ada"}; !slices.Equal(order, want) {
			t.Errorf("order %q, want %q", order, want)
		}
		if len(s.clients) != 0 || s.running != 0 || len(s.turns) != 0 {
			t.Errorf("%d clients without work are kept", len(s.clients))
		}
	})
}
