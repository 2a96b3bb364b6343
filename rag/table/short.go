package table

import (
	"slices"
	"strings"
)

// minShort is the minimum length of an abbreviation in a header that is the beginning of a word.
const minShort = 3

// shortened reports whether a header is written like the name in a program, such as "hs_grad" and "PERS_NR", or ends in a dot. Its
// words may be abbreviations.
func (c Column) shortened() bool {
	h := c.Header
	return strings.Contains(h, "_") || strings.HasSuffix(h, ".") || len(h) > 1 && h == strings.ToUpper(h) && h != strings.ToLower(h)
}

// short reports whether a word of a shortened header is the beginning of a word of a question.
func (c Column) short(w word) bool {
	return c.shortened() && slices.ContainsFunc(c.names, func(h word) bool {
		return len(h.text) >= minShort && len(w.text) >= len(h.text)+2 && strings.HasPrefix(w.text, h.text) && !h.isStop() &&
			(h.concepts() == nil || len(h.text) > minShort || strings.HasSuffix(c.Header, "."))
	})
}

// addInitials adds words whose initials are a word of a shortened header, such as "work orders" for "wo_number".
func (r chart) addInitials(add func(piece)) {
	for c, col := range r.t.Columns {
		if !col.shortened() {
			continue
		}
		for _, h := range col.names {
			for i := range r.words {
				if r.initials(h.text, i) && len(h.text) > 1 {
					add(piece{from: i, to: i + len(h.text), role: column, gain: gainCompound * float64(len(h.text)), fits: map[int]int{c: byCompound}})
				}
			}
		}
	}
}

// initials reports whether the first letters of the words from i are a text.
func (r chart) initials(text string, i int) bool {
	if i+len(text) > len(r.words) {
		return false
	}
	for k, letter := range []byte(text) {
		if w := r.words[i+k]; len(w.text) < minPart || w.text[0] != letter {
			return false
		}
	}
	return true
}
