package sessiontest

import (
	"testing"

	"docent/agent/session/journal"
	"docent/internal/storetest"
)

// directoryArchive archives a session and puts it into a folder. A message takes it out of the archive.
func directoryArchive(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	for _, id := range []string{"1", "2"} {
		say(t, s, open(t, s, id).RowID, id, "hello")
	}
	yes, folder := true, "Trips"
	key := journal.SessionKey{Agent: "a", ID: "1"}
	storetest.OK(t, s.Directory.ChangeSession(ctx, key, journal.SessionChange{Archived: &yes, Folder: &folder}))
	got, err := s.Session(ctx, key)
	storetest.OK(t, err)
	storetest.Want(t, "changed", []any{got.Archived, got.Folder}, []any{true, "Trips"})
	want := func(what string, archive journal.Archive, ids string) {
		t.Helper()
		storetest.Want(t, what, listed(t, s, journal.SessionFilter{Archive: archive, Latest: true}), ids)
	}
	want("any", journal.ArchiveAny, "2 1")
	want("open", journal.ArchiveOpen, "2")
	want("archived", journal.ArchiveOnly, "1")
	happen(t, s, got.RowID, "e", "")
	want("after an event", journal.ArchiveOnly, "1")
	say(t, s, got.RowID, "again", "again")
	want("after a message", journal.ArchiveOpen, "1 2")
	got, err = s.Session(ctx, key)
	storetest.OK(t, err)
	storetest.Want(t, "kept", []any{got.Archived, got.Folder}, []any{false, "Trips"})
}
