package ingesttest

import (
	"fmt"
	"testing"
	"time"

	"docent/ingest/intake"
	"docent/ingest/source"
	"docent/internal/fault"
	"docent/internal/storetest"
	"docent/rag/corpus"
)

// documentMove: moved documents keep their passages and vectors, and other processes learn of the move.
func documentMove(t *testing.T, db Database) {
	s, other, ctx := db.Open(t), db.Open(t), t.Context()
	storetest.OK(t, s.Shelf.AddCollection(ctx, "books", corpus.About{}))
	ids := store(t, s, put("/a", "a", 2), put("/b", "b", 1))
	_, err := s.Shelf.TagDocuments(ctx, ids, []string{"red"}, nil)
	storetest.OK(t, err)
	before := changes(t, s, 0, "e1")
	storetest.OK(t, s.PutEncodings(ctx, "encoder", []corpus.Encoding{{ChunkID: before[0].Chunks[0].ID, Vector: []float32{1, 0}}}))
	changed, err := other.Watch(ctx)
	storetest.OK(t, err)

	n, err := s.Shelf.MoveDocuments(ctx, []int64{ids[0], 1 << 60, ids[0]}, "books")
	storetest.OK(t, err)
	storetest.Want(t, "moved", n, 1)
	await(t, changed, "another process' move")
	after := changes(t, other, 2, "e1")
	storetest.Want(t, "changes", brief(after), []string{"3: /a /a a 0, /a a 1"})
	storetest.Want(t, "passages", after[0].Chunks, before[0].Chunks)
	storetest.Want(t, "vectors", after[0].Vectors, before[0].Vectors)
	encoded, err := other.ReadEncodings(ctx, "encoder", []int64{before[0].Chunks[0].ID})
	storetest.OK(t, err)
	storetest.Want(t, "vectors of the encoder", len(encoded[0]), 2)
	doc, err := other.Document(ctx, ids[0])
	storetest.OK(t, err)
	storetest.Want(t, "document", fmt.Sprint(doc.ID, doc.Collection, doc.Source, doc.OwnTags), fmt.Sprint(ids[0], "books/a[red]"))
	storetest.Want(t, "collections", collections(t, s), []corpus.CollectionInfo{
		{Name: "books", Documents: 1, Chunks: 2}, {Name: "default", Documents: 1, Chunks: 1},
	})

	n, err = s.Shelf.MoveDocuments(ctx, ids[:1], "books")
	storetest.OK(t, err)
	storetest.Want(t, "moved again", n, 0)
	storetest.Want(t, "revision", revision(t, s), 3)
	n, err = s.Shelf.MoveDocuments(ctx, ids, corpus.DefaultCollection)
	storetest.OK(t, err)
	storetest.Want(t, "moved back", n, 1)
	storetest.Want(t, "the first again", brief(changes(t, s, 3, "e1")), []string{"4: /a /a a 0, /a a 1"})
}

// documentMoveRefused: a move that is impossible for one document changes none.
func documentMoveRefused(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	storetest.OK(t, s.Shelf.AddCollection(ctx, "books", corpus.About{}))
	storetest.OK(t, s.Shelf.AddCollection(ctx, "rest", corpus.About{}))
	in := func(collection, source string) intake.Put {
		p := put(source, "w", 1)
		p.Document.Collection = collection
		return p
	}
	ids := store(t, s, in("default", "/a"), in("default", "/twin"), in("books", "/twin"), in("default", "https://x/1"),
		in("default", "https://x/1#part"), in("books", "https://x/1"), in("default", "https://x/2#top"))
	id, err := s.SourceRecords.AddSource(ctx, source.Record{
		Name: "site", Kind: "web", Location: "https://x", Collection: "default", Schedule: "manual",
	})
	storetest.OK(t, err)
	item := func(document string) source.ItemRecord {
		return source.ItemRecord{Key: document, Document: document, Status: source.Ready, Owned: true, At: time.Now()}
	}
	storetest.OK(t, s.SourceItems.PutSourceItems(ctx, id, []source.ItemRecord{item("https://x/1"), item("https://x/2#top")}))
	at := revision(t, s)
	for name, c := range map[string]struct {
		ids  []int64
		to   string
		kind fault.Kind
		text string
	}{
		"no collection":       {ids[:1], "none", fault.NotFound, "no_collection"},
		"same source there":   {ids[:2], "books", fault.Conflict, "document_twin"},
		"same source twice":   {ids[1:3], "rest", fault.Conflict, "document_twin"},
		"of a source":         {[]int64{ids[0], ids[3]}, "rest", fault.Conflict, "document_of_source"},
		"part of a source":    {ids[4:5], "rest", fault.Conflict, "document_of_source"},
		"address with an end": {ids[6:], "rest", fault.Conflict, "document_of_source"},
	} {
		n, err := s.Shelf.MoveDocuments(ctx, c.ids, c.to)
		storetest.WantKind(t, name, err, c.kind)
		storetest.Want(t, name, fmt.Sprint(n, fault.TextOf(err).ID), "0"+c.text)
	}
	storetest.Want(t, "revision", revision(t, s), at)
	n, err := s.Shelf.MoveDocuments(ctx, ids[5:6], "rest") // the source has another collection
	storetest.OK(t, err)
	storetest.Want(t, "moved", n, 1)
}
