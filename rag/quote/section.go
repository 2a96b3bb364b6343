package quote

import (
	"math"
	"strings"

	"docent/internal/lazyregexp"
	"docent/rag/text"
)

var (
	// asksFact matches questions that one fact answers, or that name a thing to describe.
	asksFact = lazyregexp.New(`(?i)^\W*(?:(?:and|but|so|or|und|aber|oder)\s+)?(?:` +
		`(?:what|which|who|whom|whose|when|where|whats|whos|is|are|was|were|does|do|did|has|have|had|will|can|could|may|must|should|` +
		`list|name|define|describe|explain|compare|` +
		`was|welche[nmrs]?|wer|wen|wem|wessen|wann|wo|woher|wohin|wieviele?|ist|sind|war|hat|haben|gibt|kann|darf|muss|soll|kostet|nenne|liste|erkläre)(?:\PL|$)|` +
		`in (?:which|what|welche[nmrs]?)\b)|` +
		`\b(?:how|wie) ?(?:long|much|many|often|old|far|big|large|high|fast|wide|deep|heavy|lange?|viele?|oft|hoch|groß|gross|weit|schnell|teuer|alt|breit|tief|schwer|heißt)(?:\PL|$)`)
	// asksRemedy matches questions for something to do.
	asksRemedy = lazyregexp.New(`(?i)\b(?:what (?:can|could|should|must|do|to) (?:i|we|you|do)|what now|how (?:do|can|to|should|would|could)|why|` +
		`was (?:kann|muss|soll|mache?|tue?) (?:ich|man|wir)|was (?:nun|tun)|wie (?:kann|muss|soll|geht)|warum|wieso|weshalb)(?:\PL|$)`)
)

// title matches a line that begins like a title, with or without the mark of a list.
var title = lazyregexp.New(`^(?:[-*•]\s+)?\p{Lu}`)

// minPractical is the minimum number of words of a message without a question word that describes a problem or a wish. Shorter ones
// are keywords.
const minPractical = 4

// isPractical reports whether a question asks what to do: how to reach a goal, or what helps against a problem. People also write a
// complaint or a wish without a question. A section answers it, and not one of its sentences.
func isPractical(question string) bool {
	switch text.Language(question) {
	case "", "en", "de":
	default:
		return false // its questions are not known
	}
	switch {
	case asksRemedy.MatchString(question), asksForSteps.MatchString(question) && !asksHowMuch.MatchString(question):
		return true
	case asksFact.MatchString(question):
		return false
	}
	return len(strings.Fields(question)) >= minPractical
}

// Bounds of the text around a block, in words. They were chosen on the question sets of docs/explanation/evaluation.md.
const (
	// maxSection is the length up to which the text around the best block of a practical question is quoted.
	maxSection = 130
	// maxFurtherSection is the length up to which the text around another block is quoted.
	maxFurtherSection = 60
	// maxPractical is the number of words from which the answer to a practical question gets no further block.
	maxPractical = 190
)

// weightTrust is how much more the order of the passages counts for the best block of a practical question. Its text around counts too.
const weightTrust = 1.0

// trusted returns the best block for a practical question. Rows are about one case each.
func (e *extractor) trusted(candidates []candidate) candidate {
	best, top := candidates[0], math.Inf(-1)
	for _, c := range candidates {
		if s := c.score + weightTrust*e.prior[c.Passage]; c.Kind != Row && s > top {
			best, top = c, s
		}
	}
	return best
}

// around returns a block with the text around it in its section, up to a number of words: the text that follows, and then the text
// before it. The text below another term, such as an option, or below another question is about another case.
func (e *extractor) around(best candidate, most int) candidate {
	alone := best.Kind == Item || best.Kind == Step || best.Kind == List // an item is a case of its own
	if best.Kind == Row || e.defines != nil || e.said != "" || alone && !e.practical {
		return best
	}
	s, from, to := e.passages[best.Passage], best.from, best.to
	label := s[from].label
	other := func(q quote) bool {
		return q.label != label && (isTerm(q.label) || isTerm(label) || strings.HasSuffix(q.label, "?") || strings.HasSuffix(label, "?"))
	}
	for to < len(s) && !other(s[to]) && words(s[from:partEnd(s, to)]) <= most {
		to = partEnd(s, to)
	}
	for from > 0 && !other(s[from-1]) && (e.practical || s[from-1].Kind == text.ProseSentence) {
		start := from - 1
		for start > 0 && partEnd(s, start-1) >= from {
			start--
		}
		if words(s[start:to]) > most {
			break
		}
		from = start
	}
	for to > best.to && (introduces(s[to-1]) || isPointer(s, to-1) || s[to-1].Kind == text.TitleSentence) {
		to--
	}
	for from < best.from && s[from].Kind == text.TitleSentence {
		from++
	}
	section := e.score(s, blockOf(Section, s, from, to))
	section.score, section.base = best.score, best.base
	return section
}

// maxPointer is the maximum number of words of a pointer.
const maxPointer = 6

// isPointer reports whether a sentence only names another place, as a link to a related page does: a few words without an end,
// and not in a list with an introduction.
func isPointer(s []quote, at int) bool {
	q := s[at]
	if q.ends || q.Kind == text.CodeSentence || q.Kind == text.RowSentence || q.words > maxPointer ||
		strings.ContainsAny(q.text, ":`") || !title.MatchString(q.text) {
		return false
	}
	for q.Kind == text.ItemSentence && at > 0 && s[at-1].Kind == text.ItemSentence {
		at--
	}
	return at == 0 || !introduces(s[at-1])
}

// arePointers reports whether a block has nothing but pointers, such as the names of the authors of a page.
func arePointers(s []quote, b Block) bool {
	for at := b.from; at < b.to; at++ {
		if !isPointer(s, at) {
			return false
		}
	}
	return true
}

// partEnd returns the end of the paragraph, the list, or the block of code at a sentence.
func partEnd(s []quote, at int) int {
	switch s[at].Kind {
	case text.ItemSentence:
		return listEnd(s, at)
	case text.RowSentence:
		end := at
		for !isLayout(s[at]) && end < len(s) && sameTable(s[at], s[end]) {
			end++
		}
		return max(end, at+1)
	}
	return paragraphEnd(s, at)
}
