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
)

// enrichments are the enrichments of a corpus at a revision, by chunk.
type enrichments struct {
	revision int64
	all      []corpus.Enrichment
	fail     error
}

func (e *enrichments) Enriched(_ context.Context, since, after int64, limit int) ([]corpus.Enrichment, error) {
	if e.fail != nil || since >= e.revision {
		return nil, e.fail
	}
	rest := slices.DeleteFunc(slices.Clone(e.all), func(x corpus.Enrichment) bool { return x.ChunkID <= after })
	return rest[:min(limit, len(rest))], nil
}

func TestEnriched(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(c *memoryCorpus) retrieve.Config{
		"memory": func(*memoryCorpus) retrieve.Config { return retrieve.Config{Words: bm25.New(), Nearest: chromem.New()} },
		"engines": func(c *memoryCorpus) retrieve.Config {
			words, vectors := filled(t, c)
			return retrieve.Config{Words: engineWords{words}, Nearest: engineNearest{vectors}, Features: &stored{c.static, c}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := small(t)
			testEnriched(t, c, open(c))
		})
	}
}

// testEnriched tests a retriever with enrichments and the given indexes of a corpus.
func testEnriched(t *testing.T, c *memoryCorpus, cfg retrieve.Config) {
	const q = "zebra crossing paperwork"
	plain := load(t, c, "")
	last := ask(t, plain, retrieve.Query{Question: "deadlock", K: 1}).Results[0].Passage
	revision, err := c.Revision(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	source := &enrichments{revision: revision.Number, fail: errors.New("no database")}
	words, nearest := bm25.New(), chromem.New()
	cfg.Corpus, cfg.Embedder, cfg.Static = c, c.static, c.static
	cfg.Enriched = retrieve.Enriched{Source: source, Words: words, Nearest: nearest}
	r, err := retrieve.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Load(t.Context()); !errors.Is(err, source.fail) {
		t.Errorf("a failing source: %v", err)
	}
	source.fail = nil
	text := "About traffic.\n\nWhich paperwork does a zebra crossing need?\n1?\n2?\n3?\n4?\n5?\n6?\n7?\n8?"
	source.all = []corpus.Enrichment{{ChunkID: last.ID, Document: last.Document, Text: text}}
	if err := r.Refresh(t.Context()); err != nil || words.Len() != 8 {
		t.Fatalf("%v, %d lines", err, words.Len())
	}
	got := ask(t, r, retrieve.Query{Question: q, K: 3})
	if first := got.Results[0]; first.Passage.ID != last.ID || first.Features[retrieve.FeatureEnrichment] != 1 {
		t.Errorf("the first result is %+v", first)
	}
	if got.Evidence > ask(t, plain, retrieve.Query{Question: q, K: 3}).Evidence+.3 {
		t.Errorf("an enrichment is evidence: %v", got.Evidence)
	}
	// Other searches ignore enrichments.
	for name, query := range map[string]retrieve.Query{
		"hybrid":          {Question: q, K: 3, Mode: retrieve.Hybrid},
		"without":         {Question: q, K: 3, Without: []string{retrieve.FeatureEnrichment}},
		"two collections": {Question: q, K: 3, Collections: []string{"none"}},
	} {
		if want, got := found(ask(t, plain, query)), found(ask(t, r, query)); !slices.Equal(want, got) {
			t.Errorf("%s: found %v, want %v", name, got, want)
		}
	}
	// A changed text replaces all lines, and a removed document loses them.
	source.revision++
	source.all[0].Text = "About rain."
	c.put(t, corpus.Document{Source: "/new"}, corpus.Chunk{Text: "Something new."})
	source.revision = 1 << 40
	if err := r.Refresh(t.Context()); err != nil || words.Len() != 1 || nearest.Len() != 1 {
		t.Fatalf("%v, %d and %d lines", err, words.Len(), nearest.Len())
	}
	source.all = nil
	c.remove(last.Document.Source)
	if err := r.Refresh(t.Context()); err != nil || words.Len() != 0 || nearest.Len() != 0 {
		t.Errorf("%v, %d and %d lines at the end", err, words.Len(), nearest.Len())
	}
}
