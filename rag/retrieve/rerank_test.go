package retrieve_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"docent/index/bm25"
	"docent/index/chromem"
	"docent/rag/corpus"
	"docent/rag/retrieve"
	"docent/rag/retrieve/indextest"
)

// worst is a Reranker that reverses the order of the features.
type worst struct{ fail error }

func (w worst) Score(ctx context.Context, _ string, passages []corpus.Passage) ([]retrieve.Score, error) {
	if w.fail != nil {
		return nil, w.fail
	}
	out := make([]retrieve.Score, len(passages))
	for i := range out {
		out[i].Relevance = float64(i)
	}
	return out, ctx.Err()
}

// reranked makes a retriever with a Reranker over the small corpus.
func reranked(t *testing.T, c *memoryCorpus, x retrieve.Reranker) *retrieve.Retriever {
	t.Helper()
	r, err := retrieve.New(retrieve.Config{
		Corpus: c, Embedder: c.static, Static: c.static, Words: bm25.New(), Nearest: chromem.New(), Reranker: x,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r
}

func found(r retrieve.Retrieval) []int64 {
	var out []int64
	for _, x := range r.Results {
		out = append(out, x.Passage.ID)
	}
	return out
}

func TestReranker(t *testing.T) {
	t.Parallel()
	indextest.RunReranker(t, indextest.Overlap{})
	c := small(t)
	const q = "shared_buffers default"
	plain := load(t, c, "")
	all := found(ask(t, plain, retrieve.Query{Question: q, K: 30}))
	slices.Reverse(all)
	got := ask(t, reranked(t, c, worst{}), retrieve.Query{Question: q, K: 3})
	if !slices.Equal(found(got), all[:3]) {
		t.Errorf("reranked %v, want %v", found(got), all[:3])
	}
	for i, x := range got.Results {
		if x.Rank != i+1 || x.Rerank == nil || x.Score > 1 || i > 0 && x.Score > got.Results[i-1].Score {
			t.Errorf("result %d is %+v", i, x)
		}
	}
	want := found(ask(t, plain, retrieve.Query{Question: q, K: 3}))
	failing := reranked(t, c, worst{errors.New("no encoder")})
	if got := found(ask(t, failing, retrieve.Query{Question: q, K: 3})); !slices.Equal(got, want) {
		t.Errorf("with a failing reranker %v, want %v", got, want)
	}
	// Only the full mode reranks.
	if got := ask(t, reranked(t, c, worst{}), retrieve.Query{Question: q, K: 3, Mode: retrieve.Hybrid}); got.Results[0].Rerank != nil {
		t.Error("the hybrid mode reranks")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := reranked(t, c, worst{}).Retrieve(ctx, retrieve.Query{Question: q}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

// TestRerankShare: with a share of 0 the features alone decide.
func TestRerankShare(t *testing.T) {
	t.Parallel()
	c := small(t)
	const q = "shared_buffers default"
	want := found(ask(t, load(t, c, ""), retrieve.Query{Question: q, K: 5}))
	none := func(string, corpus.Passage) float64 { return 0 }
	r, err := retrieve.New(retrieve.Config{
		Corpus: c, Embedder: c.static, Static: c.static, Words: bm25.New(), Nearest: chromem.New(), Reranker: worst{}, RerankShare: none,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := found(ask(t, r, retrieve.Query{Question: q, K: 5})); !slices.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
}
