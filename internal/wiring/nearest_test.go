package wiring

import (
	"log/slog"
	"os"
	"testing"

	"docent/config"
	"docent/internal/fault"
	"docent/internal/pgtest"
	"docent/rag/retrieve"
	"docent/rag/retrieve/indextest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m).Run()) }

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

// TestPGVector opens the index in the database, and checks that SQLite has none.
func TestPGVector(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ url, fault string }{
		"postgres": {pgtest.VectorURL(t), ""}, "sqlite": {"", "config_pgvector_database"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := New(config.Config{Data: t.TempDir(), DatabaseURL: c.url, Index: config.IndexPGVector}, slog.New(slog.DiscardHandler))
			defer p.Close(t.Context())
			if err := p.AddDatabase(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := p.AddEmbedder(t.Context()); err != nil {
				t.Fatal(err)
			}
			err := p.AddRetriever(t.Context())
			if got := fault.TextOf(err).ID; err != nil && got != c.fault || err == nil && c.fault != "" {
				t.Fatalf("the error is %v, want %q", err, c.fault)
			}
			if err == nil && vectorIndex(p.nearest) != config.IndexPGVector {
				t.Errorf("the index is %s", vectorIndex(p.nearest))
			}
		})
	}
}
