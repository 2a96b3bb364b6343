package sessiontest

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"docent/agent/session/journal"
	"docent/internal/fault"
	"docent/internal/storetest"
)

var leaseTests = map[string]func(*testing.T, Database){
	"Claim":    leaseClaim,
	"Stale":    leaseStale,
	"Expired":  leaseExpired,
	"Race":     leaseRace,
	"Released": leaseReleased,
	"Unused":   leaseUnused,
}

// longLease is longer than any test. An expired lease is in the past.
const (
	longLease    = time.Hour
	expiredLease = -time.Second
)

// join adds live replicas.
func join(t *testing.T, s Store, ids ...string) {
	t.Helper()
	for _, id := range ids {
		storetest.OK(t, s.Leases.JoinReplicas(t.Context(), id, longLease))
	}
}

// claim opens session x as a replica.
func claim(t *testing.T, s journal.Store, replica string) (journal.SessionRecord, error) {
	t.Helper()
	record, _, err := s.OpenSession(t.Context(), journal.SessionRecord{
		Key: journal.SessionKey{Agent: "a", ID: "x"}, Platform: "P", Replica: replica,
	})
	return record, err
}

func mustClaim(t *testing.T, s journal.Store, replica string) journal.SessionRecord {
	t.Helper()
	record, err := claim(t, s, replica)
	storetest.OK(t, err)
	return record
}

// wantHeld checks the error about a session that a replica runs.
func wantHeld(t *testing.T, err error, session int64, replica string) {
	t.Helper()
	storetest.WantKind(t, "claim", err, fault.Unavailable)
	var held *journal.HeldError
	if !errors.As(err, &held) || *held != (journal.HeldError{Session: session, Replica: replica}) {
		t.Fatalf("got error %v, want one about session %d of replica %s", err, session, replica)
	}
}

func leaseClaim(t *testing.T, db Database) {
	a, b := db.Open(t), db.Open(t)
	join(t, a, "A", "B")
	first := mustClaim(t, a, "A")
	storetest.Want(t, "new session", []any{first.Replica, first.Fence}, []any{"A", int64(1)})
	_, err := claim(t, b, "B")
	wantHeld(t, err, first.RowID, "A")
	storetest.Want(t, "again", mustClaim(t, a, "A").Fence, int64(2))
	storetest.Want(t, "without a claim", []any{mustClaim(t, b, "").Replica, mustClaim(t, b, "").Fence}, []any{"", int64(0)})
	storetest.OK(t, a.Leases.LeaveReplicas(t.Context(), "A"))
	taken := mustClaim(t, b, "B")
	storetest.Want(t, "after A left", []any{taken.RowID, taken.Replica, taken.Fence}, []any{first.RowID, "B", int64(3)})
}

// leaseStale checks that a replica writes nothing into a session that another one has loaded.
func leaseStale(t *testing.T, db Database) {
	a, b, ctx := db.Open(t), db.Open(t), t.Context()
	join(t, a, "A", "B")
	old := mustClaim(t, a, "A")
	fenced := func(in journal.Incoming) journal.Incoming {
		in.Fence = old.Fence
		return in
	}
	r, err := a.Receive(ctx, fenced(message(old.RowID, "m", "one")))
	storetest.OK(t, err)
	storetest.OK(t, a.Leases.LeaveReplicas(ctx, "A"))
	now := mustClaim(t, b, "B")
	storetest.Want(t, "pending", len(now.Pending), 1)
	before := all(t, b, old.RowID)

	turn := begun(old.RowID, r.Event, thought("late", 2), told("late"))
	turn.Fence = old.Fence
	partial := turn
	partial.Partial = true
	for name, write := range map[string]func() error{
		"turn":    func() error { _, err := a.CommitTurn(ctx, turn); return err },
		"part":    func() error { _, err := a.CommitTurn(ctx, partial); return err },
		"message": func() error { _, err := a.Receive(ctx, fenced(message(old.RowID, "n", "two"))); return err },
		"event": func() error {
			_, err := a.Receive(ctx, fenced(journal.Incoming{Session: old.RowID, Event: journal.EventRecord{Name: "e"}}))
			return err
		},
		"revision": func() error {
			in := fenced(message(old.RowID, "o", "three"))
			in.Replaces = r.Event.Turn
			_, err := a.Receive(ctx, in)
			return err
		},
		"reset": func() error { _, err := a.ResetSession(ctx, old.RowID, old.Fence); return err },
	} {
		err := write()
		storetest.WantKind(t, name, err, fault.Unavailable)
		if !errors.Is(err, journal.ErrStale) {
			t.Errorf("%s: got error %v, want ErrStale", name, err)
		}
	}
	storetest.Want(t, "record", all(t, b, old.RowID), before)
	session, _, err := b.OpenSession(ctx, journal.SessionRecord{Key: old.Key, Platform: "P"})
	storetest.OK(t, err)
	storetest.Want(t, "session", []any{session.State, session.Turn, len(session.Pending)}, []any{now.State, now.Turn, 1})

	turn.Fence = now.Fence
	written, err := b.CommitTurn(ctx, turn)
	storetest.OK(t, err)
	storetest.Want(t, "the new replica's turn", []any{len(written.Entries), written.Repeated}, []any{2, false})
	_, err = b.ResetSession(ctx, old.RowID, now.Fence)
	storetest.OK(t, err)
	storetest.Want(t, "after the reset", all(t, b, old.RowID), []string{})
	_, err = b.ResetSession(ctx, 99, now.Fence)
	storetest.WantKind(t, "reset of no session", err, fault.NotFound)
}

// leaseExpired checks that a replica loses its sessions only when another one removes it.
func leaseExpired(t *testing.T, db Database) {
	a, b, ctx := db.Open(t), db.Open(t), t.Context()
	renew := func(s Store, id string, ttl time.Duration, others []string, renewed bool) {
		t.Helper()
		got, ok, err := s.Leases.RenewReplica(ctx, id, ttl)
		if err != nil || ok != renewed {
			t.Fatalf("renew %s: %v, %v; want %v", id, ok, err, renewed)
		}
		storetest.Want(t, "others", append([]string{}, got...), others)
	}
	listed := func(want ...string) {
		t.Helper()
		all, err := b.Leases.ListReplicas(ctx)
		storetest.OK(t, err)
		ids := []string{}
		for _, r := range all {
			if ids = append(ids, r.ID); time.Until(r.Until) < longLease-time.Minute {
				t.Errorf("the lease of %s ends at %v", r.ID, r.Until)
			}
		}
		storetest.Want(t, "listed replicas", ids, want)
	}
	join(t, a, "A", "B")
	listed("A", "B")
	session := mustClaim(t, a, "A").RowID
	renew(a, "A", expiredLease, []string{"B"}, true)
	listed("B")
	_, err := claim(t, b, "B") // nobody has seen that A expired
	wantHeld(t, err, session, "A")
	renew(a, "A", longLease, []string{"B"}, true)
	renew(b, "B", longLease, []string{"A"}, true)
	renew(a, "A", expiredLease, []string{"B"}, true)
	renew(b, "B", longLease, []string{}, true)
	renew(a, "A", longLease, []string{"B"}, false)
	mustClaim(t, b, "B")
	_, err = claim(t, a, "A")
	wantHeld(t, err, session, "B")
}

// leaseRace claims a session from many replicas at once.
func leaseRace(t *testing.T, db Database) {
	const rounds = 5
	handles := []Store{db.Open(t), db.Open(t)}
	ids := []string{"A", "B", "C", "D"}
	join(t, handles[0], ids...)
	for round := range rounds {
		var running sync.WaitGroup
		won := make([]string, len(ids))
		for i, id := range ids {
			running.Go(func() {
				record, err := claim(t, handles[i%2], id)
				var held *journal.HeldError
				switch {
				case err == nil:
					won[i] = record.Replica
				case !errors.As(err, &held):
					t.Error(err)
				}
			})
		}
		running.Wait()
		won = slices.DeleteFunc(won, func(id string) bool { return id == "" })
		storetest.Want(t, "winners", len(won), 1)
		record := mustClaim(t, handles[0], won[0])
		storetest.Want(t, "fence", record.Fence, int64(2*(round+1)))
		storetest.OK(t, handles[1].Leases.ReleaseSession(t.Context(), record.Key, won[0]))
	}
}

func leaseReleased(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	join(t, s, "A", "B")
	record := mustClaim(t, s, "A")
	storetest.OK(t, s.Leases.ReleaseSession(ctx, record.Key, "B"))
	_, err := claim(t, s, "B")
	wantHeld(t, err, record.RowID, "A")
	storetest.OK(t, s.Leases.ReleaseSession(ctx, record.Key, "A"))
	storetest.Want(t, "fence", mustClaim(t, s, "B").Fence, int64(2))
}

// leaseUnused checks that only the replica of an unused session deletes it, and that others remove
// it only after that replica is gone.
func leaseUnused(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	join(t, s, "A", "B")
	old := mustClaim(t, s, "A")
	storetest.OK(t, s.Leases.ReleaseSession(ctx, old.Key, "A"))
	now := mustClaim(t, s, "B")
	storetest.OK(t, s.DeleteUnused(ctx, old.RowID, old.Fence))
	later := time.Now().Add(time.Hour)
	storetest.OK(t, s.SweepUnused(ctx, "a", later, 10))
	storetest.Want(t, "the same session", mustClaim(t, s, "B").RowID, now.RowID)
	storetest.OK(t, s.DeleteUnused(ctx, now.RowID, now.Fence+1))
	storetest.Want(t, "sessions", db.Count(t, "session"), 0)
	mustClaim(t, s, "A")
	_, _, err := s.Leases.RenewReplica(ctx, "A", expiredLease)
	storetest.OK(t, err)
	_, _, err = s.Leases.RenewReplica(ctx, "B", longLease) // removes A
	storetest.OK(t, err)
	storetest.OK(t, s.SweepUnused(ctx, "a", later, 10))
	storetest.Want(t, "sessions", db.Count(t, "session"), 0)
}
