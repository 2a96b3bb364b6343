package journal_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"docent/agent/session/journal"
	"docent/internal/fault"
)

// failing is a store whose writes fail with one error after the other. It keeps the keys of commits
// and the times of all writes.
type failing struct {
	journal.Store
	errs []error
	keys []string
	at   []time.Time
}

func (s *failing) fail() error {
	s.at = append(s.at, time.Now())
	if len(s.errs) == 0 {
		return nil
	}
	err := s.errs[0]
	s.errs = s.errs[1:]
	return err
}

func (s *failing) CommitTurn(_ context.Context, turn journal.TurnRecord) (journal.Written, error) {
	s.keys = append(s.keys, turn.Key)
	return journal.Written{}, s.fail()
}

func (s *failing) ResetSession(context.Context, int64, int64) (int64, error) { return 5, s.fail() }

func writerOf(s journal.Store) *journal.Writer {
	return &journal.Writer{
		Reader: journal.Reader{Store: s, Name: "s1", Timeout: time.Second}, Load: "load", Fence: 3, Observe: func(time.Duration) {},
	}
}

// down is the error of a store that does not respond.
func down() error { return fault.New(fault.Unavailable, "test_down", "the database is away") }

// TestCommitAgain checks that all attempts of a commit have one key, and that the next commit has
// another one.
func TestCommitAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &failing{errs: []error{down(), down()}}
		w := writerOf(store)
		ctx, cancel := context.WithCancel(t.Context())
		cancel() // the end of a request does not end its commit
		for range 2 {
			if _, err := w.Commit(ctx, journal.TurnRecord{Turn: 1}); err != nil {
				t.Fatal(err)
			}
		}
		if want := []string{"load/1", "load/1", "load/1", "load/2"}; !slices.Equal(store.keys, want) || w.Writes != 4 {
			t.Errorf("keys %v after %d writes, want %v", store.keys, w.Writes, want)
		}
		var pauses []time.Duration
		for i, at := range store.at[1:3] {
			pauses = append(pauses, at.Sub(store.at[i]))
		}
		if want := []time.Duration{100 * time.Millisecond, 200 * time.Millisecond}; !slices.Equal(pauses, want) {
			t.Errorf("pauses %v, want %v", pauses, want)
		}
	})
}

// TestCommitGivesUp checks the number of attempts for each kind of failure.
func TestCommitGivesUp(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		err      error
		closing  bool
		attempts int
		named    bool // the error names the session
	}{
		"no answer":      {err: down(), attempts: 7, named: true},
		"in a shutdown":  {err: down(), closing: true, attempts: 2, named: true},
		"rejected":       {err: fault.New(fault.Invalid, "test_invalid", "no"), attempts: 1, named: true},
		"deleted":        {err: fault.New(fault.NotFound, "test_gone", "gone"), attempts: 1},
		"another writer": {err: fault.Wrap(fault.Unavailable, journal.ErrStale, "test_stale", "moved"), attempts: 1, named: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				store := &failing{errs: slices.Repeat([]error{tt.err}, 9)}
				w := writerOf(store)
				if tt.closing {
					closing := make(chan struct{})
					close(closing)
					w.Closing = closing
				}
				_, err := w.Commit(t.Context(), journal.TurnRecord{Turn: 4})
				if !errors.Is(err, tt.err) || len(store.keys) != tt.attempts {
					t.Errorf("%d attempts, want %d: %v", len(store.keys), tt.attempts, err)
				}
				if got := strings.Contains(err.Error(), "commit turn 4 of session s1"); got != tt.named {
					t.Errorf("the error is %v", err)
				}
			})
		})
	}
}

// TestEmptyAgain checks that a reset is repeated, too.
func TestEmptyAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &failing{errs: []error{down()}}
		if seq, err := writerOf(store).Empty(t.Context()); seq != 5 || err != nil || len(store.at) != 2 {
			t.Errorf("%d after %d attempts: %v", seq, len(store.at), err)
		}
	})
}
