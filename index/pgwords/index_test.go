package pgwords_test

import (
	"sync"
	"testing"

	"go.uber.org/goleak"

	"docent/embed"
	"docent/index/pgwords"
	"docent/ingest/intake"
	"docent/internal/fault"
	"docent/internal/pgtest"
	"docent/rag/corpus"
	"docent/rag/retrieve"
	"docent/rag/retrieve/indextest"
	"docent/store/postgres"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(pgtest.Main(m)) }

func openStore(t *testing.T, database string) *postgres.Store {
	t.Helper()
	s, err := postgres.Open(t.Context(), postgres.Config{URL: database})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// loadTokens loads the built-in vocabulary once.
var loadTokens = sync.OnceValues(embed.NewStatic)

func tokens(t *testing.T) *embed.Static {
	t.Helper()
	static, err := loadTokens()
	if err != nil {
		t.Fatal(err)
	}
	return static
}

func configOf(t *testing.T, s *postgres.Store) pgwords.Config {
	t.Helper()
	cfg := pgwords.Config{Corpus: s, Embedder: "test-64", Dimensions: 64, Static: tokens(t)}
	cfg.Pool, cfg.Fail = s.Connections()
	return cfg
}

func open(t *testing.T, cfg pgwords.Config) *pgwords.Index {
	t.Helper()
	x, err := pgwords.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func store(t *testing.T, s *postgres.Store, puts ...intake.Put) []int64 {
	t.Helper()
	ids, err := s.PutDocuments(t.Context(), puts)
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

// document makes a document with one chunk.
func document(source, text string) intake.Put {
	return intake.Put{
		Embedder: "test-64",
		Document: corpus.Document{
			Collection: corpus.DefaultCollection, Source: source, Title: source, Language: "en",
			MediaType: "text/plain", Pipeline: "test", Status: corpus.Ready,
		},
		Chunks: []corpus.Chunk{{Kind: corpus.Prose, Text: text}}, Vectors: [][]float32{indextest.Vector(text)},
	}
}

// wantFound refreshes an index and checks the number of chunks with a word.
func wantFound(t *testing.T, x *pgwords.Index, word string, want int) {
	t.Helper()
	if err := x.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	hits, err := x.Words(t.Context(), word, 10, retrieve.Filter{})
	if err != nil || len(hits) != want {
		t.Errorf("%d chunks have %s, %v; want %d", len(hits), word, err, want)
	}
}

// TestOtherVersion: a process does not write to the tables that another version has built
// again, and still searches them.
func TestOtherVersion(t *testing.T) {
	t.Parallel()
	s := openStore(t, pgtest.URL(t))
	store(t, s, document("a", "lemon"))
	x := open(t, configOf(t, s))
	wantFound(t, x, "lemon", 1)
	pool, _ := s.Connections()
	if _, err := pool.Exec(t.Context(), `UPDATE pgwords_index SET format = '0'`); err != nil {
		t.Fatal(err)
	}
	if err := x.Refresh(t.Context()); fault.TextOf(err).ID != "pgfollow_other_version" {
		t.Errorf("the error is %v", err)
	}
	if hits, err := x.Words(t.Context(), "lemon", 10, retrieve.Filter{}); err != nil || len(hits) != 1 {
		t.Errorf("%d chunks are found, %v", len(hits), err)
	}
	wantFound(t, open(t, configOf(t, s)), "lemon", 1) // it builds the tables again
}

// TestEarlierTables: servers of the version with words in the tables of pgvector keep
// these tables for a day.
func TestEarlierTables(t *testing.T) {
	t.Parallel()
	s := openStore(t, pgtest.URL(t))
	pool, _ := s.Connections()
	earlier := func() (exists bool) {
		t.Helper()
		if err := pool.QueryRow(t.Context(), `SELECT to_regclass('pgvector_words') IS NOT NULL`).Scan(&exists); err != nil {
			t.Fatal(err)
		}
		return exists
	}
	exec := func(query string) {
		t.Helper()
		if _, err := pool.Exec(t.Context(), query); err != nil {
			t.Fatal(err)
		}
	}
	exec(`CREATE TABLE pgvector_words (); CREATE TABLE pgvector_row (); CREATE TABLE pgvector_entry ()`)
	for range 2 {
		open(t, configOf(t, s))
		if !earlier() {
			t.Fatal("the first start drops the tables")
		}
	}
	exec(`UPDATE pgwords_index SET created = now() - interval '25 hours'`)
	open(t, configOf(t, s))
	if earlier() {
		t.Error("a start on the next day keeps the tables")
	}
	exec(`SELECT FROM pgvector_entry`) // the vectors stay
}
