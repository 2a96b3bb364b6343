package indextest

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"docent/embed"
	"docent/rag/corpus"
)

// Handbook returns the documents of the retrieval tests, without ids. file is the path
// of rag/retrieve/testdata/retrieval/corpus.jsonl.
func Handbook(t *testing.T, file string, embedder embed.Embedder) []corpus.Change {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // it is only read
	var out []corpus.Change
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
			out = append(out, corpus.Change{Document: corpus.Document{
				Collection: corpus.DefaultCollection, Source: line.Document, Title: line.Title, Language: "en",
				MediaType: "text/plain", Pipeline: "test", Status: corpus.Ready,
			}})
		}
		d := &out[len(out)-1]
		if line.Kind == "" {
			line.Kind = corpus.Prose
		}
		chunk := corpus.Chunk{Ordinal: len(d.Chunks), Kind: line.Kind, Headings: line.Headings, Text: line.Text}
		vectors, err := embedder.EmbedDocuments(t.Context(), []string{corpus.IndexText(line.Title, chunk)})
		if err != nil {
			t.Fatal(err)
		}
		d.Chunks, d.Vectors = append(d.Chunks, chunk), append(d.Vectors, vectors[0])
	}
	return out
}
