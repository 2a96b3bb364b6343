package rerank_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"docent/rag/corpus"
	"docent/rag/retrieve/indextest"
	"docent/rag/retrieve/rerank"
)

// shared is a model that counts the words of the question in a text.
type shared struct{}

func (shared) Score(ctx context.Context, question string, texts []string) ([]float64, error) {
	scores := make([]float64, len(texts))
	for i, text := range texts {
		for _, w := range strings.Fields(question) {
			if strings.Contains(text, w) {
				scores[i]++
			}
		}
	}
	return scores, ctx.Err()
}

// slow is a model that needs longer than any timeout.
type slow struct{}

func (slow) Score(ctx context.Context, _ string, _ []string) ([]float64, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestLocal(t *testing.T) {
	t.Parallel()
	indextest.RunReranker(t, rerank.NewLocal(shared{}, 0))
}

func TestLocalTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, err := rerank.NewLocal(slow{}, time.Second).Score(t.Context(), "x", []corpus.Passage{{}})
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "did not score 1 passages within 1s") {
			t.Errorf("got %v", err)
		}
	})
}
