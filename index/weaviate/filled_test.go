package weaviate_test

import (
	"context"
	"sync"
	"testing"

	"docent/index/weaviate"
	"docent/index/weaviate/weaviatetest"
	"docent/internal/fault"
	"docent/rag/corpus"
	"docent/rag/retrieve/indextest"
)

// TestFilled: an index is filled once Follow has refreshed it, or another process has.
func TestFilled(t *testing.T) {
	t.Parallel()
	vectors := [][]float32{indextest.Vector("lemon")}
	cfg := weaviate.Config{
		Nodes: []string{weaviatetest.New(t).URL}, Class: "Test",
		Corpus: corpus.NewFixed([]corpus.Document{{Source: "a"}}, [][]corpus.Chunk{{{Text: "lemon"}}}, [][][]float32{vectors}),
	}
	x, other := open(t, cfg), open(t, cfg)
	if err := x.Filled(t.Context()); fault.KindOf(err) != fault.Unavailable || fault.TextOf(err).ID != "index_filling" {
		t.Errorf("before the classes exist: %v", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var following sync.WaitGroup
	following.Go(func() {
		if err := x.Follow(ctx); err != nil {
			t.Error(err)
		}
	})
	for x.Filled(t.Context()) != nil {
		if t.Context().Err() != nil {
			t.Fatal("Follow does not fill the index")
		}
	}
	if err := other.Filled(t.Context()); err != nil {
		t.Errorf("another process has filled the index: %v", err)
	}
	stop()
	following.Wait()
}
