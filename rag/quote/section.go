package quote

import (
	"slices"
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

// Bounds of the answer to a practical question, in words.
const (
	// maxSection is the length up to which the text around the best block is quoted.
	maxSection = 100
	// maxPractical is the number of words from which the answer gets no further block.
	maxPractical = 170
)

// weightProcedure rewards the steps of a trusted passage for a practical question. Their words are seldom those of the problem.
const weightProcedure = .3

// maxSections is the number of best blocks whose sections are compared.
const maxSections = 8

// sections chooses the section that answers a practical question.
type sections struct{ *extractor }

// best returns the block whose section answers a practical question best, and the section. sorted begins with the best block.
// Steps must not stand in a passage with a lesser heading.
func (w sections) best(sorted []candidate) (block, section candidate) {
	first, top := sorted[0], 0.0
	for i, c := range sorted[:min(len(sorted), maxSections)] {
		if c.score < enough*first.score {
			break
		}
		around, score := w.around(w.widened(c)), c.score
		if isProcedure(around) && w.headed[c.Passage] >= w.headed[first.Passage] {
			score += weightProcedure * w.prior[c.Passage]
		}
		if i == 0 || score > top {
			block, section, top = c, around, score
		}
	}
	return block, section
}

// isProcedure reports whether a section has steps.
func isProcedure(section candidate) bool {
	return slices.ContainsFunc(section.quotes, func(q quote) bool { return q.Kind == text.ItemSentence && numbered.MatchString(q.text) })
}

// around returns the best block of a practical question with the text around it: the list that it is a part of, the text that
// follows in the same section, and then the text before it.
func (w sections) around(best candidate) candidate {
	s, b := w.passages[best.Passage], best.Block
	switch b.Kind {
	case Row, Item:
		return best // each is about a case of its own
	case Step:
		if list := w.list(b); list.to > 0 && words(s[list.from:list.to]) <= maxList {
			b = list
		}
	}
	from, to := b.from, b.to
	for to < len(s) && s[to].label == s[from].label {
		end, limit := partEnd(s, to), maxSection
		if s[to].Kind == text.ItemSentence && introduces(s[to-1]) {
			limit = maxList
		}
		if words(s[from:end]) > limit {
			break
		}
		to = end
	}
	for from > 0 && s[from-1].label == s[from].label {
		start := from - 1
		for start > 0 && s[start-1].label == s[from].label && partEnd(s, start-1) >= from {
			start--
		}
		if words(s[start:to]) > maxSection || s[start].Kind == text.TitleSentence {
			break
		}
		from = start
	}
	for to > b.to && (introduces(s[to-1]) || isPointer(s, to-1)) {
		to--
	}
	whole := w.score(s, blockOf(Section, s, from, to))
	whole.score, whole.base = best.score, best.base
	return whole
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
		for end < len(s) && sameTable(s[at], s[end]) {
			end++
		}
		return max(end, at+1)
	}
	return paragraphEnd(s, at)
}
