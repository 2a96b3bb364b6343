package eval

import (
	"regexp"
	"slices"
	"strings"

	"docent/rag"
)

var (
	// markers are citations, such as [1] or [1, 2], and the space before them.
	markers = regexp.MustCompile(`\s*\[\d+(?:\s*,\s*\d+)*\]`)
	// lastMarkers are those at a sentence's end: within code, [1] may be an index.
	lastMarkers = regexp.MustCompile(`(?:\s*\[\d+(?:\s*,\s*\d+)*\])+(\s*[.!?]?\s*)$`)
	// lead is what Markdown puts in front of a quoted or listed sentence.
	lead = regexp.MustCompile(`^(?:[>*+-]\s+|\d+[.)]\s+|#+\s+)+`)
	// fence is a line that only begins or ends code or heads a table.
	fence = regexp.MustCompile("(?m)^\\s*(?:```.*|\\|(?:\\s*:?-+:?\\s*\\|)+)\\s*$")
	// escape is Markdown's way to say that a character means itself.
	escape = regexp.MustCompile(`\\([[:punct:]])`)
)

// cited counts the citations of an answer, one for each sentence and passage it
// cites, and those of them whose passage holds the sentence.
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

// says reports whether a passage holds a sentence of an answer. Markers are taken
// out wherever they stand, but in code only at the end.
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

// bare takes from a sentence of an answer, which is Markdown, what the passage
// does not have: Markdown's lead, fences, quotation marks around it.
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

// unmark takes away what may mark up the same words differently in an answer
// and in its passage: backquotes, bars of tables, escapes.
func unmark(s string) string {
	return strings.NewReplacer("`", "", "|", " ").Replace(escape.ReplaceAllString(s, "$1"))
}
