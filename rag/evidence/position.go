package evidence

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"docent/internal/lazyregexp"
	"docent/rag/text"
)

var (
	// beforeVerb matches the words in front of a verb in an English question, and asksGerman those in a German one.
	beforeVerb = lazyregexp.New(`(?i)\b(?:i|you|we|they|he|she|it|people|one|how to|(?:want|need|like|able|possible|try(?:ing)?) to)` +
		`(?: just| also| really| still)?\s+$`)
	asksGerman = lazyregexp.New(`(?i)(?:^|[^\pL])(?:wie|wo|wann|warum|wieso|weshalb|womit|wohin|was|wer)\s+$`)
	// behindVerb matches the words behind a German verb.
	behindVerb = lazyregexp.New(`(?i)^\s+(?:ich|man|du|wir|ihr|sie|er|es|sich)(?:[^\pL]|$)`)
	// modal matches a question whose last word is a German verb: "kann man das drucken".
	modal = lazyregexp.New(`(?i)(?:^|[^\pL])(?:(?:kann|können|koennen|darf|muss|soll|will)(?:st|t|n|en)?|hab(?:e|en|t)?|hat|bin|ist|sind|` +
		`w[iu]rde?|werden|ohne|beim|wenn)\s`)
	// verbEnd matches the end of a German verb.
	verbEnd = lazyregexp.New(`[etn]$`)
	// beforeNoun matches the words in front of a noun: an article, a pronoun, or a preposition, and at
	// most one adjective, or an auxiliary.
	beforeNoun = lazyregexp.New(`(?i)(?:^|[^\pL])(?:an?|the|my|our|your|his|her|their|its|this|that|these|those|some|any|no|of|for|with|in|on|at|` +
		`from|by|about|which|what|whats|per|via|into|without|` +
		`de[rnms]|die|das|(?:k?ein|[ms]ein|dein|unser|welch)(?:e[nmrs]?)?|[iaz]m|beim|vom|zu[mr]|ins|mit|ohne|für|fuer|von|aus|auf|bei|nach|` +
		`über|ueber|unter|vor|pro)\s+(?:[\pL\d-]+\s+)?$|(?:^|[^\pL])(?:do|does|did|is|are|was|were|can|could|should|will|has|have)\s+$`)
	// beforeMeasure matches a question up to the verb that names the amount asked for: "how much does the pump weigh".
	beforeMeasure = lazyregexp.New(`(?i)(?:^|[^\pL])how\s+\pL+\s+(?:do|does|did|will|would|can|could)\s.*\s$`)
)

// isVerb reports whether a word of a question stands in the place of a verb, or has a small letter in a German question that
// writes nouns with capitals. Such a word is no subject.
func (q *asked) isVerb(t text.Weighted) bool {
	before, written, behind := q.text[:t.Start], q.text[t.Start:t.End], q.text[t.End:]
	first, size := utf8.DecodeRuneInString(written)
	if !unicode.IsLower(first) || strings.ContainsFunc(written[size:], func(r rune) bool { return !unicode.IsLower(r) }) {
		return false
	}
	if beforeVerb.MatchString(before) {
		return true
	}
	if q.language != "de" || !verbEnd.MatchString(written) {
		return false
	}
	last := !strings.ContainsFunc(behind, unicode.IsLetter)
	return strings.ContainsFunc(strings.TrimLeftFunc(q.text, unicode.IsUpper), unicode.IsUpper) || // nouns have capitals
		asksGerman.MatchString(before) || behindVerb.MatchString(behind) || last && modal.MatchString(before)
}

// fewWords is the number of words up to which a message consists of nouns, such as "mileage allowance".
const fewWords = 3

// isNoun reports whether a word of an English or German question stands in the place of a noun, or names the amount that is asked
// for. In other languages, each word may be one.
func (q *asked) isNoun(t text.Weighted) bool {
	if !slices.Contains([]string{"", text.Undetermined, "en", "de"}, q.language) || q.isProper(t) || q.isCodeName(t) {
		return true
	}
	before, behind := q.text[:t.Start], q.text[t.End:]
	first, _ := utf8.DecodeRuneInString(q.text[t.Start:])
	if beforeMeasure.MatchString(before) && !strings.ContainsFunc(behind, unicode.IsLetter) {
		return true
	}
	return !unicode.IsLower(first) || beforeNoun.MatchString(before) || len(strings.Fields(text.Head(q.text, maxFew))) <= fewWords
}

// maxFew is the number of bytes that a message of few words has at most.
const maxFew = 200
