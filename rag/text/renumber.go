package text

import (
	"fmt"
	"strings"
)

// Renumber replaces the numbers in the citation markers of a text: n becomes numbers[n-1]. It also returns a function
// that maps offsets in the text to those in the new one.
func Renumber(body string, numbers []int) (renumbered string, at func(int) int) {
	type shift struct{ end, by int }
	var shifts []shift
	var b strings.Builder
	last := 0
	for m := range MarkersIn(body) {
		b.WriteString(body[last:m.Start])
		for _, n := range m.Docs {
			if n <= len(numbers) && n > 0 {
				n = numbers[n-1]
			}
			fmt.Fprintf(&b, "[%d]", n)
		}
		last = m.End
		shifts = append(shifts, shift{m.End, b.Len() - m.End})
	}
	b.WriteString(body[last:])
	return b.String(), func(offset int) int {
		by := 0
		for _, s := range shifts {
			if s.end <= offset {
				by = s.by
			}
		}
		return offset + by
	}
}
