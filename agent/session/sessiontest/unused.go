package sessiontest

import (
	"slices"
	"testing"
	"time"

	"docent/agent/session/journal"
	"docent/internal/fault"
	"docent/internal/storetest"
)

var unusedTests = map[string]func(*testing.T, Database){
	"Deleted": unusedDeleted,
	"Swept":   unusedSwept,
}

// unusedDeleted checks that a session without an event is deleted, with its greeting, and no other.
func unusedDeleted(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	unused, used, emptied := open(t, s, "unused"), open(t, s, "used"), open(t, s, "emptied")
	for _, r := range []journal.SessionRecord{unused, used, emptied} {
		greet(t, s, r.RowID, "hello")
	}
	say(t, s, used.RowID, "m", "hi")
	say(t, s, emptied.RowID, "m", "hi")
	reset(t, s, emptied.RowID)
	for _, id := range []int64{unused.RowID, used.RowID, emptied.RowID, unused.RowID, 99} {
		storetest.OK(t, s.DeleteUnused(ctx, id, 0))
	}
	_, err := s.Session(ctx, unused.Key)
	storetest.WantKind(t, "the unused session", err, fault.NotFound)
	storetest.Want(t, "messages", len(all(t, s, used.RowID)), 2)
	_, err = s.Session(ctx, emptied.Key)
	storetest.OK(t, err)
	conversations(db).rows(t, map[string]int{"session": 2, "chat": 2, "event": 1})
	again, created, err := s.OpenSession(ctx, journal.SessionRecord{Key: unused.Key, Platform: "P"})
	storetest.OK(t, err)
	storetest.Want(t, "opened again", []any{created, again.State, again.Seq}, []any{true, "", int64(0)})
}

// unusedSwept checks which sessions without an event are removed.
func unusedSwept(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	start := time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC)
	for i, r := range []journal.SessionRecord{
		{Key: journal.SessionKey{Agent: "a", ID: "one"}},
		{Key: journal.SessionKey{Agent: "a", ID: "two"}},
		{Key: journal.SessionKey{Agent: "a", ID: "timed"}, WakeAt: start},
		{Key: journal.SessionKey{Agent: "b", ID: "other"}},
		{Key: journal.SessionKey{Agent: "a", ID: "used"}},
		{Key: journal.SessionKey{Agent: "a", ID: "late"}},
	} {
		r.Platform, r.UpdatedAt = "P", start.Add(time.Duration(i)*time.Minute)
		stored, _, err := s.OpenSession(ctx, r)
		storetest.OK(t, err)
		if r.Key.ID == "used" {
			say(t, s, stored.RowID, "m", "hi")
		}
	}
	left := func() []string {
		t.Helper()
		var ids []string
		all, err := s.Sessions(ctx, journal.SessionFilter{})
		storetest.OK(t, err)
		for _, r := range all {
			ids = append(ids, r.Key.ID)
		}
		slices.Sort(ids)
		return ids
	}
	for _, step := range []struct {
		before time.Time
		limit  int
		left   []string
	}{
		{start, 10, []string{"late", "one", "other", "timed", "two", "used"}},
		{start.Add(5 * time.Minute), 1, []string{"late", "other", "timed", "two", "used"}},
		{start.Add(5 * time.Minute), 10, []string{"late", "other", "timed", "used"}},
		{time.Now().Add(time.Hour), 10, []string{"other", "timed", "used"}},
	} {
		storetest.OK(t, s.SweepUnused(ctx, "a", step.before, step.limit))
		storetest.Want(t, "sessions", left(), step.left)
	}
}
