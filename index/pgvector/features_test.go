package pgvector_test

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"docent/embed"
	"docent/index/pgvector"
	"docent/ingest/intake"
	"docent/internal/pgtest"
	"docent/rag/corpus"
	"docent/rag/retrieve/indextest"
)

// handbook returns the documents of the retrieval tests, without chunk ids.
func handbook(t *testing.T, static *embed.Static) []intake.Put {
	t.Helper()
	f, err := os.Open("../../rag/retrieve/testdata/retrieval/corpus.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // it is only read
	var out []intake.Put
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var line struct {
			Document, Title, Text string
			Headings              []string
			Kind                  corpus.Kind
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		if len(out) == 0 || out[len(out)-1].Document.Source != line.Document {
			out = append(out, intake.Put{Embedder: static.Name(), Document: corpus.Document{
				Collection: corpus.DefaultCollection, Source: line.Document, Title: line.Title, Language: "en",
				MediaType: "text/plain", Pipeline: "test", Status: corpus.Ready,
			}})
		}
		put := &out[len(out)-1]
		if line.Kind == "" {
			line.Kind = corpus.Prose
		}
		chunk := corpus.Chunk{Ordinal: len(put.Chunks), Kind: line.Kind, Headings: line.Headings, Text: line.Text}
		vectors, err := static.EmbedDocuments(t.Context(), []string{corpus.IndexText(line.Title, chunk)})
		if err != nil {
			t.Fatal(err)
		}
		put.Chunks, put.Vectors = append(put.Chunks, chunk), append(put.Vectors, vectors[0])
	}
	return out
}

// TestFeatures runs the suite of retrieve.Features after each kind of change.
func TestFeatures(t *testing.T) {
	t.Parallel()
	static := tokens(t)
	s := openStore(t, pgtest.VectorURL(t))
	cfg := configOf(t, s)
	cfg.Embedder, cfg.Dimensions = static.Name(), static.Dimensions()
	x := open(t, cfg)
	check := func(name string, x *pgvector.Index) {
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
	if _, err := pool.Exec(t.Context(), `UPDATE pgvector_index SET format = 'of another version'`); err != nil {
		t.Fatal(err)
	}
	check("built again", open(t, cfg))
}
