package wiring

import (
	"context"
	"os"
	"testing"

	"docent/config"
	"docent/index/weaviate/weaviatetest"
	"docent/ingest/encode"
	"docent/ingest/intake"
	"docent/ingest/worker"
	"docent/internal/fault"
	"docent/internal/pgtest"
	"docent/rag/corpus"
	"docent/rag/retrieve"
	"docent/rag/retrieve/indextest"
)

func TestMain(m *testing.M) {
	RunSourceWorker(context.Background())
	if worker.Requested() {
		os.Exit(worker.Main(context.Background()))
	}
	os.Exit(pgtest.Main(m).Run())
}

// TestVectorIndex checks which index each setting uses.
func TestVectorIndex(t *testing.T) {
	t.Parallel()
	entries := make([]retrieve.Entry, maxChromem+1)
	for i := range entries {
		entries[i] = indextest.Entry(int64(i+1), "lemon")
	}
	for setting, want := range map[string][2]string{
		"": {"chromem", "flat"}, config.IndexAuto: {"chromem", "flat"},
		config.IndexFlat: {"flat", "flat"}, config.IndexChromem: {"chromem", "chromem"},
	} {
		x := newNearest(setting, nil)
		for i, part := range [][]retrieve.Entry{entries[:maxChromem], entries[maxChromem:]} {
			if err := x.Put(t.Context(), part); err != nil {
				t.Fatal(err)
			}
			if got := vectorIndex(x); got != want[i] {
				t.Errorf("%q with %d passages uses %s, want %s", setting, x.Len(), got, want[i])
			}
		}
	}
}

// TestNothingInMemory: with an index outside of the process and Postgres, the process
// keeps nothing for each passage, and finds the same.
func TestNothingInMemory(t *testing.T) {
	t.Parallel()
	node := weaviatetest.New(t)
	for name, c := range map[string]struct {
		cfg     config.Config
		keyword string
		rows    int
	}{
		"weaviate and postgres": {config.Config{DatabaseURL: pgtest.URL(t), Index: config.IndexWeaviate}, "postgres", 0},
		"pgvector":              {config.Config{DatabaseURL: pgtest.VectorURL(t), Index: config.IndexPGVector}, "postgres", 0},
		"weaviate and sqlite":   {config.Config{Index: config.IndexWeaviate}, "bm25", 2},
		"flat and postgres":     {config.Config{DatabaseURL: pgtest.URL(t), Index: config.IndexFlat}, "bm25", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.cfg.Data, c.cfg.Encoder, c.cfg.Weaviate = t.TempDir(), config.EncoderOff, []string{node.URL}
			p := openParts(t, c.cfg)
			p.encoders = []encode.Model{{Embedder: indextest.Model("encoder"), Languages: corpus.Languages{Except: true}}}
			p.putTexts(t, "Lemons grow on small trees.", "Mint grows in wet soil.")
			if err := p.Encode(t.Context(), p.Store); err != nil {
				t.Fatal(err)
			}
			x, err := OpenIndexes(t.Context(), p.Store, p.Embedders)
			if err != nil {
				t.Fatal(err)
			}
			if x.Retriever.Len() != c.rows || x.keywordIndex() != c.keyword {
				t.Errorf("%d passages are in memory, and the keyword index is %s", x.Retriever.Len(), x.keywordIndex())
			}
			if e := x.Retriever.Encoders()[0]; e.Done != 2 || e.Total != 2 {
				t.Errorf("the encoder has %d of %d vectors", e.Done, e.Total)
			}
			found, err := x.Retriever.Retrieve(t.Context(), retrieve.Query{Question: "Where does mint grow?"})
			if err != nil || len(found.Results) != 2 || found.Results[0].Passage.Text != "Mint grows in wet soil." {
				t.Errorf("found %+v, %v", found.Results, err)
			}
		})
	}
}

// putTexts stores a document for each text.
func (p parts) putTexts(t *testing.T, texts ...string) {
	t.Helper()
	vectors, err := p.Embedder.EmbedDocuments(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range texts {
		if _, err := p.DB.Documents.PutDocuments(t.Context(), []intake.Put{{
			Embedder: p.Embedder.Name(),
			Document: corpus.Document{
				Collection: corpus.DefaultCollection, Source: text, Title: text, Language: "en",
				MediaType: "text/plain", Pipeline: "test", Status: corpus.Ready,
			},
			Chunks: []corpus.Chunk{{Kind: corpus.Prose, Text: text}}, Vectors: vectors[i : i+1],
		}}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPGVector opens the index in the database, and checks that SQLite has none.
func TestPGVector(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ url, fault string }{
		"postgres": {pgtest.VectorURL(t), ""}, "sqlite": {"", "config_pgvector_database"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := openParts(t, config.Config{Data: t.TempDir(), DatabaseURL: c.url, Index: config.IndexPGVector})
			x, err := OpenIndexes(t.Context(), p.Store, p.Embedders)
			if got := fault.TextOf(err).ID; err != nil && got != c.fault || err == nil && c.fault != "" {
				t.Fatalf("the error is %v, want %q", err, c.fault)
			}
			if err == nil && vectorIndex(x.nearest) != config.IndexPGVector {
				t.Errorf("the index is %s", vectorIndex(x.nearest))
			}
		})
	}
}
