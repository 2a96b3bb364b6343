package cores

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

func TestSharesLeaveCoresToOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := NewShares(1)
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
		if len(s.clients) != 0 {
			t.Errorf("%d clients without work are kept", len(s.clients))
		}
	})
}
