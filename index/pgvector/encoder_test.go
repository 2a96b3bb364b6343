package pgvector_test

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"sync"
	"testing"

	"docent/embed"
	"docent/index/bm25"
	"docent/index/flat"
	"docent/index/pgvector"
	"docent/index/pgwords"
	"docent/ingest/intake"
	"docent/internal/pgtest"
	"docent/rag/corpus"
	"docent/rag/retrieve"
	"docent/rag/retrieve/indextest"
	"docent/store/postgres"
)

// everyLanguage selects all documents.
var everyLanguage = corpus.Languages{Except: true}

// openWords opens the words and the data of the second stage.
func openWords(t *testing.T, s *postgres.Store, cfg pgvector.Config) *pgwords.Index {
	t.Helper()
	w, err := pgwords.Open(t.Context(), pgwords.Config{
		Pool: cfg.Pool, Fail: cfg.Fail, Corpus: s, Embedder: cfg.Embedder, Dimensions: cfg.Dimensions, Static: tokens(t),
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// openEncoder opens the encoder "encoder", which takes all documents.
func openEncoder(t *testing.T, s *postgres.Store, cfg pgvector.Config) *pgvector.Encoder {
	t.Helper()
	e, err := open(t, cfg).OpenEncoder(t.Context(), pgvector.EncoderConfig{
		Model: "encoder", Dimensions: cfg.Dimensions, Languages: everyLanguage, Encodings: s, Chunks: openWords(t, s, cfg).Chunks,
	})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestEncoderNearest(t *testing.T) {
	t.Parallel()
	indextest.RunNearest(t, func(t *testing.T) (retrieve.Nearest, indextest.Writer) {
		s := openStore(t, pgtest.VectorURL(t))
		e := openEncoder(t, s, configOf(t, s))
		return e, pgvector.Writer{Encoder: e}
	})
}

// openRetriever opens a retriever over a database. With inPostgres, it keeps nothing in
// memory.
func openRetriever(t *testing.T, s *postgres.Store, cfg pgvector.Config, embedder embed.Embedder, inPostgres bool,
	snapshot string, encoders ...retrieve.Encoder,
) *retrieve.Retriever {
	t.Helper()
	c := retrieve.Config{
		Corpus: s, Embedder: embedder, Static: tokens(t), Encodings: s, Words: bm25.New(), Nearest: flat.New(flat.Config{}), Snapshot: snapshot,
	}
	if inPostgres {
		x, w := open(t, cfg), openWords(t, s, cfg)
		for _, refresh := range []func(context.Context) error{x.Refresh, w.Refresh} {
			if err := refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		c.Words, c.Nearest, c.Features, c.Encodings = w, x, w, nil
		for i, e := range encoders {
			vectors, err := x.OpenEncoder(t.Context(), pgvector.EncoderConfig{
				Model: e.Embedder.Name(), Dimensions: e.Embedder.Dimensions(), Languages: e.Languages,
				Encodings: s, Chunks: w.Chunks,
			})
			if err != nil {
				t.Fatal(err)
			}
			encoders[i].Vectors = vectors
		}
	} else {
		for i := range encoders {
			encoders[i].Index = flat.New(flat.Config{})
		}
	}
	c.Encoders = encoders
	r, err := retrieve.New(c)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	if inPostgres && r.Len() != 0 {
		t.Errorf("%d passages are in memory", r.Len())
	}
	return r
}

// TestEncoders runs the suite of encoders for vectors in PostgreSQL and in memory.
func TestEncoders(t *testing.T) {
	t.Parallel()
	for name, inPostgres := range map[string]bool{"PostgreSQL": true, "memory": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			indextest.RunEncoders(t, func(t *testing.T) indextest.EncoderCorpus {
				database, snapshot := pgtest.VectorURL(t), t.TempDir()+"/index.snapshot"
				s := openStore(t, database)
				return indextest.EncoderCorpus{
					Corpus: s, Encodings: s,
					Put: func(t *testing.T, source, language string, texts ...string) int64 {
						put := document(source, texts...)
						put.Document.Language = language
						return store(t, s, put)[0]
					},
					Remove: func(t *testing.T, id int64) {
						if _, err := s.RemoveDocuments(t.Context(), []int64{id}); err != nil {
							t.Fatal(err)
						}
					},
					Move: func(t *testing.T, id int64, collection string) {
						if err := s.AddCollection(t.Context(), collection, corpus.About{}); err != nil {
							t.Fatal(err)
						}
						if _, err := s.MoveDocuments(t.Context(), []int64{id}, collection); err != nil {
							t.Fatal(err)
						}
					},
					Open: func(t *testing.T, encoders ...retrieve.Encoder) *retrieve.Retriever {
						process := openStore(t, database)
						return openRetriever(t, process, configOf(t, process), indextest.Model(model), inPostgres, snapshot, encoders...)
					},
				}
			})
		})
	}
}

// handbook returns the documents of the retrieval tests, without chunk ids.
func handbook(t *testing.T, static *embed.Static) []intake.Put {
	t.Helper()
	var out []intake.Put
	for _, d := range indextest.Handbook(t, "../../rag/retrieve/testdata/retrieval/corpus.jsonl", static) {
		out = append(out, intake.Put{Embedder: static.Name(), Document: d.Document, Chunks: d.Chunks, Vectors: d.Vectors})
	}
	return out
}

// renamed is an embedder under another name.
type renamed struct {
	embed.Embedder
	name string
}

func (r renamed) Name() string { return r.name }

// encodeAll stores the missing vectors of an encoder, in several writes.
func encodeAll(t *testing.T, s *postgres.Store, e retrieve.Encoder) {
	t.Helper()
	passages, err := s.Unencoded(t.Context(), corpus.EncodingQuery{Model: e.Embedder.Name(), Languages: e.Languages, Limit: 10_000})
	if err != nil {
		t.Fatal(err)
	}
	for page := range slices.Chunk(passages, 32) {
		var encodings []corpus.Encoding
		for _, p := range page {
			vectors, err := e.Embedder.EmbedDocuments(t.Context(), []string{p.Text})
			if err != nil {
				t.Fatal(err)
			}
			encodings = append(encodings, corpus.Encoding{ChunkID: p.ID, Vector: vectors[0]})
		}
		if err := s.PutEncodings(t.Context(), e.Embedder.Name(), encodings); err != nil {
			t.Fatal(err)
		}
	}
}

// questions are those of the retrieval tests.
func questions(t *testing.T) []string {
	t.Helper()
	f, err := os.Open("../../rag/retrieve/testdata/retrieval/questions.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // it is only read
	var out []string
	for lines := bufio.NewScanner(f); lines.Scan(); {
		out = append(out, lines.Text())
	}
	return append(out, "Wie stellt das Programm die Sicherungen wieder her?")
}

// TestEncodersInMemory compares results with those of encoders in memory, over
// documents in two languages and two collections, after each kind of change.
func TestEncodersInMemory(t *testing.T) {
	t.Parallel()
	static := tokens(t)
	s := openStore(t, pgtest.VectorURL(t))
	cfg := configOf(t, s)
	cfg.Embedder, cfg.Dimensions = static.Name(), static.Dimensions()
	puts := handbook(t, static)
	for i := range puts {
		if i%3 == 0 {
			puts[i].Document.Collection = "third"
		}
		if i%4 == 0 {
			puts[i].Document.Language = "de"
		}
	}
	ids := store(t, s, puts...)
	encoders := func() []retrieve.Encoder {
		return []retrieve.Encoder{
			{Embedder: renamed{static, "english"}, Languages: corpus.Languages{Listed: []string{"en", ""}}},
			{Embedder: renamed{static, "all"}, Languages: everyLanguage},
		}
	}
	r := openRetriever(t, s, cfg, static, true, "", encoders()...)
	check := func(name string) {
		t.Helper()
		for _, e := range encoders() {
			encodeAll(t, s, e)
		}
		memory := openRetriever(t, s, cfg, static, false, "", encoders()...)
		if err := r.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got, want := r.Encoders(), memory.Encoders(); !slices.Equal(got, want) || !r.Encoded("english") || !r.Encoded("all") {
			t.Errorf("%s: the progress is %+v, want %+v", name, got, want)
		}
		for _, question := range questions(t) {
			for _, mode := range []retrieve.Mode{retrieve.Full, retrieve.Hybrid} {
				for _, collections := range [][]string{nil, {"third"}} {
					q := retrieve.Query{Question: question, Mode: mode, Collections: collections, Wordings: []string{"restore a backup"}}
					sameResults(t, name, q, r, memory)
				}
			}
		}
	}
	check("stored")
	puts[0].Chunks, puts[0].Vectors = puts[0].Chunks[:1], puts[0].Vectors[:1]
	puts[1].Document.Language = "de"
	store(t, s, puts[:2]...)
	check("replaced")
	if _, err := s.RemoveDocuments(t.Context(), ids[2:4]); err != nil {
		t.Fatal(err)
	}
	check("removed")
	pool, _ := s.Connections()
	for _, change := range []string{
		// A document with a new enrichment keeps its chunks.
		`WITH r AS (UPDATE corpus SET revision = revision + 1 RETURNING revision)
			UPDATE document SET version = r.revision FROM r WHERE id = (SELECT max(id) FROM document)`,
		`UPDATE pgvector_index SET database_id = 'another', revision = 1000000`, // as in a restored backup
		`UPDATE pgvector_encoder SET revision = 1000000`,
		`DROP TABLE pgvector_index, pgvector_entry, pgvector_encoded, pgvector_encoder`,
		`DROP TABLE pgwords_index, pgwords_row, pgwords_document, pgwords_token, pgwords_chunk, pgwords_text, pgwords_term, pgwords_language`,
	} {
		if _, err := pool.Exec(t.Context(), change); err != nil {
			t.Fatal(err)
		}
		if change[:4] == "DROP" {
			r = openRetriever(t, s, cfg, static, true, "", encoders()...)
		}
		check(change)
	}
}

// sameResults compares the results of two retrievers.
func sameResults(t *testing.T, name string, q retrieve.Query, r, want *retrieve.Retriever) {
	t.Helper()
	a, err := r.Retrieve(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	b, err := want.Retrieve(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Results) != len(b.Results) || len(b.Results) == 0 || math.Abs(a.Evidence-b.Evidence) > 1e-4 {
		t.Fatalf("%s: %+v: %d results with evidence %v, want %d and %v",
			name, q, len(a.Results), a.Evidence, len(b.Results), b.Evidence)
	}
	for i := range b.Results {
		x, y := a.Results[i], b.Results[i]
		if x.Passage.ID != y.Passage.ID && math.Abs(x.Score-y.Score) > 1e-4 || math.Abs(x.Score-y.Score) > 1e-4 {
			t.Errorf("%s: %+v: result %d is passage %d with %v, want %d with %v",
				name, q, i, x.Passage.ID, x.Score, y.Passage.ID, y.Score)
		}
	}
}

// TestEncoderProcesses refreshes in several processes, one of them without the encoder,
// while documents change.
func TestEncoderProcesses(t *testing.T) {
	t.Parallel()
	database := pgtest.VectorURL(t)
	s := openStore(t, database)
	e := retrieve.Encoder{Embedder: indextest.Model("encoder"), Languages: everyLanguage}
	texts := make([]string, 200)
	for i := range texts {
		texts[i] = fmt.Sprint("lemon ", i)
	}
	put := func(n int) []int64 {
		var puts []intake.Put
		for i := range n {
			puts = append(puts, document(fmt.Sprint(i), texts...))
		}
		return store(t, s, puts...)
	}
	ids := put(50)
	encodeAll(t, s, e)
	var processes sync.WaitGroup
	stop := make(chan struct{})
	refresh := func(f func() error) {
		processes.Go(func() {
			for {
				if err := f(); err != nil {
					t.Error(err)
					return
				}
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	var encoders []*pgvector.Encoder
	for range 2 {
		s := openStore(t, database)
		e := openEncoder(t, s, configOf(t, s))
		encoders = append(encoders, e)
		refresh(func() error {
			_, _, err := e.Refresh(t.Context())
			return err
		})
	}
	without := open(t, configOf(t, openStore(t, database)))
	refresh(func() error { return without.Refresh(t.Context()) })
	for i := range 5 {
		put(3)
		if _, err := s.RemoveDocuments(t.Context(), ids[10+i:11+i]); err != nil {
			t.Fatal(err)
		}
		encodeAll(t, s, e)
	}
	close(stop)
	processes.Wait()
	for _, e := range encoders {
		if done, total, err := e.Refresh(t.Context()); err != nil || done != 9000 || total != 9000 {
			t.Errorf("%d of %d vectors, %v; want 9,000", done, total, err)
		}
	}
	pool, _ := s.Connections()
	var rows, wrong int
	if err := pool.QueryRow(t.Context(), `SELECT count(p.chunk_id), count(*) FILTER (WHERE p.chunk_id IS NULL OR e.chunk_id IS NULL)
		FROM pgvector_encoded p FULL JOIN encoding e ON e.chunk_id = p.chunk_id`).Scan(&rows, &wrong); err != nil || rows != 9000 || wrong != 0 {
		t.Errorf("%d rows, and %d without a partner, %v; want 9,000 and 0", rows, wrong, err)
	}
}
