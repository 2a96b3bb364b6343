package retrieve_test

import (
	"context"
	"testing"

	"docent/index/bm25"
	"docent/index/chromem"
	"docent/rag/corpus"
	"docent/rag/retrieve"
)

// unfiltered is a keyword index that ignores filters.
type unfiltered struct{ *bm25.Index }

func (x unfiltered) Words(ctx context.Context, text string, k int, _ retrieve.Filter) ([]retrieve.Hit, error) {
	return x.Index.Words(ctx, text, k, retrieve.Filter{})
}

// TestCollectionsOfPassages: the passages decide what a reader may see, and not the index.
func TestCollectionsOfPassages(t *testing.T) {
	t.Parallel()
	c := newCorpus(t)
	for _, name := range []string{"open", "secret"} {
		c.put(t, corpus.Document{Source: "/" + name, Title: name, Collection: name}, corpus.Chunk{Text: "The kestrel valve opens at 17 bar, says the " + name + " manual."})
	}
	r, err := retrieve.New(retrieve.Config{
		Corpus: c, Embedder: c.static, Static: c.static, Words: unfiltered{bm25.New()}, Nearest: chromem.New(),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	found := ask(t, r, retrieve.Query{Question: "when does the kestrel valve open?", Collections: []string{"open"}})
	if len(found.Results) != 1 || found.Results[0].Passage.Document.Collection != "open" {
		t.Errorf("found %+v", found.Results)
	}
}
