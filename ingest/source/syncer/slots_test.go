package syncer

import "testing"

func TestSlots(t *testing.T) {
	t.Parallel()
	s := &slots{}
	take := func(alone, want bool) {
		t.Helper()
		if got := s.take(alone); got != want {
			t.Fatalf("with %d taken: take(%v) is %v", s.taken, alone, got)
		}
	}
	for range concurrency {
		take(false, true)
	}
	take(false, false)
	for range concurrency {
		take(true, false)
		s.giveBack()
	}
	take(true, true)
	take(false, false)
	take(true, false)
	s.giveBack()
	take(false, true)
}
