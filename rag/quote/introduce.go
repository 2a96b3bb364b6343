package quote

import (
	"regexp"
	"slices"
	"strings"

	"docent/rag/text"
)

// maxSteps is the maximum number of steps in an answer.
const maxSteps = 20

// asksForSteps matches questions that steps answer.
var asksForSteps = regexp.MustCompile(`(?i)\bhow (?:do|can|to|should|would|could)\b|\bsteps?\b|\b(?:procedure|instructions|install|upgrade|set up)\b|` +
	`^(?:wie|comment|cómo|¿cómo|come|como|hoe)\b|\b(?:schritte|anleitung|étapes|pasos)\b`)

// numbered matches the mark of a step.
var numbered = regexp.MustCompile(`^\d{1,3}[.)] `)

// maxItems is the maximum number of items of a list in an answer.
const maxItems = 20

// asksForList matches questions that a list answers.
var asksForList = regexp.MustCompile(`(?i)^(?:list|name|enumerate|what are)\b|\b(?:which|what)(?: [\w-]+){0,3} \w+[^\Ws]s ` +
	`(?:are|do|does|can|could|may|will|should|exist|have|has)\b|\b(?:kinds|types|sorts) of\b|` +
	`^(?:nenne|liste|welche \w+ (?:sind|gibt|haben|werden|stehen|unterstützt)|quels|quelles|énumère|cuáles|¿cuáles)\b`)

// items adds the other items to a chosen item or to a sentence that introduces a list, if the question asks for a list. Each
// item has its first sentence.
func (e *extractor) items(chosen []quote) []quote {
	if !asksForList.MatchString(e.question) {
		return chosen
	}
	for _, c := range chosen {
		passage := e.passages[c.doc]
		at := c.at
		if introduces(c) {
			at++
		}
		if at == len(passage) || !inList(passage[at]) {
			continue
		}
		from, to := at, at
		for from > 0 && inList(passage[from-1]) {
			from--
		}
		for to < len(passage) && inList(passage[to]) {
			to++
		}
		list := firstsOfItems(passage[from:to])
		if len(list) < 2 || len(list) > maxItems {
			continue
		}
		out := list
		if from > 0 && introduces(passage[from-1]) {
			out = append(out, passage[from-1])
		}
		for _, q := range chosen {
			if !q.isIn(out) {
				out = append(out, q)
			}
		}
		return out
	}
	return chosen
}

// firstsOfItems returns the first sentence of each item of a list.
func firstsOfItems(list []quote) []quote {
	var out []quote
	for _, q := range list {
		if q.Kind == text.ItemSentence && (len(out) == 0 || out[len(out)-1].Block != q.Block) {
			out = append(out, q)
		}
	}
	return out
}

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
		for _, q := range chosen { // without steps of another list
			if (q.doc != c.doc || q.at < from || q.at >= to) && !numbered.MatchString(q.text) {
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
	for _, c := range slices.Clone(chosen) {
		passage := e.passages[c.doc]
		if c.Kind == text.CodeSentence {
			if c.at > 0 && introduces(passage[c.at-1]) && !passage[c.at-1].isIn(chosen) {
				chosen = append(chosen, passage[c.at-1])
			}
			continue
		}
		if introduces(c) && c.at+1 < len(passage) && passage[c.at+1].Kind == text.CodeSentence && !passage[c.at+1].isIn(chosen) {
			chosen = append(chosen, passage[c.at+1])
		}
	}
	return chosen
}

// introduces reports whether a sentence ends with a colon.
func introduces(q quote) bool {
	return q.Kind != text.CodeSentence && q.Kind != text.RowSentence && strings.HasSuffix(q.text, ":")
}
