package ingesttest

import (
	"fmt"
	"testing"

	"docent/internal/storetest"
	"docent/rag/corpus"
)

// documentVersions: a document keeps its latest changes, and not those that change no text.
func documentVersions(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	in := func(text, title string) int64 {
		p, other := put("/a", text, 1), put("/b", "other", 1)
		p.Document.Text, p.Document.Title, p.Document.Size = text, title, int64(len(text))
		return store(t, s, other, p)[1]
	}
	versions := func(id int64) []corpus.Version {
		t.Helper()
		got, err := db.Open(t).DocumentVersions(ctx, id)
		storetest.OK(t, err)
		return got
	}
	id := in("A\n\nB", "First")
	in("A\n\nB", "First")
	storetest.Want(t, "versions of the first content", len(versions(id)), 0)
	in("B\n\nA", "Moved")
	storetest.Want(t, "versions after moved text", len(versions(id)), 0)
	storetest.OK(t, s.Shelf.RenameDocument(ctx, id, "Ours"))
	in("B\n\nC\n\nD", "Second")
	got := versions(id)
	doc, err := s.Document(ctx, id)
	storetest.OK(t, err)
	if len(got) != 1 || !got[0].At.After(doc.CreatedAt) || got[0].SHA256 != doc.SHA256 || got[0].Size != 7 {
		t.Fatalf("versions %+v of %+v", got, doc)
	}
	storetest.Want(t, "the change", fmt.Sprint(got[0].Title, got[0].Added, got[0].Removed, got[0].Edits),
		"Second2 1 [{false A} {true C} {true D}]")
	failed := put("/a", "", 0)
	failed.Document.Status, failed.Document.Text = corpus.Failed, ""
	store(t, s, failed)
	for i := range corpus.MaxVersions + 2 {
		in(fmt.Sprint("text ", i), "Many")
	}
	got = versions(id)
	storetest.Want(t, "kept versions", len(got), corpus.MaxVersions)
	storetest.Want(t, "the latest", got[0].Edits, []corpus.Edit{
		{Text: fmt.Sprint("text ", corpus.MaxVersions)}, {Added: true, Text: fmt.Sprint("text ", corpus.MaxVersions+1)},
	})
	_, err = s.RemoveDocuments(ctx, []int64{id})
	storetest.OK(t, err)
	storetest.Want(t, "versions of a deleted document", len(versions(id)), 0)
}
