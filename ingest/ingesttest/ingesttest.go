// Package ingesttest holds the test suite for the storage interfaces of packages
// ingest and corpus. Each store must pass it.
package ingesttest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"
	"time"

	"docent/ingest"
	"docent/ingest/enrich"
	"docent/ingest/intake"
	"docent/ingest/source"
	"docent/internal/storetest"
	"docent/rag/corpus"
	"docent/rag/retrieve"
)

// Store combines the interfaces for storing and reading documents.
type Store struct {
	corpus.Corpus
	corpus.Library
	Shelf interface {
		corpus.Collections
		corpus.Tagger
		corpus.Mover
		corpus.Renamer
	}
	ingest.Store
	Enrichments interface {
		enrich.Store
		retrieve.Enrichments
	}
	corpus.Encodings
	corpus.Snapshots
	// SourceRecords, SourceItems, and SourceLeases store sources.
	SourceRecords source.Sources
	SourceItems   source.Items
	SourceLeases  source.Leases
}

// Database is an empty database made for one test.
type Database = storetest.Database[Store]

// Run runs the suite. fresh makes an empty database for each test.
func Run(t *testing.T, fresh func(t *testing.T) Database) {
	storetest.RunGroups(t, fresh, map[string]map[string]func(*testing.T, Database){
		"Document": documentTests, "Corpus": corpusTests, "Ingest": ingestTests, "Enrichment": enrichmentTests,
		"Encodings": encodingTests,
	})
}

// put makes a ready document with n chunks. The text of a chunk holds the source,
// the word and the chunk's number.
func put(source, word string, n int) intake.Put {
	p := intake.Put{
		Document: corpus.Document{
			Collection: corpus.DefaultCollection, Source: source, Title: "About " + source, MediaType: "text/plain", Language: "en",
			Size: int64(len(word)), SHA256: sum(word), ETag: `"` + word + `"`, Modified: time.Unix(1700000000, 123456789).UTC(),
			Status: corpus.Ready, Pipeline: "test/1", Text: word,
			Date: time.Date(2026, 5, 12, 0, 0, 0, 0, time.UTC), DateFrom: corpus.FrontMatter, Version: "1." + word,
		},
		Embedder: "e1",
		Original: []byte(word),
	}
	for i := range n {
		c := corpus.Chunk{
			Ordinal: i, Kind: corpus.Prose, Text: fmt.Sprintf("%s %s %d", source, word, i), Headings: []string{"One", "Two " + word},
			Start: i * 10, End: i*10 + 10, Tokens: 7 + i,
		}
		p.Chunks = append(p.Chunks, c)
		p.Vectors = append(p.Vectors, []float32{float32(i), 0.5, -1})
	}
	return p
}

func sum(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:])
}

// store stores documents and returns their ids.
func store(t *testing.T, s Store, puts ...intake.Put) []int64 {
	t.Helper()
	ids, err := s.PutDocuments(t.Context(), puts)
	storetest.OK(t, err)
	if len(ids) != len(puts) {
		t.Fatalf("%d ids for %d documents", len(ids), len(puts))
	}
	return ids
}

// changes collects the changes after a revision.
func changes(t *testing.T, s Store, since int64, embedder string) []corpus.Change {
	t.Helper()
	var out []corpus.Change
	for c, err := range s.Changes(t.Context(), since, embedder) {
		storetest.OK(t, err)
		out = append(out, c)
	}
	return out
}

// revision returns the current revision number.
func revision(t *testing.T, s Store) int64 {
	t.Helper()
	r, err := s.Revision(t.Context())
	storetest.OK(t, err)
	return r.Number
}

// texts returns the texts of chunks.
func texts(chunks []corpus.Chunk) []string {
	out := []string{}
	for _, c := range chunks {
		out = append(out, c.Text)
	}
	return out
}

// collections returns all collections. It checks the times of their last changes, and removes them.
func collections(t *testing.T, s Store) []corpus.CollectionInfo {
	t.Helper()
	all, err := s.Collections(t.Context())
	storetest.OK(t, err)
	for i := range all {
		c := &all[i]
		found, err := s.Documents(t.Context(), corpus.DocumentFilter{Collection: c.Name, Order: corpus.ByUpdated, Descending: true, Limit: 1})
		storetest.OK(t, err)
		var want time.Time
		if len(found) > 0 {
			want = found[0].UpdatedAt
		}
		if !c.ChangedAt.Equal(want) {
			t.Errorf("%s changed at %v, want %v", c.Name, c.ChangedAt, want)
		}
		c.ChangedAt = time.Time{}
	}
	return all
}
