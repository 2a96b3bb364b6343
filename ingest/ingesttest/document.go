package ingesttest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"docent/internal/storetest"
	"docent/rag/corpus"

	"docent/ingest/intake"
	"docent/internal/fault"
)

var documentTests = map[string]func(*testing.T, Database){
	"RoundTrip":    documentRoundTrip,
	"Replace":      documentReplace,
	"Failed":       documentFailed,
	"Skipped":      documentSkipped,
	"Remove":       documentRemove,
	"List":         documentList,
	"Orders":       documentOrders,
	"Passages":     documentPassages,
	"Collections":  documentCollections,
	"Records":      collectionRecords,
	"Places":       documentPlaces,
	"Properties":   documentProperties,
	"Blobs":        documentBlobs,
	"Move":         documentMove,
	"MoveRefused":  documentMoveRefused,
	"Rename":       documentRename,
	"Versions":     documentVersions,
	"Missing":      documentMissing,
	"ChunkPages":   documentChunkPages,
	"Large":        documentLarge,
	"IDsNotReused": documentIDs,
	"Text":         documentText,
}

func documentRoundTrip(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	page := 0
	p := put("/docs/ä b.txt", "hello", 0)
	p.Document.Collection, p.Document.Text = "books", "the whole text\nof it"
	p.Chunks = []corpus.Chunk{
		{
			Kind: corpus.Prose, Text: "first", Headings: []string{"A › B", `quo"te, {curly}`, ""}, Page: &page, PageLabel: "iv", Start: 3, End: 8,
			Tokens: 1,
		},
		{Kind: corpus.Code, Text: "", Headings: nil, Start: 8, End: 8},
		{Kind: corpus.Table, Text: "a\tb\r\n\\c'\"", Headings: []string{"A › B"}, Start: 9, End: 12, Tokens: 4},
	}
	p.Vectors = [][]float32{{1, 2, 3}, {-1e-40, 3.4e38, 0}, {0.1, 0.2, 0.3}}
	before := time.Now().Add(-time.Minute)
	id := store(t, s, p)[0]

	got, err := db.Open(t).Document(ctx, id)
	storetest.OK(t, err)
	if got.CreatedAt.Before(before) || !got.CreatedAt.Equal(got.UpdatedAt) || got.CreatedAt.Location() != time.UTC {
		t.Errorf("created %v, updated %v", got.CreatedAt, got.UpdatedAt)
	}
	wanted := p.Document
	wanted.ID, wanted.Revision, wanted.Chunks, wanted.CreatedAt, wanted.UpdatedAt = id, 1, 3, got.CreatedAt, got.UpdatedAt
	storetest.Want(t, "document", got, wanted)

	chunks, err := s.DocumentChunks(ctx, id, -1, 0)
	storetest.OK(t, err)
	for i := range p.Chunks {
		p.Chunks[i].ID, p.Chunks[i].DocumentID, p.Chunks[i].Ordinal = chunks[i].ID, id, i
	}
	storetest.Want(t, "chunks", chunks, p.Chunks)
	if !(0 < chunks[0].ID && chunks[0].ID < chunks[1].ID && chunks[1].ID < chunks[2].ID) {
		t.Errorf("chunk ids do not grow: %d %d %d", chunks[0].ID, chunks[1].ID, chunks[2].ID)
	}

	wanted.Text = ""
	list, err := s.Documents(ctx, corpus.DocumentFilter{})
	storetest.OK(t, err)
	storetest.Want(t, "list", list, []corpus.Document{wanted})
	storetest.Want(t, "changes",
		changes(t, s, 0, "e1"), []corpus.Change{{Revision: 1, Document: wanted, Chunks: p.Chunks, Vectors: p.Vectors}})
	storetest.Want(t, "original", original(t, s, id), "hello")

	p.Document.Modified, p.Original, p.Document.Source = time.Time{}, []byte{}, "/empty"
	id = store(t, s, p)[0]
	got, err = s.Document(ctx, id)
	storetest.OK(t, err)
	if !got.Modified.IsZero() {
		t.Errorf("unknown modification time became %v", got.Modified)
	}
	storetest.Want(t, "original without bytes", original(t, s, id), "")
}

func original(t *testing.T, s Store, id int64) string {
	t.Helper()
	r, err := s.Original(t.Context(), id)
	storetest.OK(t, err)
	defer r.Close()
	b, err := io.ReadAll(r)
	storetest.OK(t, err)
	return string(b)
}

func documentReplace(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	ids := store(t, s, put("/a", "old", 3), put("/b", "same", 1))
	old, err := s.Document(ctx, ids[0])
	storetest.OK(t, err)
	oldChunks, err := s.DocumentChunks(ctx, ids[0], -1, 0)
	storetest.OK(t, err)

	storetest.Want(t, "id after replacing", store(t, s, put("/a", "new", 2)), ids[:1])
	got, err := s.Document(ctx, ids[0])
	storetest.OK(t, err)
	if !got.CreatedAt.Equal(old.CreatedAt) || got.UpdatedAt.Before(old.UpdatedAt) || got.Revision != 3 ||
		got.Text != "new" || got.Chunks != 2 {
		t.Errorf("replaced document: %+v", got)
	}
	chunks, err := s.DocumentChunks(ctx, ids[0], -1, 0)
	storetest.OK(t, err)
	storetest.Want(t, "chunks", texts(chunks), []string{"/a new 0", "/a new 1"})
	for _, c := range chunks {
		if slices.ContainsFunc(oldChunks, func(o corpus.Chunk) bool { return o.ID >= c.ID }) {
			t.Errorf("chunk id %d is not newer than the old ones", c.ID)
		}
	}
	left, err := s.Passages(ctx, []int64{oldChunks[0].ID, oldChunks[2].ID})
	storetest.OK(t, err)
	storetest.Want(t, "old passages",
		len(left), 0)
	storetest.Want(t, "rows",
		[]int{db.Count(t, "chunk"), db.Count(t, "embedding"), db.Count(t, "blob"), db.Count(t, "document")}, []int{3, 3, 2, 2})

	// If a call names a document twice, the later put counts.
	ids = store(t, s, put("/twice", "first", 3), put("/c", "c", 1), put("/twice", "second", 1))
	if ids[0] != ids[2] || ids[0] == ids[1] {
		t.Fatalf("ids %v", ids)
	}
	chunks, err = s.DocumentChunks(ctx, ids[0], -1, 0)
	storetest.OK(t, err)
	storetest.Want(t, "chunks", texts(chunks), []string{"/twice second 0"})

	// The same source in another collection is a different document.
	other := put("/a", "other", 1)
	other.Document.Collection = "elsewhere"
	if id := store(t, s, other)[0]; id == got.ID {
		t.Error("a document replaced one of another collection")
	}
}

// documentSkipped checks that lists leave out skipped documents, unless somebody asks for them.
func documentSkipped(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	skipped := put("/skipped.png", "x", 0)
	skipped.Document.Status, skipped.Document.Error, skipped.Original = corpus.Skipped, fault.NewText("document_empty", "it is empty"), nil
	skipped.Document.Text, skipped.Document.Chunks = "", 0
	failed := put("/failed.pdf", "y", 0)
	failed.Document.Status, failed.Document.Error = corpus.Failed, fault.NewText("document_encrypted", "it is encrypted")
	ids := store(t, s, put("/a", "a", 1), skipped, failed)
	for _, c := range []struct {
		filter corpus.DocumentFilter
		want   []int64
	}{
		{corpus.DocumentFilter{}, []int64{ids[0], ids[2]}},
		{corpus.DocumentFilter{Status: corpus.Failed}, ids[2:]},
		{corpus.DocumentFilter{Status: corpus.Skipped}, ids[1:2]},
		{corpus.DocumentFilter{Status: corpus.Ready}, ids[:1]},
		{corpus.DocumentFilter{ID: ids[1]}, ids[1:2]},
		{corpus.DocumentFilter{Order: corpus.ByDate, Descending: true}, []int64{ids[2], ids[0]}},
	} {
		list, err := s.Documents(ctx, c.filter)
		storetest.OK(t, err)
		var got []int64
		for _, d := range list {
			got = append(got, d.ID)
		}
		storetest.Want(t, fmt.Sprintf("list of %+v", c.filter), got, c.want)
	}
	got, err := s.Document(ctx, ids[1])
	storetest.OK(t, err)
	storetest.Want(t, "status", got.Status, corpus.Skipped)
	states, err := s.Sources(ctx, corpus.DefaultCollection, "e1", "/skipped.png")
	storetest.OK(t, err)
	storetest.Want(t, "state", states[0].Status, corpus.Skipped)
	storetest.Want(t, "collections", collections(t, s),
		[]corpus.CollectionInfo{{Name: corpus.DefaultCollection, Documents: 1, Failed: 1, Chunks: 1}})
	store(t, s, put("/skipped.png", "x", 1))
	list, err := s.Documents(ctx, corpus.DocumentFilter{Status: corpus.Ready})
	storetest.OK(t, err)
	storetest.Want(t, "ready after it has text", len(list), 2)
}

func documentFailed(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	id := store(t, s, put("/a", "fine", 3))[0]
	bad := put("/a", "broken", 0)
	bad.Document.Status, bad.Document.Error = corpus.Failed, fault.NewText("document_encrypted", "it is encrypted")
	bad.Document.Text, bad.Original, bad.Embedder = "", nil, ""
	storetest.Want(t, "id", store(t, s, bad)[0], id)

	got, err := s.Document(ctx, id)
	storetest.OK(t, err)
	if got.Status != corpus.Failed || got.Error != fault.NewText("document_encrypted", "it is encrypted") || got.Chunks != 0 {
		t.Errorf("failed document: %+v", got)
	}
	chunks, err := s.DocumentChunks(ctx, id, -1, 0)
	storetest.OK(t, err)
	storetest.Want(t, "chunks", len(chunks), 0)
	change := changes(t, s, 1, "e1")
	storetest.Want(t, "number of changes", len(change), 1)
	if c := change[0]; c.Removed || c.Document.Status != corpus.Failed || c.Chunks != nil || c.Revision != 2 {
		t.Errorf("changes: %+v", change)
	}
	_, err = s.Original(ctx, id)
	storetest.WantKind(t, "original that was not kept", err, fault.NotFound)
	storetest.Want(t, "rows", []int{db.Count(t, "chunk"), db.Count(t, "embedding"), db.Count(t, "blob")}, []int{0, 0, 0})
	list, err := s.Documents(ctx, corpus.DocumentFilter{Status: corpus.Failed})
	storetest.OK(t, err)
	storetest.Want(t, "failed documents", len(list), 1)
}

func documentRemove(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	ids := store(t, s, put("/a", "a", 2), put("/b", "b", 2), put("/c", "c", 2))
	n, err := s.RemoveDocuments(ctx, []int64{ids[2], 999999, ids[0], ids[0]})
	storetest.OK(t, err)
	storetest.Want(t, "removed", n, 2)
	_, err = s.Document(ctx, ids[0])
	storetest.WantKind(t, "removed document",
		err, fault.NotFound)
	storetest.Want(t, "rows",
		[]int{db.Count(t, "chunk"), db.Count(t, "embedding"), db.Count(t, "blob"), db.Count(t, "document")}, []int{2, 2, 1, 1})
	storetest.Want(t, "revision", revision(t, s), 5)

	n, err = s.RemoveDocuments(ctx, []int64{ids[0]})
	storetest.OK(t, err)
	storetest.Want(t, "removed again", n, 0)
	n, err = s.RemoveDocuments(ctx, nil)
	storetest.OK(t, err)
	storetest.Want(t, "removed nothing", n, 0)
	storetest.Want(t, "revision after nothing was removed", revision(t, s), 5)
}

func documentList(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	var puts []intake.Put
	for i := range 120 {
		p := put(fmt.Sprintf("/d/%03d_100%%.TXT", i), "w", 0)
		if i%10 == 0 {
			p.Document.Collection = "tens"
			p.Document.Title = "Über " + strings.Repeat("x", i%3)
		}
		puts = append(puts, p)
	}
	ids := store(t, s, puts...)
	for name, tc := range map[string]struct {
		filter corpus.DocumentFilter
		n      int
	}{
		"default limit": {corpus.DocumentFilter{}, 100},
		"all":           {corpus.DocumentFilter{Limit: 100000}, 120},
		"collection":    {corpus.DocumentFilter{Collection: "tens"}, 12},
		"nowhere":       {corpus.DocumentFilter{Collection: "nowhere"}, 0},
		"status":        {corpus.DocumentFilter{Status: corpus.Failed}, 0},
		"source":        {corpus.DocumentFilter{Match: "/D/01"}, 10},
		"title":         {corpus.DocumentFilter{Match: "ÜBER"}, 12},
		"no wildcards":  {corpus.DocumentFilter{Match: "_00%.txt"}, 0},
		"literally":     {corpus.DocumentFilter{Match: "100%.t", Limit: 7}, 7},
		"one":           {corpus.DocumentFilter{ID: ids[10]}, 1},
		"one elsewhere": {corpus.DocumentFilter{ID: ids[11], Collection: "tens"}, 0},
		"one before":    {corpus.DocumentFilter{ID: ids[10], After: ids[10]}, 0},
		"none":          {corpus.DocumentFilter{ID: 1 << 60}, 0},
		"both":          {corpus.DocumentFilter{Match: "/d/00", Collection: "tens", Status: corpus.Ready}, 1},
	} {
		list, err := s.Documents(ctx, tc.filter)
		storetest.OK(t, err)
		storetest.Want(t, name, len(list), tc.n)
	}
	var seen []int64
	for after := int64(0); ; {
		list, err := s.Documents(ctx, corpus.DocumentFilter{After: after, Limit: 7})
		storetest.OK(t, err)
		if len(list) == 0 {
			break
		}
		for _, d := range list {
			seen = append(seen, d.ID)
		}
		after = seen[len(seen)-1]
	}
	slices.Sort(ids)
	storetest.Want(t, "pages", seen, ids)
}

func documentPassages(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	ids := store(t, s, put("/a", "a", 3), put("/b", "b", 2))
	a, err := s.DocumentChunks(ctx, ids[0], -1, 0)
	storetest.OK(t, err)
	b, err := s.DocumentChunks(ctx, ids[1], -1, 0)
	storetest.OK(t, err)
	got, err := s.Passages(ctx, []int64{b[1].ID, 1 << 60, a[2].ID, b[0].ID, a[2].ID, -1})
	storetest.OK(t, err)
	var chunks []corpus.Chunk
	for _, p := range got {
		chunks = append(chunks, p.Chunk)
	}
	storetest.Want(t, "chunks", chunks, []corpus.Chunk{b[1], a[2], b[0], a[2]})
	doc, err := s.Document(ctx, ids[0])
	storetest.OK(t, err)
	doc.Text = ""
	storetest.Want(t, "document", got[1].Document, doc)
	none, err := s.Passages(ctx, nil)
	storetest.OK(t, err)
	storetest.Want(t, "none", len(none), 0)
}

func documentCollections(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	storetest.Want(t, "at first", collections(t, s), []corpus.CollectionInfo{{Name: "default"}})
	books, failed := put("/a", "a", 3), put("/f", "f", 0)
	books.Document.Collection, failed.Document.Status = "Books", corpus.Failed
	ids := store(t, s, books, put("/b", "b", 2), put("/c", "c", 1), failed)
	storetest.Want(t, "filled", collections(t, s), []corpus.CollectionInfo{
		{Name: "Books", Documents: 1, Chunks: 3}, {Name: "default", Documents: 2, Failed: 1, Chunks: 3},
	})
	_, err := s.RemoveDocuments(ctx, ids)
	storetest.OK(t, err)
	storetest.Want(t, "emptied", collections(t, s), []corpus.CollectionInfo{{Name: "Books"}, {Name: "default"}})
}

func collectionRecords(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	is := func(err error, kind fault.Kind) {
		t.Helper()
		if err == nil || fault.KindOf(err) != kind {
			t.Errorf("error %v, want kind %s", err, kind)
		}
	}
	about := corpus.About{Title: "Boöks", Description: "Two\nlines", Color: "teal", Owner: "Ann", Questions: []string{"Who?", `"Why"?`}}
	storetest.OK(t, s.Shelf.AddCollection(ctx, "books", about))
	is(s.Shelf.AddCollection(ctx, "books", about), fault.Conflict)
	storetest.OK(t, s.Shelf.SetCollection(ctx, corpus.DefaultCollection, corpus.About{Title: "Rest"}))
	is(s.Shelf.SetCollection(ctx, "none", about), fault.NotFound)
	got, err := s.Collections(ctx)
	storetest.OK(t, err)
	storetest.Want(t, "records", got, []corpus.CollectionInfo{
		{Name: "books", About: about}, {Name: "default", About: corpus.About{Title: "Rest"}},
	})

	book := put("/a", "a", 1)
	book.Document.Collection = "books"
	ids := store(t, s, book)
	storetest.OK(t, s.Shelf.SetCollection(ctx, "books", corpus.About{Title: "Novels"}))
	doc, err := s.Document(ctx, ids[0])
	storetest.OK(t, err)
	storetest.Want(t, "collection of the document", doc.Collection, "books")
	if err := s.Shelf.RemoveCollection(ctx, "books"); !errors.Is(err, corpus.ErrFilled) {
		t.Errorf("remove a filled collection: %v", err)
	}
	_, err = s.RemoveDocuments(ctx, ids)
	storetest.OK(t, err)
	storetest.OK(t, s.Shelf.RemoveCollection(ctx, "books"))
	is(s.Shelf.RemoveCollection(ctx, "books"), fault.NotFound)
	storetest.Want(t, "rows", db.Count(t, "collection"), 1)
}

func documentPlaces(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	in := func(source, folder string, tags ...string) intake.Put {
		p := put(source, "w", 1)
		p.Document.Folder, p.Document.Tags = folder, tags
		return p
	}
	ids := store(t, s, in("/1", "hr"), in("/2", "hr/leave", "draft"), in("/3", "hr2", "red", "draft two"), in("/4", "", "réd"))
	sources := func(place corpus.Place) (out string) {
		t.Helper()
		found, err := s.Documents(ctx, corpus.DocumentFilter{Place: place})
		storetest.OK(t, err)
		for _, d := range found {
			out += d.Source
		}
		return out
	}
	for want, place := range map[string]corpus.Place{
		"/1/2":     {Folders: []string{"hr"}},
		"/2":       {Folders: []string{"hr/leave/"}},
		"/2/3":     {Folders: []string{"hr/leave", "hr2"}},
		"/2/3/4":   {Folders: []string{"hr2"}, Tags: []string{"draft", "Réd"}},
		"/3":       {Tags: []string{"#red"}},
		"":         {Tags: []string{"two", "%", ""}},
		"/1/2/3/4": {},
	} {
		storetest.Want(t, fmt.Sprintf("documents in %+v", place), sources(place), want)
	}
	n, err := s.Shelf.TagDocuments(ctx, append(ids[:2:2], 1<<60), []string{"New", "draft"}, []string{"none"})
	storetest.OK(t, err)
	storetest.Want(t, "tagged", n, 2)
	_, err = s.Shelf.TagDocuments(ctx, ids[1:2], nil, []string{"draft"})
	storetest.OK(t, err)
	store(t, s, in("/2", "hr/leave", "draft")) // people's tags stay
	doc, err := s.Document(ctx, ids[1])
	storetest.OK(t, err)
	storetest.Want(t, "tags", fmt.Sprint(doc.Folder, doc.Tags, doc.OwnTags), "hr/leave[draft] [new]")
	storetest.Want(t, "documents with the tag", sources(corpus.Place{Tags: []string{"new"}}), "/1/2")

	within, err := corpus.Within(ctx, s, []int64{ids[3]}, corpus.Place{Folders: []string{"hr"}}, nil)
	storetest.OK(t, err)
	storetest.Want(t, "ids", within, []int64{ids[0], ids[1], ids[3]})
	few, err := s.DocumentIDs(ctx, corpus.DocumentFilter{Place: corpus.Place{Folders: []string{"hr", "hr2"}}, Limit: 2})
	storetest.OK(t, err)
	storetest.Want(t, "the first ids", few, ids[:2])
	for _, c := range []struct {
		filter        corpus.PlaceFilter
		folders, tags string
	}{
		{corpus.PlaceFilter{Limit: 9}, "[{hr 2} {hr/leave 1} {hr2 1}]", "[{draft 2} {new 2} {draft two 1} {red 1} {réd 1}]"},
		{corpus.PlaceFilter{Limit: 2, Match: "R"}, "[{hr 2} {hr/leave 1}]", "[{draft 2} {draft two 1}]"},
		{corpus.PlaceFilter{Limit: 9, Match: "hr2"}, "[{hr2 1}]", "[]"},
		{corpus.PlaceFilter{Limit: 9, Collections: []string{"other"}}, "[]", "[]"},
		{corpus.PlaceFilter{Limit: 9, Collections: []string{}}, "[]", "[]"},
	} {
		folders, tags, err := s.Places(ctx, c.filter)
		storetest.OK(t, err)
		storetest.Want(t, fmt.Sprintf("places of %+v", c.filter), fmt.Sprint(folders, tags), c.folders+" "+c.tags)
	}
	if _, err := corpus.Within(ctx, s, nil, corpus.Place{Folders: []string{"hr"}}, []string{"other"}); fault.KindOf(err) != fault.NotFound {
		t.Errorf("no documents: %v", err)
	}
}

func documentBlobs(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	a, b := put("/a", "shared", 0), put("/b", "shared", 0)
	b.Document.SHA256 = sum("of a file that holds both")
	ids := store(t, s, a, b)
	storetest.Want(t, "kept once", db.Count(t, "blob"), 1)
	_, err := s.RemoveDocuments(ctx, ids[:1])
	storetest.OK(t, err)
	storetest.Want(t, "kept for the other", original(t, s, ids[1]), "shared")
	store(t, s, put("/b", "changed", 0))
	storetest.Want(t, "only the new", db.Count(t, "blob"), 1)
	storetest.Want(t, "new bytes", original(t, s, ids[1]), "changed")
	store(t, s, put("/b", "changed", 1))
	storetest.Want(t, "the same again", original(t, s, ids[1]), "changed")
	without := put("/b", "changed", 0)
	without.Original = nil
	store(t, s, without)
	storetest.Want(t, "none", db.Count(t, "blob"), 0)
}

func documentMissing(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	_, err := s.Document(ctx, 1)
	storetest.WantKind(t, "Document", err, fault.NotFound)
	_, err = s.DocumentChunks(ctx, 1, -1, 0)
	storetest.WantKind(t, "DocumentChunks", err, fault.NotFound)
	_, err = s.Original(ctx, 1)
	storetest.WantKind(t, "Original", err, fault.NotFound)
}

func documentChunkPages(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	id := store(t, s, put("/long", "x", 1100), put("/other", "y", 3))[0]
	for name, tc := range map[string]struct{ after, limit, first, n int }{
		"default":    {-1, 0, 0, 200},
		"first":      {-1, 3, 0, 3},
		"next":       {2, 3, 3, 3},
		"end":        {1097, 50, 1098, 2},
		"most":       {-1, 1 << 20, 0, 1000},
		"beyond":     {1099, 10, 0, 0},
		"far beyond": {1 << 40, 10, 0, 0},
	} {
		got, err := s.DocumentChunks(ctx, id, tc.after, tc.limit)
		storetest.OK(t, err)
		storetest.Want(t, name, len(got), tc.n)
		for i, c := range got {
			if c.Ordinal != tc.first+i || c.DocumentID != id {
				t.Fatalf("%s: chunk %d of document %d at %d", name, c.Ordinal, c.DocumentID, i)
			}
		}
	}
}

func documentLarge(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	p := put("/large", "x", 1000)
	p.Document.Text = strings.Repeat("größer ", 1<<19)
	p.Original = bytes.Repeat([]byte{0, 1, 0xff, 'x'}, 1<<20)
	for i := range p.Chunks {
		p.Chunks[i].Text = strings.Repeat("p", 1000)
		p.Vectors[i] = make([]float32, 1536)
		p.Vectors[i][1535] = float32(i)
	}
	id := store(t, s, p)[0]
	got, err := s.Document(ctx, id)
	storetest.OK(t, err)
	if got.Text != p.Document.Text {
		t.Error("the text is another")
	}
	if original(t, s, id) != string(p.Original) {
		t.Error("the original is another")
	}
	all := changes(t, s, 0, "e1")
	if len(all) != 1 || len(all[0].Chunks) != 1000 || all[0].Vectors[999][1535] != 999 {
		t.Error("the chunks are others")
	}
}

func documentIDs(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	var last, lastChunk int64
	for range 3 {
		id := store(t, s, put("/a", "a", 2))[0]
		chunks, err := s.DocumentChunks(ctx, id, -1, 0)
		storetest.OK(t, err)
		if id <= last || chunks[0].ID <= lastChunk {
			t.Fatalf("document %d after %d, chunk %d after %d", id, last, chunks[0].ID, lastChunk)
		}
		last, lastChunk = id, chunks[1].ID
		_, err = s.RemoveDocuments(ctx, []int64{id})
		storetest.OK(t, err)
	}
}

// documentText: each byte that Postgres cannot store becomes another byte, so that
// offsets into the text stay valid.
func documentText(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	const dirty, clean = "a\x00b\xffc\xe2\x82d 𝄞 é \u202e \U0010ffff 你好", "a b?c??d 𝄞 é \u202e \U0010ffff 你好"
	p := put("/"+dirty, "w", 1)
	d := &p.Document
	d.Collection, d.Title, d.Text, d.ETag, d.Error = dirty, dirty, dirty, dirty, fault.Plain(dirty)
	p.Chunks[0].Text, p.Chunks[0].Headings, p.Chunks[0].PageLabel = dirty, []string{dirty}, dirty
	p.Embedder = dirty
	id := store(t, s, p)[0]
	storetest.Want(t, "id", store(t, s, p)[0], id)
	got, err := s.Document(ctx, id)
	storetest.OK(t, err)
	storetest.Want(t, "document", []string{got.Collection, got.Source, got.Title, got.Text, got.ETag, got.Error.Message},
		[]string{clean, "/" + clean, clean, clean, clean, clean})
	storetest.Want(t, "length", len(got.Text), len(dirty))
	all := changes(t, s, 0, dirty)
	c := all[0].Chunks[0]
	storetest.Want(t, "chunk", []string{c.Text, c.Headings[0], c.PageLabel}, []string{clean, clean, clean})
	storetest.Want(t, "vector", all[0].Vectors[0], []float32{0, 0.5, -1})
	sources, err := s.Sources(ctx, dirty, dirty, "")
	storetest.OK(t, err)
	storetest.Want(t, "sources", []int{len(sources), sources[0].Embedded}, []int{1, 1})
	left, err := s.Unembedded(ctx, dirty, 0, 10)
	storetest.OK(t, err)
	storetest.Want(t, "unembedded", len(left), 0)
	list, err := s.Documents(ctx, corpus.DocumentFilter{Collection: dirty, Match: "B\xffC"})
	storetest.OK(t, err)
	storetest.Want(t, "list", len(list), 1)
}
