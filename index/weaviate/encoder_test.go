package weaviate_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"testing"

	"docent/embed"
	"docent/index/bm25"
	"docent/index/weaviate"
	"docent/index/weaviate/weaviatetest"
	"docent/ingest/intake"
	"docent/rag/corpus"
	"docent/rag/retrieve"
	"docent/rag/retrieve/indextest"
	"docent/store/sqlite"
)

// everyLanguage selects all documents.
var everyLanguage = corpus.Languages{Except: true}

func openStore(t *testing.T, file string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), sqlite.Config{Path: file})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func openEncoder(t *testing.T, s *sqlite.Store, x *weaviate.Index, model string, languages corpus.Languages) *weaviate.Encoder {
	t.Helper()
	e, err := x.OpenEncoder(weaviate.EncoderConfig{
		Model: model, Dimensions: 64, Languages: languages, Encodings: s,
		Chunks: func(ctx context.Context, languages corpus.Languages) (int, error) {
			_, total, err := s.CountEncodings(ctx, model, languages)
			return total, err
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// runEncoders runs the suites of encoders on some nodes.
func runEncoders(t *testing.T, nodes []string, run func(*testing.T, func(*testing.T) (retrieve.Nearest, indextest.Writer))) {
	t.Run("Nearest", func(t *testing.T) {
		run(t, func(t *testing.T) (retrieve.Nearest, indextest.Writer) {
			s := openStore(t, t.TempDir()+"/docent.db")
			e := openEncoder(t, s, open(t, weaviate.Config{Nodes: nodes, Class: "Test" + rand.Text()}), "encoder", everyLanguage)
			if err := e.Index().Create(t.Context()); err != nil {
				t.Fatal(err)
			}
			dropLater(t, e.Index())
			return e, e.Index()
		})
	})
	t.Run("Encoders", func(t *testing.T) {
		static, err := embed.NewStatic()
		if err != nil {
			t.Fatal(err)
		}
		indextest.RunEncoders(t, func(t *testing.T) indextest.EncoderCorpus {
			file, class := t.TempDir()+"/docent.db", "Test"+rand.Text()
			s := openStore(t, file)
			return indextest.EncoderCorpus{
				Corpus: s, Encodings: s,
				Put: func(t *testing.T, source, language string, texts ...string) int64 {
					return put(t, s, source, language, texts...)
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
					process := openStore(t, file)
					x := open(t, weaviate.Config{Nodes: nodes, Class: class, Corpus: process, Leases: process, Embedder: "test-64"})
					if _, err := x.Refresh(t.Context()); err != nil {
						t.Fatal(err)
					}
					dropLater(t, x)
					for i, e := range encoders {
						encoders[i].Vectors = openEncoder(t, process, x, e.Embedder.Name(), e.Languages)
					}
					r, err := retrieve.New(retrieve.Config{
						Corpus: process, Embedder: indextest.Model("test-64"), Static: static, Words: bm25.New(), Nearest: x, Encoders: encoders,
					})
					if err != nil {
						t.Fatal(err)
					}
					if err := r.Load(t.Context()); err != nil {
						t.Fatal(err)
					}
					return r
				},
			}
		})
	})
}

func dropLater(t *testing.T, x *weaviate.Index) {
	t.Cleanup(func() {
		if err := x.Drop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
}

// put stores a document with a chunk for each text.
func put(t *testing.T, s *sqlite.Store, source, language string, texts ...string) int64 {
	t.Helper()
	document := intake.Put{Embedder: "test-64", Document: corpus.Document{
		Collection: corpus.DefaultCollection, Source: source, Title: source, Language: language,
		MediaType: "text/plain", Pipeline: "test", Status: corpus.Ready,
	}}
	for i, text := range texts {
		document.Chunks = append(document.Chunks, corpus.Chunk{Ordinal: i, Kind: corpus.Prose, Text: text})
		document.Vectors = append(document.Vectors, indextest.Vector(text))
	}
	ids, err := s.PutDocuments(t.Context(), []intake.Put{document})
	if err != nil {
		t.Fatal(err)
	}
	return ids[0]
}

// encode stores the missing vectors of a model.
func encode(t *testing.T, s *sqlite.Store, model string) {
	t.Helper()
	passages, err := s.Unencoded(t.Context(), corpus.EncodingQuery{Model: model, Languages: everyLanguage, Limit: 10_000})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range passages {
		if err := s.PutEncodings(t.Context(), model, []corpus.Encoding{{ChunkID: p.ID, Vector: indextest.Vector(p.Text)}}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestEncoders(t *testing.T) {
	t.Parallel()
	runEncoders(t, []string{weaviatetest.New(t).URL}, indextest.RunNearest)
}

// TestEncoderWithoutNodes: while no node answers, a process keeps its counts, and Follow
// catches up later.
func TestEncoderWithoutNodes(t *testing.T) {
	t.Parallel()
	server, s := weaviatetest.New(t), openStore(t, t.TempDir()+"/docent.db")
	x := open(t, weaviate.Config{Nodes: []string{server.URL}, Corpus: s, Leases: s, Embedder: "test-64"})
	e := openEncoder(t, s, x, "encoder", everyLanguage)
	wantCounts := func(done, total int) {
		t.Helper()
		if d, n, err := e.Refresh(t.Context()); err != nil || d != done || n != total {
			t.Fatalf("%d of %d vectors, %v; want %d of %d", d, n, err, done, total)
		}
	}
	id := put(t, s, "a", "en", "lemon", "mint")
	encode(t, s, "encoder")
	wantCounts(2, 2)
	server.Down.Store(true)
	put(t, s, "b", "en", "sage")
	encode(t, s, "encoder")
	if _, err := s.RemoveDocuments(t.Context(), []int64{id}); err != nil {
		t.Fatal(err)
	}
	wantCounts(2, 1)
	server.Down.Store(false)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- x.Follow(ctx) }()
	changed, err := s.Watch(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; ; n++ { // each change wakes both
		put(t, s, fmt.Sprint(n), "en", "basil")
		<-changed
		hits, err := e.Nearest(t.Context(), indextest.Vector("sage"), 9, retrieve.Filter{})
		if err == nil && len(hits) == 1 && hits[0].Score > .99 {
			break
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestManyEncodings writes more vectors than a batch has, of several revisions.
func TestManyEncodings(t *testing.T) {
	t.Parallel()
	server, s := weaviatetest.New(t), openStore(t, t.TempDir()+"/docent.db")
	texts := make([]string, 2100)
	for i := range texts {
		texts[i] = fmt.Sprint("lemon ", i)
	}
	put(t, s, "a", "en", texts...)
	encode(t, s, "encoder")
	for range 2 { // the second process finds all vectors
		x := open(t, weaviate.Config{Nodes: []string{server.URL}, Corpus: s, Leases: s, Embedder: "test-64"})
		e := openEncoder(t, s, x, "encoder", everyLanguage)
		if done, total, err := e.Refresh(t.Context()); err != nil || done != 2100 || total != 2100 {
			t.Fatalf("%d of %d vectors, %v", done, total, err)
		}
	}
	for class, objects := range server.Classes() {
		if len(class) > 40 && objects != 2100 && objects != 2 {
			t.Errorf("%s has %d objects", class, objects)
		}
	}
}
