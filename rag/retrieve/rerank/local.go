package rerank

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"docent/rag/corpus"
	"docent/rag/retrieve"
)

// CrossEncoder scores texts for a question. It is safe for concurrent use.
type CrossEncoder interface {
	// Score returns a score for each text. Higher is better.
	Score(ctx context.Context, question string, texts []string) ([]float64, error)
}

// Local is a Reranker in this process.
type Local struct {
	model   CrossEncoder
	timeout time.Duration
}

var _ retrieve.Reranker = (*Local)(nil)

// NewLocal returns a Reranker with a model. timeout bounds a call of Score; 0 means
// DefaultTimeout.
func NewLocal(model CrossEncoder, timeout time.Duration) *Local {
	return &Local{model, cmp.Or(timeout, DefaultTimeout)}
}

// Score implements retrieve.Reranker.
func (l *Local) Score(ctx context.Context, question string, passages []corpus.Passage) ([]retrieve.Score, error) {
	texts := make([]string, len(passages))
	for i, p := range passages {
		texts[i] = document(p)
	}
	limited, cancel := context.WithTimeout(ctx, l.timeout)
	defer cancel()
	relevance, err := l.model.Score(limited, question, texts)
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("rerank: %w", ctx.Err())
	case limited.Err() != nil && err != nil:
		return nil, fmt.Errorf("rerank: the model did not score %d passages within %v: %w", len(texts), l.timeout, err)
	case err != nil:
		return nil, fmt.Errorf("rerank: %w", err)
	}
	scores := make([]retrieve.Score, len(relevance))
	for i, r := range relevance {
		scores[i].Relevance = r
	}
	return scores, nil
}
