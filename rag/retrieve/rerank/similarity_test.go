package rerank_test

import (
	"context"
	"testing"

	"docent/embed"
	"docent/rag/corpus"
	"docent/rag/retrieve/indextest"
	"docent/rag/retrieve/rerank"
)

func TestSimilarity(t *testing.T) {
	t.Parallel()
	static, err := embed.NewStatic()
	if err != nil {
		t.Fatal(err)
	}
	counted := &countingEmbedder{Embedder: static}
	similarity := rerank.NewSimilarity(counted, nil)
	indextest.RunReranker(t, similarity)
	passages := []corpus.Passage{{Chunk: corpus.Chunk{ID: 7, Text: "The valve opens."}}, {Chunk: corpus.Chunk{ID: 8, Text: "It rains."}}}
	for range 3 {
		if _, err := similarity.Score(t.Context(), "valve", passages); err != nil {
			t.Fatal(err)
		}
	}
	before := counted.texts
	passages[1].Text = "The other valve opens." // a new version of the passage
	if _, err := similarity.Score(t.Context(), "valve", passages); err != nil {
		t.Fatal(err)
	}
	if before != 4 || counted.texts != 5 {
		t.Errorf("embedded %d and %d texts, want 4 and 5", before, counted.texts)
	}
	values, err := similarity.Compare(t.Context(), "valve", []string{"It rains.", "The valve opens."})
	if err != nil || len(values) != 2 || values[0] >= values[1] {
		t.Errorf("the sentences have the similarities %v, %v", values, err)
	}
}

// countingEmbedder counts the texts that it embeds.
type countingEmbedder struct {
	embed.Embedder
	texts int
}

func (c *countingEmbedder) EmbedDocuments(ctx context.Context, texts []string) ([][]float32, error) {
	c.texts += len(texts)
	out, err := c.Embedder.EmbedDocuments(ctx, texts)
	if err != nil {
		return nil, err
	}
	return out, nil
}
