package eval

import (
	"testing"

	"docent/rag/corpus"

	"docent/rag"
)

// said returns a single passage with a text.
func said(text string) []rag.Passage {
	return []rag.Passage{{Passage: corpus.Passage{Chunk: corpus.Chunk{Text: text}}}}
}

func TestCited(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, sentence, passage string
		right                   bool
	}{
		{"plain", "Plain words of a passage. [1]", "And then: Plain words of a passage. More.", true},
		{"marker before the stop", "Plain words of a passage [1][1, 2].", "Plain words of a passage.", true},
		{"marker within", "Plain words [1] of a passage.", "Plain words of a passage.", true},
		{"quoted", "> “Quoted words.” [1]", "Quoted words.", true},
		{"listed", "- Listed words [1]", "* Listed words", true},
		{"numbered", "1. Listed words [1]", "Listed words", true},
		{"code", "```sql\nSELECT ARRAY[1,2] || ARRAY[3,4];\n```\n[1]", "as in SELECT ARRAY[1,2] || ARRAY[3,4]; and so on", true},
		{"code span", "psql `[option...]` [1]", "Synopsis psql [option...] [dbname]", true},
		{"escapes", `2 \* 3 is \<six\> [1]`, "2 * 3 is <six>", true},
		{"table row", "|  |  |\n| --- | :-- |\n| `work_mem` | memory of a sort |\n\n[1]", "Name | Text\nwork_mem | memory of a sort\nx | y", true},
		{"link and bold", "- SQL injection (GHSA-1, high). [1]", "- **SQL injection** ([GHSA-1](https://example.com/GHSA-1), high).", true},
		{"other link", "- SQL injection (GHSA-2, high). [1]", "- **SQL injection** ([GHSA-1](https://example.com/GHSA-2), high).", false},
		{"other words", "Plain words of another kind. [1]", "Plain talk about a passage.", false},
		{"other numbers in code", "```\na[1,2]\n```\n[1]", "a[3,4]", false},
	} {
		msg := rag.Answer{
			Text: c.sentence, Passages: said(c.passage),
			Sentences: []rag.Sentence{{End: len(c.sentence), Passages: []int{1}}},
		}
		all, right := cited(msg)
		if all != 1 || right == 1 != c.right {
			t.Errorf("%s: %d of %d", c.name, right, all)
		}
	}
	// Citations of missing passages are wrong. Sentences without words or citations
	// do not count.
	msg := rag.Answer{Text: "[1] x", Passages: said("x"), Sentences: []rag.Sentence{
		{End: 3, Passages: []int{1}},
		{Start: 4, End: 5},
		{Start: 4, End: 5, Passages: []int{0, 1, 2}},
		{Start: 4, End: 99, Passages: []int{1}},
		{Start: 3, End: 2, Passages: []int{1}},
	}}
	if all, right := cited(msg); all != 5 || right != 1 {
		t.Errorf("%d of %d, want 1 of 5", right, all)
	}
}
