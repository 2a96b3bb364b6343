package retrieve_test

import (
	"math"
	"slices"
	"testing"

	"docent/index/bm25"
	"docent/index/chromem"
	"docent/rag/corpus"
	"docent/rag/retrieve"
)

// TestOtherLanguages scores German passages without the built-in vectors. The
// Reranker has no share here.
func TestOtherLanguages(t *testing.T) {
	t.Parallel()
	c := newCorpus(t)
	for source, text := range map[string]string{
		"backup.md": "Die Sicherung wird jede Nacht erstellt.", "restore.md": "Die Sicherung wird mit einem Befehl wiederhergestellt.",
		"cat.md": "Die Katze schläft auf dem Sofa.",
	} {
		c.put(t, corpus.Document{Source: source, Title: source, Language: "de"}, corpus.Chunk{Text: text, Kind: corpus.Prose})
	}
	r, err := retrieve.New(retrieve.Config{
		Corpus: c, Embedder: c.static, Static: c.static, Words: bm25.New(), Nearest: chromem.New(),
		Reranker: worst{}, RerankShare: func(string, corpus.Passage) float64 { return 0 },
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	results := ask(t, r, retrieve.Query{Question: "Wann wird die Sicherung erstellt?"}).Results
	if len(results) != 3 || results[0].Passage.Document.Source != "backup.md" {
		t.Fatalf("found %+v", results)
	}
	weights := retrieve.DefaultWeights(c.static.Name())[corpus.Prose]
	var own []float64
	for _, x := range results {
		sum := 0.0
		for name, v := range x.Features {
			if name != retrieve.FeatureDense && name != retrieve.FeatureDocumentDense {
				sum += weights[name] * v
			}
		}
		own = append(own, sum)
	}
	low, high := slices.Min(own), slices.Max(own)
	for i, x := range results {
		if want := (own[i] - low) / (high - low); math.Abs(x.Score-want) > 1e-5 {
			t.Errorf("%s has the score %g, want %g", x.Passage.Document.Source, x.Score, want)
		}
	}
}

// TestGermanKeywords: keywords of a German conversation are translated for English documents that lack them.
func TestGermanKeywords(t *testing.T) {
	t.Parallel()
	c := newCorpus(t)
	for source, text := range map[string]string{
		"feeds.md": "It reads the calendar of a server, with all entries.", "mail.md": "It reads the mail of a mailbox, with all files.",
	} {
		c.put(t, corpus.Document{Source: source, Title: source, Language: "en"}, corpus.Chunk{Text: text, Kind: corpus.Prose})
	}
	r, err := retrieve.New(retrieve.Config{Corpus: c, Embedder: c.static, Static: c.static, Words: bm25.New(), Nearest: chromem.New()})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	for language, want := range map[string]string{"de": "calendar", "": "Kalender"} {
		if got := ask(t, r, retrieve.Query{Question: "Kalender", Language: language}); got.Question != want {
			t.Errorf("in the language %q, it searched for %q, want %q", language, got.Question, want)
		}
	}
}
