package pipeline

import (
	"slices"

	"docent/rag/text"
)

// readSentence is a sentence of a passage that claims are compared with.
type readSentence struct {
	text     string
	stems    map[string]bool
	language string
}

// contradicts reports whether a text and the nearest sentences of the passages
// differ in that one denies what the other says.
func (c *checker) contradicts(body string, docs []int) bool {
	var own []string
	for _, w := range text.Words(body) {
		if !w.Part && !text.IsStop(w.Stem) {
			own = append(own, w.Stem)
		}
	}
	var all []readSentence
	for _, d := range docs {
		c.prepare(d - 1)
		all = append(all, c.sentences[d-1]...)
	}
	if denied := text.Denials(body); len(denied) > 0 {
		return slices.ContainsFunc(denied, func(d text.Denial) bool { return !admitted(all, own, d) })
	}
	if text.OtherwiseNegative.MatchString(body) {
		return false
	}
	near := nearestOf(all, own, func(readSentence) bool { return true })
	return len(near) > 0 && !slices.ContainsFunc(near, func(s readSentence) bool {
		return !slices.ContainsFunc(text.Denials(s.text), func(d text.Denial) bool { return slices.Contains(own, d.Stem) })
	})
}

// admitted reports whether the sentences nearest to a text deny something too,
// or have nothing to do with the denial.
func admitted(all []readSentence, own []string, d text.Denial) bool {
	unlike := "un" + d.Stem // "not supported" and "unsupported"
	near := nearestOf(all, own, func(s readSentence) bool { return s.stems[d.Stem] || s.stems[unlike] })
	if len(near) == 0 {
		near = nearestOf(all, d.Clause, func(readSentence) bool { return len(d.Clause) > 1 })
	}
	return len(near) == 0 || slices.ContainsFunc(near, func(s readSentence) bool {
		return s.stems[unlike] || len(text.Denials(s.text)) > 0 || text.OtherwiseNegative.MatchString(s.text)
	})
}

// nearestOf returns the sentences that contain the most stems, if these are
// enough to say the same or the opposite.
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
