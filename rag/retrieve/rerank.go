package retrieve

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"docent/internal/trace"
	"docent/rag/corpus"
)

// Reranker scores passages. It reads each passage together with the question, so
// it is slower and more accurate than the features. It is safe for concurrent
// use.
type Reranker interface {
	// Score returns a score for each passage, in that order.
	Score(ctx context.Context, question string, passages []corpus.Passage) ([]Score, error)
}

// Score is a Reranker's judgment of a passage. Answers, Start, and End are for a better
// reader: docent does not use them yet.
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

// rerankDepth is the number of results that are ordered again, by a Reranker and demoteInterfaces.
const rerankDepth = 20

// rerank orders results by their own scores and those of the Reranker. If the Reranker fails, the
// order stays.
func (r *Retriever) rerank(ctx context.Context, asking question, results []Result) error {
	if r.cfg.Reranker == nil || len(results) == 0 {
		return nil
	}
	passages := make([]corpus.Passage, len(results))
	for i := range results {
		passages[i] = results[i].Passage
	}
	within, span := trace.Begin(ctx, trace.Internal, "retrieve rerank", "docent.passages", len(passages))
	scores, err := r.cfg.Reranker.Score(within, asking.text, passages)
	if err == nil && len(scores) != len(results) {
		err = fmt.Errorf("the reranker returned %d scores for %d passages", len(scores), len(results))
	}
	span.End(err)
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("retrieve: rerank: %w", ctx.Err())
	case err != nil:
		r.cfg.Log.WarnContext(ctx, "passages not reranked; the features order them", "error", err)
		return nil
	}
	r.fuse(asking, results, scores)
	return nil
}

// fuse orders results by their own scores and those of the Reranker. Both are
// normalized over the results: the best counts 1, the last 0.
func (r *Retriever) fuse(asking question, results []Result, scores []Score) {
	own, read := make([]float32, len(results)), make([]float32, len(results))
	for i := range results {
		own[i], read[i] = float32(results[i].Score), float32(scores[i].Relevance)
	}
	normalize(own)
	normalize(read)
	for i := range results {
		share := 1.0
		if r.cfg.RerankShare != nil {
			share = r.cfg.RerankShare(asking.language, results[i].Passage)
		}
		results[i].Rerank = &scores[i]
		results[i].Score = (1-share)*float64(own[i]) + share*float64(read[i])
	}
	slices.SortStableFunc(results, func(a, b Result) int { return cmp.Compare(b.Score, a.Score) })
	for i := range results {
		results[i].Rank = i + 1
	}
}
