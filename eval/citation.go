package eval

import (
	"regexp"
	"slices"
	"strings"

	"docent/rag"
)

var (
	// markers matches citations, such as [1] or [1, 2], with the preceding space.
	markers = regexp.MustCompile(`\s*\[\d+(?:\s*,\s*\d+)*\]`)
	// lastMarkers matches citations at the end of a sentence. Inside code, [1] may be an index.
	lastMarkers = regexp.MustCompile(`(?:\s*\[\d+(?:\s*,\s*\d+)*\])+(\s*[.!?]?\s*)$`)
	// lead matches Markdown syntax in front of a quoted or listed sentence.
	lead = regexp.MustCompile(`^(?:[>*+-]\s+|\d+[.)]\s+|#+\s+)+`)
	// fence matches a line that only begins or ends code, or heads a table.
	fence = regexp.MustCompile("(?m)^\\s*(?:```.*|\\|(?:\\s*:?-+:?\\s*\\|)+)\\s*$")
	// escape matches an escaped character of Markdown.
	escape = regexp.MustCompile(`\\([[:punct:]])`)
	// link matches a Markdown link.
	link = regexp.MustCompile(`\[([^\]\n]*)\]\([^()\s]*\)`)
)

// cited counts the citations of an answer, one for each pair of a sentence and a cited passage. It also counts the pairs
// whose passage contains the sentence.
func cited(answer rag.Answer) (all, right int) {
	passages := make([]passage, len(answer.Passages))
	for i, d := range answer.Passages {
		passages[i] = newPassage(d.Passage.Document.Source, unmark(d.Passage.Text))
	}
	for _, s := range answer.Sentences {
		if s.Start < 0 || s.Start > s.End || s.End > len(answer.Text) {
			all += len(s.Passages)
			continue
		}
		sentence := answer.Text[s.Start:s.End]
		if bare(markers.ReplaceAllString(sentence, "")) == "" {
			continue
		}
		for _, d := range s.Passages {
			all++
			count(&right, d >= 1 && d <= len(passages) && says(passages[d-1], sentence))
		}
	}
	return all, right
}

// says reports whether a passage contains a sentence of an answer. It ignores citation markers, in code only those at the
// end.
func says(p passage, sentence string) bool {
	forms := []string{lastMarkers.ReplaceAllString(sentence, "$1")}
	if !strings.Contains(sentence, "```") {
		forms = append(forms, markers.ReplaceAllString(sentence, ""))
	}
	return slices.ContainsFunc(forms, func(s string) bool {
		words := strings.Fields(bare(s))
		return p.holds(words, strings.Join(words, " "))
	})
}

// bare removes Markdown syntax around a sentence that the passage does not have: list marks, fences, and quotation marks.
func bare(s string) string {
	s = strings.TrimSpace(unmark(fence.ReplaceAllString(s, "")))
	s = strings.TrimSpace(lead.ReplaceAllString(s, ""))
	for _, pair := range [][2]string{{`"`, `"`}, {"“", "”"}, {"«", "»"}} {
		if inner, ok := strings.CutPrefix(s, pair[0]); ok && strings.HasSuffix(inner, pair[1]) {
			s = strings.TrimSuffix(inner, pair[1])
		}
	}
	return s
}

// unmark removes syntax that can differ between an answer and its passage: backquotes, table bars and the dashes between cells, bold,
// targets of links, and escapes.
func unmark(s string) string {
	return strings.NewReplacer("`", "", "|", " ", " – ", " ", "**", "").Replace(escape.ReplaceAllString(link.ReplaceAllString(s, "$1"), "$1"))
}
