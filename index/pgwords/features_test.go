package pgwords_test

import (
	"testing"

	"docent/embed"
	"docent/index/pgwords"
	"docent/ingest/intake"
	"docent/internal/pgtest"
	"docent/rag/corpus"
	"docent/rag/retrieve/indextest"
)

// handbook returns the documents of the retrieval tests, without chunk ids.
func handbook(t *testing.T, static *embed.Static) []intake.Put {
	t.Helper()
	var out []intake.Put
	for _, d := range indextest.Handbook(t, "../../rag/retrieve/testdata/retrieval/corpus.jsonl", static) {
		out = append(out, intake.Put{Embedder: static.Name(), Document: d.Document, Chunks: d.Chunks, Vectors: d.Vectors})
	}
	return out
}

// TestFeatures runs the suite of retrieve.Features after each kind of change.
func TestFeatures(t *testing.T) {
	t.Parallel()
	static := tokens(t)
	s := openStore(t, pgtest.URL(t))
	cfg := configOf(t, s)
	cfg.Embedder, cfg.Dimensions = static.Name(), static.Dimensions()
	x := open(t, cfg)
	check := func(name string, x *pgwords.Index) {
		t.Helper()
		if err := x.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		var changes []corpus.Change
		for change, err := range s.Changes(t.Context(), 0, static.Name()) {
			if err != nil {
				t.Fatal(err)
			}
			changes = append(changes, change)
		}
		t.Run(name, func(t *testing.T) { indextest.RunFeatures(t, x, static, changes) })
	}
	puts := handbook(t, static)
	ids := store(t, s, puts...)
	check("stored", x)
	puts[0].Chunks, puts[0].Vectors = puts[0].Chunks[:1], puts[0].Vectors[:1]
	puts[1].Vectors, puts[1].Embedder = nil, ""
	store(t, s, puts[:2]...)
	check("replaced", x)
	if _, err := s.RemoveDocuments(t.Context(), ids[2:3]); err != nil {
		t.Fatal(err)
	}
	check("removed", x)
	pool, _ := s.Connections()
	if _, err := pool.Exec(t.Context(), `UPDATE pgwords_index SET format = 'of another version'`); err != nil {
		t.Fatal(err)
	}
	check("built again", open(t, cfg))
}
