package rag

import (
	"regexp"
	"slices"
)

var (
	// negator matches what turns a sentence into its opposite.
	negator = regexp.MustCompile(`(?i)\b(?:not|no|never|none|nor|neither|nothing|nobody|cannot|\pL+n['’]t|nicht|nie|niemals|nichts|weder|kein(?:e[nmrs]?)?|jamais|aucune?|pas|nunca|ning[uú]n\pL*)\b`)
	// noNegator matches what has such a word in it and turns nothing.
	noNegator = regexp.MustCompile(`(?i)\b(?:not (?:only|just|merely)|nicht nur|or not|oder nicht|no\. ?\d|no (?:matter|later|sooner|longer than|more than|less than|fewer than))`)
	// otherwiseNegative matches what may say in other words what a negator says.
	otherwiseNegative = regexp.MustCompile(`(?i)\b(?:without|unless|except\pL*|only|fail\pL*|refus\pL*|reject\pL*|den(?:y|ies|ied)|unable|impossible|forbid\pL*|prohibit\pL*|lack\pL*|missing|absent|disabl\pL*|instead|rather|avoid\pL*|prevent\pL*|ignor\pL*|invalid|illegal|zero|empty|off|longer|un(?:supported|available|defined|known|changed|used|limited|able|safe|set)|ohne|nur|außer|statt|verbot\pL*|unmöglich|sin|sans)\b`)
	// clauseEnd is what a negator does not reach across.
	clauseEnd = regexp.MustCompile(`[,;:.!?()–—\n]|(?i:\b(?:but|sondern|aber)\b)`)
)

// denial is what a negator of a text does.
type denial struct {
	// stem is the word that it denies: the first with a meaning behind it, or,
	// as German puts it, the last before it; "" if there is neither.
	stem string
	// clause are the stems of the clause that it stands in.
	clause []string
}

// denials returns what a text denies, one for each negator.
func denials(text string) []denial {
	var out []denial
	var own []word
	for _, w := range words(text) {
		if !w.part && !stopWords[w.stem] && negator.FindStringIndex(text[w.start:w.end]) == nil {
			own = append(own, w)
		}
	}
	spared := noNegator.FindAllStringIndex(text, -1)
	for _, at := range negator.FindAllStringIndex(text, -1) {
		if slices.ContainsFunc(spared, func(s []int) bool { return s[0] <= at[0] && at[1] <= s[1] }) {
			continue
		}
		d := denial{stem: reached(text, own, at)}
		start, end := clauseAround(text, at)
		for _, w := range own {
			if start <= w.start && w.end <= end {
				d.clause = append(d.clause, w.stem)
			}
		}
		out = append(out, d)
	}
	return out
}

// clauseAround returns where the clause that holds text[at[0]:at[1]] begins and
// ends.
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

// reached is the stem that the negator at text[at[0]:at[1]] denies.
func reached(text string, own []word, at []int) string {
	next := slices.IndexFunc(own, func(w word) bool { return w.start >= at[1] })
	if next >= 0 && !clauseEnd.MatchString(text[at[1]:own[next].start]) {
		return own[next].stem
	}
	if next < 0 {
		next = len(own)
	}
	if next > 0 && own[next-1].end <= at[0] && !clauseEnd.MatchString(text[own[next-1].end:at[0]]) {
		return own[next-1].stem
	}
	return ""
}

// readSentence is a sentence of a passage as a claim is held against it.
type readSentence struct {
	text  string
	stems map[string]bool
}

// contradicts reports whether a text and the sentences of the passages that are
// nearest to it differ in that one denies what the other says.
func (c *checker) contradicts(text string, docs []int) bool {
	var own []string
	for _, w := range words(text) {
		if !w.part && !stopWords[w.stem] {
			own = append(own, w.stem)
		}
	}
	var all []readSentence
	for _, d := range docs {
		c.prepare(d - 1)
		all = append(all, c.sentences[d-1]...)
	}
	if denied := denials(text); len(denied) > 0 {
		return slices.ContainsFunc(denied, func(d denial) bool { return !admitted(all, own, d) })
	}
	if otherwiseNegative.MatchString(text) {
		return false
	}
	near := nearestOf(all, own, func(readSentence) bool { return true })
	return len(near) > 0 && !slices.ContainsFunc(near, func(s readSentence) bool {
		return !slices.ContainsFunc(denials(s.text), func(d denial) bool { return slices.Contains(own, d.stem) })
	})
}

// admitted reports whether the sentences that are nearest to the words of a
// text deny something as well, or have nothing to do with what it denies.
func admitted(all []readSentence, own []string, d denial) bool {
	near := nearestOf(all, own, func(s readSentence) bool { return s.stems[d.stem] })
	if len(near) == 0 {
		near = nearestOf(all, d.clause, func(readSentence) bool { return len(d.clause) > 1 })
	}
	return len(near) == 0 || slices.ContainsFunc(near, func(s readSentence) bool {
		return len(denials(s.text)) > 0 || otherwiseNegative.MatchString(s.text)
	})
}

// nearestOf are those of the sentences that hold the most of the stems, and
// enough of them to say the same or the opposite.
func nearestOf(all []readSentence, stems []string, ok func(readSentence) bool) []readSentence {
	var out []readSentence
	best := max(1, int(weakWords*float64(len(stems))))
	for _, s := range all {
		if !ok(s) {
			continue
		}
		n := 0
		for _, stem := range stems {
			if s.stems[stem] {
				n++
			}
		}
		switch {
		case n > best:
			best, out = n, append(out[:0], s)
		case n == best:
			out = append(out, s)
		}
	}
	return out
}
