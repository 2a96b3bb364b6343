package retrieve_test

import (
	"cmp"
	"context"
	"errors"
	"math"
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
	source.all = enrichAll(c)
	n := len(source.all)
	other := slices.IndexFunc(source.all, func(e corpus.Enrichment) bool { return e.ChunkID == last.ID })
	source.all[other].Text = "About traffic.\n\nWhich paperwork does a zebra crossing need?\n1?\n2?\n3?\n4?\n5?\n6?\n7?\n8?"
	if err := r.Refresh(t.Context()); err != nil || words.Len() != n-1+8 {
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
	source.all[other].Text = "About rain."
	c.put(t, corpus.Document{Source: "/new"}, corpus.Chunk{Text: "Something new."})
	source.revision = 1 << 40
	if err := r.Refresh(t.Context()); err != nil || words.Len() != n || nearest.Len() != n {
		t.Fatalf("%v, %d and %d lines", err, words.Len(), nearest.Len())
	}
	left := 0
	for _, e := range source.all {
		if e.Document.ID != last.Document.ID {
			left++
		}
	}
	// An empty text has no lines and does not raise the share of passages with a text.
	half := slices.Clone(source.all)
	for i := range half {
		if half[i].ChunkID != last.ID {
			half[i].Text = ""
		}
	}
	full := source.all
	source.all = half
	c.put(t, corpus.Document{Source: "/new"}, corpus.Chunk{Text: "Something else."})
	if err := r.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got = ask(t, r, retrieve.Query{Question: "about rain", K: 1}); got.Results[0].Features[retrieve.FeatureEnrichment] > .5 {
		t.Errorf("one text among empty ones: %+v", got.Results[0].Features)
	}
	source.all = full
	c.put(t, corpus.Document{Source: "/new"}, corpus.Chunk{Text: "Something new."})
	if err := r.Refresh(t.Context()); err != nil || words.Len() != n {
		t.Fatalf("%v, %d lines", err, words.Len())
	}
	source.all = nil
	c.remove(last.Document.Source)
	if err := r.Refresh(t.Context()); err != nil || words.Len() != left || nearest.Len() != left {
		t.Errorf("%v, %d and %d lines at the end, want %d", err, words.Len(), nearest.Len(), left)
	}
}

// enrichAll returns an enrichment of each chunk.
func enrichAll(c *memoryCorpus) []corpus.Enrichment {
	var all []corpus.Enrichment
	for _, change := range c.live {
		for _, chunk := range change.Chunks {
			all = append(all, corpus.Enrichment{ChunkID: chunk.ID, Document: change.Document, Text: "About other things."})
		}
	}
	slices.SortFunc(all, func(a, b corpus.Enrichment) int { return cmp.Compare(a.ChunkID, b.ChunkID) })
	return all
}

// TestFewEnriched: a single enriched chunk does not displace better ones, although
// its enrichment is always the best one.
func TestFewEnriched(t *testing.T) {
	t.Parallel()
	c := small(t)
	plain := load(t, c, "")
	all := enrichAll(c)
	revision, err := c.Revision(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	const q = "how do I find a deadlock?"
	want := ask(t, plain, retrieve.Query{Question: q, K: 1}).Results[0].Passage.ID
	one := all[0]
	if one.ChunkID == want {
		one = all[1]
	}
	one.Text = "How do I find it?"
	r, err := retrieve.New(retrieve.Config{
		Corpus: c, Embedder: c.static, Static: c.static, Words: bm25.New(), Nearest: chromem.New(),
		Enriched: retrieve.Enriched{
			Source: &enrichments{revision: revision.Number, all: []corpus.Enrichment{one}}, Words: bm25.New(), Nearest: chromem.New(),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := ask(t, r, retrieve.Query{Question: q, K: len(all)}).Results
	at := slices.IndexFunc(got, func(f retrieve.Result) bool { return f.Passage.ID == one.ChunkID })
	if got[0].Passage.ID != want || at < 0 || math.Abs(got[at].Features[retrieve.FeatureEnrichment]*float64(len(all))-1) > 1e-6 {
		t.Errorf("first is chunk %d, want %d; the enriched chunk is at %d of %d: %+v", got[0].Passage.ID, want, at, len(got), got[max(at, 0)].Features)
	}
}
