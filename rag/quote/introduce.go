package quote

import (
	"regexp"
	"slices"
	"strings"

	"docent/rag/text"
)

// maxSteps is the maximum number of steps in an answer.
const maxSteps = 10

// asksForSteps matches questions that steps answer.
var asksForSteps = regexp.MustCompile(`(?i)\bhow (?:do|can|to|should|would|could)\b|\bsteps?\b|\b(?:procedure|instructions|install|upgrade|set up)\b`)

// numbered matches the mark of a step.
var numbered = regexp.MustCompile(`^\d{1,3}[.)] `)

// steps adds the other steps to a chosen step, if the question asks for steps:
// the whole numbered list of its passage, with code.
func (e *extractor) steps(chosen []quote) []quote {
	if !asksForSteps.MatchString(e.question) {
		return chosen
	}
	for _, c := range chosen {
		if !inList(c) {
			continue
		}
		passage := e.passages[c.doc]
		from, to := c.at, c.at+1
		for from > 0 && (inList(passage[from-1]) || from > 1 && passage[from-1].Kind == text.CodeSentence && inList(passage[from-2])) {
			from--
		}
		for to < len(passage) && (inList(passage[to]) || passage[to].Kind == text.CodeSentence) {
			to++
		}
		list := passage[from:to]
		if n := len(slices.DeleteFunc(slices.Clone(list), func(q quote) bool { return !numbered.MatchString(q.text) })); n < 2 || n > maxSteps {
			continue
		}
		out := slices.Clone(list)
		for _, q := range chosen {
			if q.doc != c.doc || q.at < from || q.at >= to {
				out = append(out, q)
			}
		}
		return out
	}
	return chosen
}

// inList reports whether a quote belongs to an item of a list. Further paragraphs of an
// item are indented.
func inList(q quote) bool {
	return q.Kind == text.ItemSentence || q.Kind == text.ProseSentence && q.indent != ""
}

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
