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
		cfg.Corpus = corpus.NewFixed(nil, nil, nil)
	}
	cfg.Leases, cfg.Embedder, cfg.Dimensions = free{}, "test-64", 64
	x, err := weaviate.New(cfg)
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
