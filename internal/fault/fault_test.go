package fault

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

func TestKindAndMessage(t *testing.T) {
	t.Parallel()
	cause := errors.New("dial tcp 10.0.0.1: refused")
	for name, tc := range map[string]struct {
		err     error
		kind    Kind
		message string
	}{
		"new":            {New(Invalid, "k", "k is %d", 0), Invalid, "k is 0"},
		"wrapped deeper": {fmt.Errorf("ask: %w", Wrap(Unavailable, cause, "model", "the model does not answer")), Unavailable, "the model does not answer"},
		"plain":          {cause, Internal, "something went wrong here; please try again"},
		"canceled":       {fmt.Errorf("x: %w", context.Canceled), Canceled, "the request was canceled"},
		"deadline":       {context.DeadlineExceeded, Unavailable, "the request took too long"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if k := KindOf(tc.err); k != tc.kind {
				t.Errorf("kind %s, want %s", k, tc.kind)
			}
			if m := Message(tc.err); m != tc.message {
				t.Errorf("message %q, want %q", m, tc.message)
			}
		})
	}
	if got := New(Invalid, "k", "k: %w", cause).Error(); got != "k: "+cause.Error() {
		t.Errorf("the cause is told twice: %s", got)
	}
	if Wrap(Internal, nil, "x", "x") != nil {
		t.Error("wrapping nil made an error")
	}
	if !errors.Is(Wrap(Busy, cause, "full", "full"), cause) {
		t.Error("the cause is lost")
	}
}

func TestEveryKindIsMapped(t *testing.T) {
	t.Parallel()
	status := map[int][]Kind{}
	for _, k := range Kinds() {
		status[k.HTTPStatus()] = append(status[k.HTTPStatus()], k)
		if k.ExitCode() == 0 {
			t.Errorf("%s exits with 0", k)
		}
	}
	if len(status) != 9 { // busy and unavailable share 503
		t.Errorf("statuses: %v", status)
	}
}
