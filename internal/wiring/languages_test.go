package wiring

import (
	"context"
	"errors"
	"testing"

	"docent/rag/corpus"
	"docent/rag/retrieve"
)

// fixed is a Reranker that gives each passage the same score.
type fixed float64

func (f fixed) Score(_ context.Context, _ string, passages []corpus.Passage) ([]retrieve.Score, error) {
	out := make([]retrieve.Score, len(passages))
	for i := range out {
		out[i].Relevance = float64(f)
	}
	return out, nil
}

func TestByLanguage(t *testing.T) {
	t.Parallel()
	opened := 0
	b := &byLanguage{english: fixed(1), others: func() (retrieve.Reranker, error) {
		if opened++; opened > 1 {
			return nil, errors.New("broken")
		}
		return fixed(2), nil
	}}
	in := func(languages ...string) []corpus.Passage {
		out := make([]corpus.Passage, len(languages))
		for i, l := range languages {
			out[i].Document.Language = l
		}
		return out
	}
	if got, err := b.Score(t.Context(), "q", in("en", "", "en")); err != nil || got[0].Relevance != 1 || opened != 0 {
		t.Errorf("English: %v, %v, opened %d times", got, err, opened)
	}
	got, err := b.Score(t.Context(), "q", in("en", "de"))
	if err != nil || len(got) != 2 || got[0].Relevance != 2 || got[1].Relevance != 2 {
		t.Errorf("English and German: %v, %v", got, err)
	}
	if _, err := b.Score(t.Context(), "q", in("ru")); err == nil {
		t.Error("a broken model gives no error")
	}
}

func TestEncoderShare(t *testing.T) {
	t.Parallel()
	german, code, prose := corpus.Passage{}, corpus.Passage{}, corpus.Passage{}
	german.Document.Language, code.Kind = "de", corpus.Code
	for languages, want := range map[bool]float64{false: 0, true: .5} {
		p := &Parts{languages: languages, Retriever: new(retrieve.Retriever)}
		if got := p.encoderShare(german); got != want {
			t.Errorf("German: %g, want %g", got, want)
		}
		if p.encoderShare(prose) != .4 || p.encoderShare(code) != .2 {
			t.Errorf("English: %g and %g", p.encoderShare(prose), p.encoderShare(code))
		}
	}
}
