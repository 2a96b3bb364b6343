package pipeline

import (
	"strings"
	"testing"

	"docent/rag"
	"docent/rag/evidence"
	"docent/rag/retrieve"
)

// TestOtherLanguage: passages in another language are quoted below a line that says how to find more, in the language of the
// question.
func TestOtherLanguage(t *testing.T) {
	t.Parallel()
	const german, french = "wie lade ich ein Dokument hoch", "comment est-ce que je télécharge un document"
	for name, c := range map[string]struct {
		question string
		signs    evidence.Signs
		evidence float64
		outcome  rag.Outcome
		says     string
	}{
		"German":           {german, evidence.Signs{Other: true, Language: "en"}, .2, rag.Unsure, "Sie sind auf Englisch. Fragen Sie in dieser Sprache, oder installieren Sie das Modell für andere Sprachen (`docent model --help`)."},
		"close in meaning": {german, evidence.Signs{Other: true, Language: "en", Similarity: .8}, .2, rag.Unsure, "Vielleicht beantworten sie sie nicht."},
		"absent code":      {german, evidence.Signs{Other: true, Language: "en", Absent: true}, .2, rag.NotFound, "Die ähnlichsten Stellen sind aufgeführt"},
		"French":           {french, evidence.Signs{Other: true, Language: "de"}, .2, rag.Unsure, "they are in German. Ask in that language, or install the model"},
		"unnamed language": {french, evidence.Signs{Other: true, Language: "tr"}, .2, rag.Unsure, "they are in another language."},
	} {
		s := &shelf{evidence: c.evidence, signs: c.signs, results: []retrieve.Result{passage(1, "Documents", "Upload", "You can upload a document on the page.")}}
		p, err := New(Config{Retriever: s, Static: testStatic})
		if err != nil {
			t.Fatal(err)
		}
		a, err := p.Run(t.Context(), rag.Request{Question: c.question})
		if err != nil {
			t.Fatal(err)
		}
		if a.Outcome != c.outcome || !strings.Contains(a.Text, c.says) || len(a.Passages) != 1 {
			t.Errorf("%s: %s, %q with %d passages, want %s, %q", name, a.Outcome, a.Text, len(a.Passages), c.outcome, c.says)
		}
	}
}
