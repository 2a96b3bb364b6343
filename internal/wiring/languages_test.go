package wiring

import (
	"context"
	"errors"
	"math"
	"os"
	"slices"
	"testing"

	"docent/config"
	"docent/embed/encoder"
	"docent/embed/multilingual"
	"docent/rag/corpus"
	"docent/rag/retrieve"
)

// fixed is a model that gives each passage and text the same score.
type fixed float64

func (f fixed) Score(_ context.Context, _ string, passages []corpus.Passage) ([]retrieve.Score, error) {
	out := make([]retrieve.Score, len(passages))
	for i := range out {
		out[i].Relevance = float64(f)
	}
	return out, nil
}

func (f fixed) Compare(_ context.Context, _ string, texts []string) ([]float64, error) {
	return slices.Repeat([]float64{float64(f)}, len(texts)), nil
}

// broken is a model that fails.
type broken struct{}

func (broken) Score(context.Context, string, []corpus.Passage) ([]retrieve.Score, error) {
	return nil, errors.New("broken")
}

func (broken) Compare(context.Context, string, []string) ([]float64, error) {
	return nil, errors.New("broken")
}

const (
	inEnglish = "How is the weather?"
	inGerman  = "Wie ist das Wetter?"
)

func TestByLanguage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		others    scorer
		question  string
		languages []string
		// score and compared are the expected values, 0 for an error or none.
		score, compared float64
	}{
		{fixed(.8), inEnglish, []string{"en", "", "en"}, .1, .1},
		{fixed(.8), inEnglish, []string{"en", "de"}, .8, .43},
		{fixed(.8), inGerman, []string{"en", "en"}, .8, .43},
		{broken{}, inEnglish, []string{"en"}, .1, .1},
		{broken{}, inGerman, []string{"en"}, 0, 0},
		{nil, inGerman, []string{"en"}, .1, .1},
		{nil, inEnglish, []string{"de"}, .1, 0},
	} {
		b := &byLanguage{english: fixed(.1)}
		if c.others != nil {
			b.others = scaled{c.others, multilingualScale, multilingualShift}
		}
		passages := make([]corpus.Passage, len(c.languages))
		for i, l := range c.languages {
			passages[i].Document.Language = l
		}
		scores, err := b.Score(t.Context(), c.question, passages)
		if (err != nil) != (c.score == 0) || err == nil && (len(scores) != len(passages) || scores[0].Relevance != c.score) {
			t.Errorf("%+v: scores %v, %v", c, scores, err)
		}
		values, err := b.Compare(t.Context(), c.question, c.languages, []string{"x", "y"})
		if (err != nil) != (c.others == broken{} && c.score == 0) {
			t.Errorf("%+v: compare: %v", c, err)
		}
		if (len(values) == 0) != (c.compared == 0) || len(values) > 0 && math.Abs(values[1]-c.compared) > 1e-9 {
			t.Errorf("%+v: compared %v", c, values)
		}
	}
}

func TestEncoderShare(t *testing.T) {
	t.Parallel()
	german, code, prose := corpus.Passage{}, corpus.Passage{}, corpus.Passage{}
	german.Document.Language, code.Kind = "de", corpus.Code
	for _, c := range []struct {
		others   scorer
		language string
		passage  corpus.Passage
		want     float64
	}{
		{nil, "en", prose, .4},
		{nil, "", code, .2},
		{nil, "de", prose, .4},
		{nil, "de", german, 0},
		{fixed(1), "en", prose, .4},
		{fixed(1), "de", german, .5},
		{fixed(1), "", german, .5},
		{fixed(1), "en", german, .85},
		{fixed(1), "de", prose, .85},
	} {
		x := &Indexes{comparer: &byLanguage{others: c.others}, Retriever: new(retrieve.Retriever)}
		if got := x.encoderShare(c.language, c.passage); got != c.want {
			t.Errorf("%+v: share %g", c, got)
		}
	}
}

// TestAddMultilingual: the model is used if it is installed. It takes all
// documents, and is not opened before the first text.
func TestAddMultilingual(t *testing.T) {
	t.Parallel()
	if _, ok := encoder.Available(); !ok {
		return // such a processor uses no encoder
	}
	cfg := config.Config{Models: t.TempDir()}
	var e Embedders
	if err := e.addEncoders(cfg); err != nil || len(e.encoders) != 1 || newByLanguage(&e, nil).others != nil {
		t.Fatalf("%d encoders, %v", len(e.encoders), err)
	}
	if err := os.WriteFile(multilingual.Path(cfg.Models), []byte("broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	e = Embedders{}
	if err := e.addEncoders(cfg); err != nil || len(e.encoders) != 2 || newByLanguage(&e, nil).others == nil {
		t.Fatalf("%d encoders with the model, %v", len(e.encoders), err)
	}
	m := e.encoders[1]
	if m.Embedder.Name() != multilingual.Name || !m.Languages.Accept("en") || !m.Languages.Accept("de") || !m.Languages.Accept("") {
		t.Errorf("%s takes %+v", m.Embedder.Name(), m.Languages)
	}
	if _, err := m.Embedder.EmbedQuery(t.Context(), inGerman); err == nil {
		t.Error("a broken file gives no error")
	}
}
