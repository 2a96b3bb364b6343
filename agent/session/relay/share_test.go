package relay_test

import (
	"testing"
	"time"

	"docent/agent/session"
	"docent/agent/session/journal"
	"docent/internal/fault"
	"docent/internal/limits"
	"docent/internal/pgtest"
	"docent/payload"
)

// eventually waits until something is true.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !is(); {
		if time.Now().After(deadline) {
			t.Fatal("never: " + what)
		}
		<-time.After(time.Millisecond)
	}
}

// TestShared checks that the replicas share limits, until one of them is gone.
func TestShared(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	here, there := limits.New(limits.Config{Each: 2}), limits.New(limits.Config{Each: 2})
	a := begin(t, url, echo(nil), brief, here)
	begin(t, url, echo(nil), long, there)
	if err := here.Take("ann", 2); err != nil {
		t.Fatal(err)
	}
	full := func() bool {
		if there.Take("ann", 1) != nil {
			return true
		}
		there.Free("ann", 1)
		return false
	}
	eventually(t, "the other replica knows the amount", full)
	a.line.silence()
	eventually(t, "the amount is forgotten", func() bool { return !full() })
}

// TestDeleted checks that the replica with a session learns that another one has deleted it.
func TestDeleted(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	a, b := begin(t, url, echo(nil), long), begin(t, url, echo(nil), long)
	here := a.join(t, session.OpenRequest{})
	here.until(payload.ReplyStr)
	there := b.join(t, session.OpenRequest{})
	eventually(t, "the replicas know each other", func() bool { return b.relay.Others() == 1 })
	ok(t, b.Directory(b.line.Store).DeleteSession(t.Context(), journal.SessionKey{Agent: "echo", ID: "x"}))
	for _, c := range []*client{here, there} {
		if err := c.left(); fault.KindOf(err) != fault.NotFound {
			t.Errorf("the client left with %v", err)
		}
	}
}
