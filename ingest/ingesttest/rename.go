package ingesttest

import (
	"testing"

	"docent/internal/fault"
	"docent/internal/storetest"
	"docent/rag/corpus"
)

// documentRename: a new title stays when the document is stored again, and other processes learn of it.
func documentRename(t *testing.T, db Database) {
	s, other, ctx := db.Open(t), db.Open(t), t.Context()
	in := func(title string) int64 {
		p := put("/a", "a", 1)
		p.Document.Title = title
		return store(t, s, p)[0]
	}
	id := in("Plan v1")
	changed, err := other.Watch(ctx)
	storetest.OK(t, err)
	rename := func(title string) {
		t.Helper()
		storetest.OK(t, s.Shelf.RenameDocument(ctx, id, title))
	}
	want := func(title, stated string, revision int64, match string) {
		t.Helper()
		found, err := other.Documents(ctx, corpus.DocumentFilter{Match: match})
		storetest.OK(t, err)
		if len(found) != 1 || found[0].ID != id {
			t.Fatalf("%q finds %v", match, found)
		}
		d := found[0]
		storetest.Want(t, "titles", [2]string{d.Title, d.FileTitle}, [2]string{title, stated})
		storetest.Want(t, "revision", d.Revision, revision)
	}
	rename(" Travel plan ")
	await(t, changed, "another process' new title")
	want("Travel plan", "Plan v1", 2, "travel PLAN")
	rename("Travel plan")
	want("Travel plan", "Plan v1", 2, "travel")
	in("Plan v2")
	want("Travel plan", "Plan v2", 3, "travel")
	rename("")
	want("Plan v2", "", 4, "plan v2")
	in("Plan v3")
	want("Plan v3", "", 5, "plan v3")
	rename("Plan v4")
	rename("Plan v3") // that of the file
	in("Plan v5")
	want("Plan v5", "", 8, "plan v5")

	if err := s.Shelf.RenameDocument(ctx, 1<<60, "x"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("an unknown document: %v", err)
	}
}
