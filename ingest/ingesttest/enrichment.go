package ingesttest

import (
	"strings"
	"testing"

	"docent/ingest/intake"
	"docent/internal/fault"
	"docent/internal/storetest"
	"docent/rag/corpus"
)

var enrichmentTests = map[string]func(*testing.T, Database){
	"Enrichments": enrichmentsKept,
	"Pages":       enrichmentPages,
	"Invalid":     enrichmentInvalid,
}

// enriched returns all enrichments since a revision as "chunk text".
func enriched(t *testing.T, s Store, since int64) map[int64]string {
	t.Helper()
	out := map[int64]string{}
	page, err := s.Enrichments.Enriched(t.Context(), since, 0, 100)
	storetest.OK(t, err)
	for _, e := range page {
		out[e.ChunkID] = e.Text
	}
	return out
}

// chunkIDs returns the ids of a document's chunks.
func chunkIDs(t *testing.T, s Store, document int64) []int64 {
	t.Helper()
	chunks, err := s.DocumentChunks(t.Context(), document, -1, 0)
	storetest.OK(t, err)
	var out []int64
	for _, c := range chunks {
		out = append(out, c.ID)
	}
	return out
}

func enrichmentsKept(t *testing.T, db Database) {
	s, other, ctx := db.Open(t), db.Open(t), t.Context()
	x := s.Enrichments
	ids := store(t, s, put("/a", "a", 2), put("/b", "b", 1))
	a, b := chunkIDs(t, s, ids[0]), chunkIDs(t, s, ids[1])
	before := revision(t, s)
	storetest.OK(t, x.PutEnrichments(ctx, []intake.Enrichment{
		{ChunkID: a[0], Key: "k1", Text: "one\nWhy\x00?"}, {ChunkID: b[0], Key: "k2", Text: "two"}, {ChunkID: 1 << 40, Key: "k3", Text: "kept"},
	}))
	storetest.Want(t, "revision", revision(t, other), before+2)
	storetest.Want(t, "enriched", enriched(t, other, before), map[int64]string{a[0]: "one\nWhy ?", b[0]: "two"})
	storetest.Want(t, "enriched later", enriched(t, other, before+2), map[int64]string{})
	known, err := other.Enrichments.Enrichments(ctx, []string{"k3", "k1", "unknown"})
	storetest.OK(t, err)
	storetest.Want(t, "known", known, map[string]string{"k1": "one\nWhy ?", "k3": "kept"})

	// A known key keeps its text, and a chunk gets a new key.
	storetest.OK(t, x.PutEnrichments(ctx, []intake.Enrichment{
		{ChunkID: a[1], Key: "k1", Text: "another"}, {ChunkID: b[0], Key: "k0", Text: "x"}, {ChunkID: b[0], Key: "k4", Text: "new"},
	}))
	storetest.Want(t, "again", enriched(t, s, 0), map[int64]string{a[0]: "one\nWhy ?", a[1]: "one\nWhy ?", b[0]: "new"})

	// A replaced document loses its enrichment, and the text stays until pruned.
	store(t, s, put("/b", "B", 1))
	storetest.Want(t, "replaced", enriched(t, s, 0), map[int64]string{a[0]: "one\nWhy ?", a[1]: "one\nWhy ?"})
	storetest.Want(t, "texts", db.Count(t, "enrichment"), 5)
	storetest.OK(t, x.PruneEnrichments(ctx))
	storetest.Want(t, "texts after pruning", db.Count(t, "enrichment"), 1)
	_, err = s.RemoveDocuments(ctx, ids[:1])
	storetest.OK(t, err)
	storetest.Want(t, "removed", enriched(t, s, 0), map[int64]string{})
	// An empty text is kept, too.
	b = chunkIDs(t, s, store(t, s, put("/b", "B2", 1))[0])
	storetest.OK(t, x.PutEnrichments(ctx, []intake.Enrichment{{ChunkID: b[0], Key: "empty"}}))
	known, err = x.Enrichments(ctx, []string{"empty"})
	storetest.OK(t, err)
	storetest.Want(t, "known empty text", known, map[string]string{"empty": ""})
	none, err := x.Enrichments(ctx, nil)
	storetest.OK(t, err)
	storetest.Want(t, "without keys", len(none), 0)
	storetest.OK(t, x.PutEnrichments(ctx, nil))
}

func enrichmentPages(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	german := put("/b", "b", 2)
	german.Document.Collection, german.Document.Language = "other", "de"
	ids := store(t, s, put("/a", "a", 3), german)
	all := append(chunkIDs(t, s, ids[0]), chunkIDs(t, s, ids[1])...)
	var puts []intake.Enrichment
	for _, id := range all[1:] {
		puts = append(puts, intake.Enrichment{ChunkID: id, Key: "k", Text: "t"})
	}
	storetest.OK(t, s.Enrichments.PutEnrichments(ctx, puts))
	var keys []string
	var texts []string
	for after := int64(0); ; {
		page, err := s.Enrichments.Enrichable(ctx, after, 2)
		storetest.OK(t, err)
		if len(page) == 0 {
			break
		}
		for _, p := range page {
			keys, texts, after = append(keys, p.Key), append(texts, p.Document.Title+": "+p.Text), p.ID
		}
	}
	storetest.Want(t, "keys", keys, []string{"", "k", "k", "k", "k"})
	storetest.Want(t, "last", texts[4], "About /b: /b b 1")
	first, err := s.Enrichments.Enriched(ctx, 0, 0, 3)
	storetest.OK(t, err)
	rest, err := s.Enrichments.Enriched(ctx, 0, first[2].ChunkID, 3)
	storetest.OK(t, err)
	storetest.Want(t, "pages", []int{len(first), len(rest)}, []int{3, 1})
	storetest.Want(t, "the last enrichment", rest[0], corpus.Enrichment{
		ChunkID: all[4], Ordinal: 1, Text: "t", Document: corpus.Document{ID: ids[1], Collection: "other", Source: "/b", Language: "de"},
	})
}

func enrichmentInvalid(t *testing.T, db Database) {
	s := db.Open(t)
	for name, e := range map[string]intake.Enrichment{
		"no key":   {ChunkID: 1, Text: "t"},
		"long key": {ChunkID: 1, Key: strings.Repeat("k", 600), Text: "t"},
		"long":     {ChunkID: 1, Key: "k", Text: strings.Repeat("t", 9<<10)},
	} {
		storetest.WantKind(t, name, s.Enrichments.PutEnrichments(t.Context(), []intake.Enrichment{e}), fault.Invalid)
	}
	storetest.Want(t, "texts", db.Count(t, "enrichment"), 0)
}
