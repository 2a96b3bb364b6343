package eval

import (
	"regexp"
	"strings"

	"docent/payload"
)

var (
	// markers are citations, such as [1] or [1, 2], and the space before them.
	markers = regexp.MustCompile(`\s*\[\d+(?:\s*,\s*\d+)*\]`)
	// lead is what Markdown puts in front of a quoted or listed sentence.
	lead = regexp.MustCompile(`^(?:[>*+-]\s+|\d+[.)]\s+|#+\s+)+`)
)

// cited counts the citations of an answer, one for each sentence and passage it
// cites, and those of them whose passage holds the sentence.
func cited(msg payload.RAGMessage) (all, right int) {
	passages := make([]passage, len(msg.Docs))
	for i, d := range msg.Docs {
		passages[i] = newPassage(d.Metadata.Source, d.Content)
	}
	for _, s := range msg.Sentences {
		if s.Start < 0 || s.Start > s.End || s.End > len(msg.Answer) {
			all += len(s.Docs)
			continue
		}
		words := strings.Fields(bare(msg.Answer[s.Start:s.End]))
		if len(words) == 0 {
			continue
		}
		text := strings.Join(words, " ")
		for _, d := range s.Docs {
			all++
			if d >= 1 && d <= len(passages) && passages[d-1].holds(words, text) {
				right++
			}
		}
	}
	return all, right
}

// bare takes from a sentence what the passage does not have: citation markers,
// Markdown's lead, quotation marks around it.
func bare(sentence string) string {
	s := strings.TrimSpace(markers.ReplaceAllString(sentence, ""))
	s = strings.TrimSpace(lead.ReplaceAllString(s, ""))
	for _, pair := range [][2]string{{`"`, `"`}, {"“", "”"}, {"«", "»"}} {
		if inner, ok := strings.CutPrefix(s, pair[0]); ok && strings.HasSuffix(inner, pair[1]) {
			s = strings.TrimSuffix(inner, pair[1])
		}
	}
	return s
}
