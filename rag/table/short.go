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

// findInitials finds words whose initials are a word of a shortened header, such as "work orders" for "wo_number".
func (r finder) findInitials() {
	for c, col := range r.t.Columns {
		if !col.shortened() {
			continue
		}
		for _, h := range col.names {
			for i := range r.words {
				if end := r.initials(h.text, i); end > 0 && len(h.text) > 1 {
					for k := i; k < end; k++ {
						r.roles[k], r.matched[k] = column, map[int]int{c: byCompound}
					}
				}
			}
		}
	}
}

// initials returns the position behind the words from i whose first letters are a text, or 0. At most one of them may have another
// role.
func (r finder) initials(text string, i int) int {
	if i+len(text) > len(r.words) {
		return 0
	}
	for k, letter := range []byte(text) {
		w := r.words[i+k]
		if len(w.text) < minPart || w.text[0] != letter || r.roles[i+k] != unknown && r.roles[i+k] != column || r.matched[i+k] != nil {
			return 0
		}
	}
	return i + len(text)
}
