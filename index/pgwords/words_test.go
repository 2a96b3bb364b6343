package pgwords_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"docent/index/bm25"
	"docent/index/pgwords"
	"docent/internal/pgtest"
	"docent/rag/corpus"
	"docent/rag/retrieve"
	"docent/rag/retrieve/indextest"
)

func TestWords(t *testing.T) {
	t.Parallel()
	indextest.RunWords(t, func(t *testing.T) (retrieve.Words, indextest.Writer) {
		x := open(t, configOf(t, openStore(t, pgtest.URL(t))))
		return x, pgwords.NewWordWriter(x)
	})
}

// TestWordsInMemory compares searches and matches with those of the index in memory,
// over documents in several languages, after each kind of change.
func TestWordsInMemory(t *testing.T) {
	t.Parallel()
	static := tokens(t)
	s := openStore(t, pgtest.URL(t))
	cfg := configOf(t, s)
	cfg.Embedder, cfg.Dimensions = static.Name(), static.Dimensions()
	cfg.Most = 15 // so that searches first look for rare words only
	x := open(t, cfg)
	puts := handbook(t, static)
	for i, text := range []string{"Die Sicherungen stellt das Programm wieder her. The server restarts.", "数据库的备份由程序恢复。", "***"} {
		vectors, err := static.EmbedDocuments(t.Context(), []string{text})
		if err != nil {
			t.Fatal(err)
		}
		put := puts[0]
		put.Document.Source, put.Document.Title, put.Document.Language = text, []string{"Backup max_wal_size", "", "-"}[i], []string{"de", "zh", ""}[i]
		put.Document.Collection = "foreign"
		put.Chunks, put.Vectors = []corpus.Chunk{{Kind: corpus.Prose, Text: text}}, vectors
		puts = append(puts, put)
	}
	ids := store(t, s, puts...)
	check := func(name string) {
		t.Helper()
		if err := x.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		memory := bm25.New()
		var asked []string
		for change, err := range s.Changes(t.Context(), 0, static.Name()) {
			if err != nil {
				t.Fatal(err)
			}
			if change.Removed {
				continue
			}
			entries := pgwords.EntriesOf(&change)
			if err := memory.Put(t.Context(), entries); err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				words := strings.Fields(e.Text)
				asked = append(asked, strings.Join(words[:min(4, len(words))], " "), e.Heading)
			}
		}
		asked = append(asked, "restore the backup", "die sicherung", "备份恢复", "the by are", "the zebra", "max_wal_size", "", "absent")
		for _, q := range asked {
			for _, filter := range []retrieve.Filter{{}, {Collections: []string{"foreign"}}} {
				same(t, name, q, filter, memory, x)
			}
		}
	}
	check("stored")
	puts[0].Chunks, puts[0].Vectors = puts[0].Chunks[:1], puts[0].Vectors[:1]
	store(t, s, puts[0])
	check("replaced")
	if _, err := s.RemoveDocuments(t.Context(), ids[1:4]); err != nil {
		t.Fatal(err)
	}
	check("removed")
}

// same compares the results of two keyword indexes for one query.
func same(t *testing.T, name, query string, filter retrieve.Filter, want, got retrieve.Words) {
	t.Helper()
	hits, err := want.Words(t.Context(), query, 20, filter)
	if err != nil {
		t.Fatal(err)
	}
	found, err := got.Words(t.Context(), query, 20, filter)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.EqualFunc(hits, found, func(a, b retrieve.Hit) bool { return a.ID == b.ID && math.Abs(a.Score-b.Score) < 1e-4 }) {
		t.Fatalf("%s: %q %v finds\n%v, want\n%v", name, query, filter, found, hits)
	}
	ids := []int64{1 << 40}
	for _, h := range hits {
		ids = append(ids, h.ID)
	}
	terms, matches, err := want.Match(t.Context(), query, ids)
	if err != nil {
		t.Fatal(err)
	}
	otherTerms, others, err := got.Match(t.Context(), query, ids)
	if err != nil {
		t.Fatal(err)
	}
	if len(terms) != len(otherTerms) {
		t.Fatalf("%s: %q has the terms %v, want %v", name, query, otherTerms, terms)
	}
	for i := range terms {
		if math.Abs(terms[i].IDF-otherTerms[i].IDF) > 1e-4 {
			t.Fatalf("%s: %q has the terms %v, want %v", name, query, otherTerms, terms)
		}
	}
	numbers := func(m retrieve.Match) []float64 { return []float64{m.Score, m.Heading, m.Document, m.Coverage} }
	for i, m := range matches {
		o := others[i]
		if !slices.EqualFunc(numbers(m), numbers(o), func(a, b float64) bool { return math.Abs(a-b) < 1e-4 }) {
			t.Fatalf("%s: %q: chunk %d is %+v, want %+v", name, query, ids[i], o, m)
		}
	}
}
