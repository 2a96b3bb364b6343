package pipeline

import (
	"context"
	"slices"
	"strings"
	"testing"

	"docent/rag"
	"docent/rag/retrieve"
)

// scripted is a Comparer that prefers texts with a phrase. It records the
// languages.
type scripted struct {
	phrase    string
	languages []string
}

func (s *scripted) Compare(_ context.Context, _ string, languages, texts []string) ([]float64, error) {
	s.languages = languages
	out := make([]float64, len(texts))
	for i, text := range texts {
		if out[i] = .1; strings.Contains(text, s.phrase) {
			out[i] = .7
		}
	}
	return out, nil
}

// TestQuoteInAnotherLanguage: the question and the passages share no words.
func TestQuoteInAnotherLanguage(t *testing.T) {
	t.Parallel()
	shelf := &shelf{evidence: .9, results: []retrieve.Result{
		passage(1, "Operation", "Plan", "The harbor was built in 1880.\n\nA copy of all files is made every night.\n\nVisitors like the old lighthouse."),
		passage(2, "Town", "History", "The market opens on Sundays."),
	}}
	shelf.results[0].Passage.Document.Language = "en"
	similar := &scripted{phrase: "every night"}
	p, err := New(Config{Retriever: shelf, Static: testStatic, Comparer: similar})
	if err != nil {
		t.Fatal(err)
	}
	a, err := p.Run(t.Context(), rag.Request{Question: "Wann wird gesichert?"})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(a.Text, "A copy of all files is made every night.") || strings.Contains(a.Text, "market") {
		t.Errorf("answer %q", a.Text)
	}
	if len(a.Sentences) == 0 || !slices.Equal(a.Sentences[0].Passages, []int{1}) {
		t.Errorf("sentences %+v", a.Sentences)
	}
	if !slices.Equal(similar.languages, []string{"en", ""}) {
		t.Errorf("languages %q", similar.languages)
	}
}
