package text

import (
	"slices"

	"docent/internal/lazyregexp"
)

var (
	// negator matches words that negate a sentence.
	negator = lazyregexp.New(`(?i)\b(?:not|no|never|none|nor|neither|nothing|nobody|cannot|\pL+n['’]t|(?:wo|do|ca|is|does|did|are|was|were|have|has|had|could|should|would)nt|nicht|nie|niemals|nichts|weder|kein(?:e[nmrs]?)?|jamais|aucune?|pas|nunca|ning[uú]n\pL*)\b`)
	// noNegator matches phrases with such a word that negate nothing.
	noNegator = lazyregexp.New(`(?i)\b(?:not (?:only|just|merely)|nicht nur|or not|oder nicht|no\. ?\d|no (?:matter|later|sooner|longer than|more than|less than|fewer than))`)
	// OtherwiseNegative matches phrases that may express a negation without a negator.
	OtherwiseNegative = lazyregexp.New(`(?i)\b(?:without|unless|except\pL*|only|fail\pL*|refus\pL*|reject\pL*|den(?:y|ies|ied)|unable|impossible|forbid\pL*|prohibit\pL*|lack\pL*|missing|absent|disabl\pL*|instead|rather|avoid\pL*|prevent\pL*|ignor\pL*|invalid|illegal|zero|empty|off|longer|un(?:supported|available|defined|known|changed|used|limited|able|safe|set)|ohne|nur|außer|statt|verbot\pL*|unmöglich|sin|sans)\b`)
	// clauseEnd matches the end of a negator's range.
	clauseEnd = lazyregexp.New(`[,;:.!?()–—\n]|(?i:\b(?:but|sondern|aber)\b)`)
)

// Denial describes one negation in a text.
type Denial struct {
	// Stem is the negated word. It is the first meaningful word after the negation;
	// in German it may be the last one before it. Stem is "" if there is no such
	// word.
	Stem string
	// Clause contains the stems of the clause with the negation.
	Clause []string
}

// Denials returns one Denial for each negation in a text.
func Denials(text string) []Denial {
	var out []Denial
	var own []Word
	for _, w := range Words(text) {
		if !w.Part && !stopWords[w.Stem] && negator.FindStringIndex(text[w.Start:w.End]) == nil {
			own = append(own, w)
		}
	}
	spared := noNegator.FindAllStringIndex(text, -1)
	for _, at := range negator.FindAllStringIndex(text, -1) {
		if slices.ContainsFunc(spared, func(s []int) bool { return s[0] <= at[0] && at[1] <= s[1] }) {
			continue
		}
		d := Denial{Stem: reached(text, own, at)}
		start, end := clauseAround(text, at)
		for _, w := range own {
			if start <= w.Start && w.End <= end {
				d.Clause = append(d.Clause, w.Stem)
			}
		}
		out = append(out, d)
	}
	return out
}

// clauseAround returns the start and the end of the clause around
// text[at[0]:at[1]].
func clauseAround(text string, at []int) (start, end int) {
	end = len(text)
	for _, cut := range clauseEnd.FindAllStringIndex(text, -1) {
		switch {
		case cut[1] <= at[0]:
			start = cut[1]
		case cut[0] >= at[1]:
			return start, cut[0]
		}
	}
	return start, end
}

// reached returns the stem that the negation at text[at[0]:at[1]] denies.
func reached(text string, own []Word, at []int) string {
	next := slices.IndexFunc(own, func(w Word) bool { return w.Start >= at[1] })
	if next >= 0 && !clauseEnd.MatchString(text[at[1]:own[next].Start]) {
		return own[next].Stem
	}
	if next < 0 {
		next = len(own)
	}
	if next > 0 && own[next-1].End <= at[0] && !clauseEnd.MatchString(text[own[next-1].End:at[0]]) {
		return own[next-1].Stem
	}
	return ""
}
