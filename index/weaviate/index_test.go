package weaviate_test

import (
	"context"
	"testing"
	"time"

	"docent/index/weaviate"
	"docent/rag/corpus"
)

// open makes an index of vectors with 64 dimensions.
func open(t *testing.T, cfg weaviate.Config) *weaviate.Index {
	t.Helper()
	if cfg.Corpus == nil {
		cfg.Corpus = empty()
	}
	if cfg.Embedder == "" {
		cfg.Embedder = "test"
	}
	if cfg.Dimensions = 64; cfg.Leases == nil {
		cfg.Leases = free{}
	}
	x, err := weaviate.New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(x.Close)
	return x
}

// free gives each lease to all.
type free struct{}

func (free) LeaseEncoder(context.Context, string, string, time.Time, time.Time) (bool, error) {
	return true, nil
}

func empty() corpus.Corpus { return corpus.NewFixed(nil, nil, nil) }
