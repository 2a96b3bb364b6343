package retrieve

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"docent/rag/corpus"
)

// Reranker scores passages. It reads each passage together with the question, so
// it is slower and more accurate than the features. It is safe for concurrent
// use.
type Reranker interface {
	// Score returns a score for each passage, in that order.
	Score(ctx context.Context, question string, passages []corpus.Passage) ([]Score, error)
}

// Score is a Reranker's judgment of a passage.
type Score struct {
	// Relevance orders passages. Higher is better.
	Relevance float64
	// Answers is the probability that the passage answers the question, from 0
	// to 1; nil if the Reranker does not estimate it.
	Answers *float64
	// Start and End are the byte offsets in Passage.Text of the sentence that
	// answers best. Both are 0 if the Reranker does not choose one.
	Start, End int
}

// rerankDepth is the number of results that a Reranker scores.
const rerankDepth = 30

// rerank orders results by the Reranker's scores. If the Reranker fails, the
// order stays.
func (r *Retriever) rerank(ctx context.Context, question string, results []Result) error {
	if len(results) == 0 {
		return nil
	}
	passages := make([]corpus.Passage, len(results))
	for i := range results {
		passages[i] = results[i].Passage
	}
	scores, err := r.cfg.Reranker.Score(ctx, question, passages)
	if err == nil && len(scores) != len(results) {
		err = fmt.Errorf("the reranker returned %d scores for %d passages", len(scores), len(results))
	}
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("retrieve: rerank: %w", ctx.Err())
	case err != nil:
		r.cfg.Log.WarnContext(ctx, "passages not reranked; the features order them", "error", err)
		return nil
	}
	for i := range results {
		results[i].Rerank = &scores[i]
	}
	slices.SortStableFunc(results, func(a, b Result) int { return cmp.Compare(b.Rerank.Relevance, a.Rerank.Relevance) })
	for i := range results {
		results[i].Rank, results[i].Score = i+1, results[i].Rerank.Relevance
	}
	return nil
}
