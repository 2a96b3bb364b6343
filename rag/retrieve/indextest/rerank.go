package indextest

import (
	"context"
	"strings"
	"testing"

	"docent/rag/corpus"
	"docent/rag/retrieve"
)

// Overlap is a Reranker for tests. It counts the words that the passage and the question share.
type Overlap struct{}

// Score implements retrieve.Reranker.
func (Overlap) Score(ctx context.Context, question string, passages []corpus.Passage) ([]retrieve.Score, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	asked := map[string]bool{}
	for _, w := range strings.Fields(strings.ToLower(question)) {
		asked[w] = true
	}
	out := make([]retrieve.Score, len(passages))
	for i, p := range passages {
		for _, w := range strings.Fields(strings.ToLower(p.Text)) {
			if asked[w] {
				out[i].Relevance++
				delete(asked, w)
			}
		}
		for _, w := range strings.Fields(strings.ToLower(question)) {
			asked[w] = true
		}
	}
	return out, nil
}

// RunReranker tests a Reranker.
func RunReranker(t *testing.T, x retrieve.Reranker) {
	t.Helper()
	const question = "how often is the pump serviced"
	passages := []corpus.Passage{
		{Chunk: corpus.Chunk{ID: 1, Text: "Elephants sleep in the afternoon."}},
		{Chunk: corpus.Chunk{ID: 2, Text: "The pump is serviced every six months."}},
	}
	scores, err := x.Score(t.Context(), question, passages)
	if err != nil || len(scores) != len(passages) {
		t.Fatalf("%d scores for %d passages, %v", len(scores), len(passages), err)
	}
	if scores[1].Relevance <= scores[0].Relevance {
		t.Errorf("scores are %+v: the second passage answers", scores)
	}
	for i, s := range scores {
		if s.Answers != nil && (*s.Answers < 0 || *s.Answers > 1) {
			t.Errorf("passage %d answers with probability %v", i, *s.Answers)
		}
		if s.Start < 0 || s.Start > s.End || s.End > len(passages[i].Text) {
			t.Errorf("passage %d: the best sentence is %d to %d", i, s.Start, s.End)
		}
	}
	if scores, err = x.Score(t.Context(), question, nil); err != nil || len(scores) != 0 {
		t.Errorf("without passages: %v, %v", scores, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := x.Score(ctx, question, passages); err == nil {
		t.Error("a canceled call succeeds")
	}
}
