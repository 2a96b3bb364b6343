package quote

import (
	"strings"
	"testing"

	"docent/rag/corpus"
	"docent/rag/text"
)

// TestTermsAreNoCode: options and the headings of a manual page are labels, and the
// line that names the page is a sentence.
func TestTermsAreNoCode(t *testing.T) {
	t.Parallel()
	p := passage(1, "pump(1)", "OPTIONS", "-v, --verbose\n\nSay more about each step.\n\n--soft\n\nStart slowly and keep the valve.").Passage
	e := &extractor{static: testStatic}
	var got []string
	for _, q := range e.read(0, p, "") {
		got = append(got, q.label+": "+q.text)
	}
	want := "OPTIONS: -v, --verbose|-v, --verbose: Say more about each step.|-v, --verbose: --soft|--soft: Start slowly and keep the valve."
	if strings.Join(got, "|") != want {
		t.Errorf("%q", got)
	}
	p = passage(1, "pump(1)", "pump", "NAME\n\npump - Move water to another tank\n\nSYNOPSIS\n\npump [-v] [--soft] [--level=<n>] [<tank>...]\npump --drain").Passage
	p.Kind = corpus.Code
	quotes := e.read(0, p, "")
	kinds := []any{text.TitleSentence, text.ProseSentence, text.TitleSentence, text.CodeSentence}
	for i, q := range quotes {
		if len(quotes) != len(kinds) || any(q.Kind) != kinds[i] {
			t.Errorf("%d: kind %d of %q", i, q.Kind, q.text)
		}
	}
	answer, _ := Answer(testStatic, Query{
		Question: "what does --soft do?", Searched: "what does --soft do?",
		Passages: []Passage{passage(1, "pump(1)", "OPTIONS", "--soft\n\nStart slowly and keep the valve.\n\n--hard\n\nStart at once.")},
	})
	if !strings.HasPrefix(answer, "**--soft:** Start slowly") || strings.Contains(answer, "```") {
		t.Errorf("the answer is %q", answer)
	}
}
