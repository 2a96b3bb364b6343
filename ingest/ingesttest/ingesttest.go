// Package ingesttest holds the test suite for the storage interfaces of packages
// ingest and corpus. Each store must pass it.
package ingesttest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docent/ingest"
	"docent/ingest/enrich"
	"docent/ingest/intake"
	"docent/ingest/source"
	"docent/internal/fault"
	"docent/rag/corpus"
	"docent/rag/retrieve"
)

// Store combines the interfaces for storing and reading documents.
type Store struct {
	corpus.Corpus
	corpus.Library
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
type Database struct {
	// Open opens the database like another process. It closes the database at the
	// end of the test.
	Open func(t *testing.T) Store
	// Count returns the number of rows of a table.
	Count func(t *testing.T, table string) int
}

// patience bounds the waits of the suite: long, for slow machines.
const patience = 30 * time.Second

// Run runs the suite. fresh makes an empty database for each test.
func Run(t *testing.T, fresh func(t *testing.T) Database) {
	for name, group := range map[string]map[string]func(*testing.T, Database){
		"Document": documentTests, "Corpus": corpusTests, "Ingest": ingestTests, "Enrichment": enrichmentTests,
		"Encodings": encodingTests,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for name, test := range group {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					test(t, fresh(t))
				})
			}
		})
	}
}

// ok ends the test on an error.
func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// want compares two values.
func want[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}

// wantKind checks the kind of an error.
func wantKind(t *testing.T, what string, err error, kind fault.Kind) {
	t.Helper()
	if err == nil || fault.KindOf(err) != kind {
		t.Fatalf("%s: got error %v, want one of kind %s", what, err, kind)
	}
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
	ok(t, err)
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
		ok(t, err)
		out = append(out, c)
	}
	return out
}

// revision returns the current revision number.
func revision(t *testing.T, s Store) int64 {
	t.Helper()
	r, err := s.Revision(t.Context())
	ok(t, err)
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

// within returns a context that ends after patience.
func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}
