package auth

import (
	"context"
	"errors"
	"testing"
	"time"

	"docent/internal/fault"
)

// TestSetupCode: the code works once, within its time, and also after a failure.
func TestSetupCode(t *testing.T) {
	t.Parallel()
	now := time.Unix(1000, 0)
	failure := errors.New("no name")
	s, code := NewSetup(func() time.Time { return now }, func(_ context.Context, name, _ string) (bool, error) {
		if name == "bad" {
			return false, failure
		}
		return true, nil
	})
	for _, wrong := range []string{"", code + "x", code[1:]} {
		if fault.KindOf(s.Check(wrong)) != fault.Forbidden {
			t.Errorf("the code %q works", wrong)
		}
	}
	now = now.Add(setupTime)
	if fault.KindOf(s.Check(code)) != fault.Forbidden {
		t.Error("the code works after its time")
	}
	now = now.Add(-time.Second)
	if _, err := s.Finish(t.Context(), code, "bad", ""); !errors.Is(err, failure) {
		t.Error(err)
	}
	if restarts, err := s.Finish(t.Context(), code, "ann", ""); err != nil || !restarts {
		t.Error(restarts, err)
	}
	if _, err := s.Finish(t.Context(), code, "", ""); fault.KindOf(err) != fault.Forbidden || fault.KindOf(s.Check(code)) != fault.Forbidden {
		t.Error("the code works twice")
	}
}
