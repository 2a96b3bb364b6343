package quote

import (
	"slices"
	"strings"

	"docent/rag/text"
)


// introduced completes sentences that introduce something: it adds the code
// behind the colon. Code without its introduction gets the introduction.
func (e *extractor) introduced(chosen []quote) []quote {
	has := func(q quote) bool {
		return slices.ContainsFunc(chosen, func(c quote) bool { return c.doc == q.doc && c.at == q.at })
	}
	for _, c := range slices.Clone(chosen) {
		passage := e.passages[c.doc]
		if c.Kind == text.CodeSentence {
			if c.at > 0 && introduces(passage[c.at-1]) && !has(passage[c.at-1]) {
				chosen = append(chosen, passage[c.at-1])
			}
			continue
		}
		if introduces(c) && c.at+1 < len(passage) && passage[c.at+1].Kind == text.CodeSentence && !has(passage[c.at+1]) {
			chosen = append(chosen, passage[c.at+1])
		}
	}
	return chosen
}

// introduces reports whether a sentence ends with a colon.
func introduces(q quote) bool {
	return q.Kind != text.CodeSentence && q.Kind != text.RowSentence && strings.HasSuffix(q.text, ":")
}
