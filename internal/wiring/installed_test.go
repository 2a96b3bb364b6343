package wiring

import (
	"path/filepath"
	"strings"
	"testing"

	"docent/config"
	"docent/embed/encoder"
	"docent/embed/hub"
	"docent/rag/corpus"
)

// installModels returns a folder with small models of embed/hub.
func installModels(t *testing.T, names ...string) string {
	t.Helper()
	models := t.TempDir()
	for _, name := range names {
		source := hub.NewFolder(filepath.Join("../../embed/hub/testdata", name))
		if _, err := hub.Install(t.Context(), source, name, models, hub.Config{Config: encoder.Config{AllowPlain: true}}); err != nil {
			t.Fatal(err)
		}
	}
	return models
}

// TestInstalledEncoder: an installed model replaces the built-in encoder. A
// multilingual one also replaces multilingual-e5-small.
func TestInstalledEncoder(t *testing.T) {
	t.Parallel()
	if _, ok := encoder.Available(); !ok {
		return // such a processor uses no encoder
	}
	cfg := config.Config{Models: installModels(t, "bert", "bert-unigram")}
	for name, german := range map[string]bool{"bert": false, "bert-unigram": true} {
		cfg.Encoder = name
		var e Embedders
		if err := e.addEncoders(cfg); err != nil || len(e.encoders) != 1 {
			t.Fatalf("%s: %d encoders, %v", name, len(e.encoders), err)
		}
		if m := e.encoders[0]; m.Languages.Accept("de") != german || !strings.HasPrefix(m.Embedder.Name(), "local/"+name+"@") {
			t.Errorf("%s takes %+v", m.Embedder.Name(), m.Languages)
		}
		b := newByLanguage(&e, nil)
		values, err := b.Compare(t.Context(), inGerman, []string{"en"}, []string{"The pump is on."})
		if err != nil || len(values) != 1 || (b.others != nil) != german {
			t.Errorf("%s: compared %v, %v", name, values, err)
		}
		if said, err := CheckLanguages(cfg); err != nil || strings.Contains(said, "is not multilingual") == german {
			t.Errorf("%s: %q, %v", name, said, err)
		}
	}
	cfg.Encoder = "other"
	if err := new(Embedders).addEncoders(cfg); err == nil || !strings.Contains(err.Error(), "--encoder names a model") {
		t.Errorf("an unknown model: %v", err)
	}
}

// TestInstalledReranker scores passages with an installed cross-encoder.
func TestInstalledReranker(t *testing.T) {
	t.Parallel()
	if _, ok := encoder.Available(); !ok {
		return
	}
	cfg := config.Config{Models: installModels(t, "bert-reranker", "bert"), Rerank: config.Rerank{Model: "bert-reranker"}}
	r, share, err := new(Indexes).newReranker(cfg)
	if err != nil || share != nil {
		t.Fatal(err)
	}
	scores, err := r.Score(t.Context(), inEnglish, []corpus.Passage{{Chunk: corpus.Chunk{Text: "rain"}}, {Chunk: corpus.Chunk{Text: "the pump"}}})
	if err != nil || len(scores) != 2 || scores[0].Relevance == scores[1].Relevance {
		t.Errorf("scores %v, %v", scores, err)
	}
	cfg.Rerank.Model = "bert"
	if _, _, err := new(Indexes).newReranker(cfg); err == nil || !strings.Contains(err.Error(), "of the kind encoder") {
		t.Errorf("an encoder as reranker: %v", err)
	}
}

// TestInstalledEntailment: an installed model of entailment judges the languages that it knows. Doctor notices a model that
// cannot tell a sentence from its opposite.
func TestInstalledEntailment(t *testing.T) {
	t.Parallel()
	if _, ok := encoder.Available(); !ok {
		return
	}
	cfg := config.Config{Models: installModels(t, "roberta-entailment", "xlm-roberta-entailment", "bert")}
	if said, err := CheckEntailment(t.Context(), cfg); err != nil || !strings.HasPrefix(said, "none: ") {
		t.Errorf("without a model: %q, %v", said, err)
	}
	for name, german := range map[string]bool{"roberta-entailment": false, "xlm-roberta-entailment": true} {
		cfg.Entailment = name
		e, err := openEntailment(cfg)
		if err != nil {
			t.Fatal(err)
		}
		if e.Accepts("de") != german || !e.Accepts("en") || !e.Accepts("") {
			t.Errorf("%s knows German: %v", name, e.Accepts("de"))
		}
		yes, no, err := e.Judge(t.Context(), []string{inEnglish, inGerman}, []string{"rain", "the pump"})
		if err != nil || len(yes) != 2 || yes[0] == yes[1] || yes[0]+no[0] >= 1 {
			t.Errorf("%s: %v, %v, %v", name, yes, no, err)
		}
	}
	if said, err := CheckEntailment(t.Context(), cfg); err != nil && !strings.Contains(err.Error(), "from its opposite") || err == nil && !strings.Contains(said, "decides the support marks") {
		t.Errorf("random weights: %q, %v", said, err)
	}
	cfg.Entailment = "bert"
	if _, err := openEntailment(cfg); err == nil || !strings.Contains(err.Error(), "--entailment-model names a model") {
		t.Errorf("an encoder: %v", err)
	}
}
