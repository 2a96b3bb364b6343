package terminal

import (
	"unicode"

	"golang.org/x/text/width"
)

// Width returns the number of columns that a terminal needs for a text in one line.
func Width(s string) int {
	n := 0
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

// runeWidth returns the number of columns of a character.
func runeWidth(r rune) int {
	switch {
	case r < ' ', !Shows(r), unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case r < 0x300: // most letters
		return 1
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	default:
		return 1
	}
}

// cut returns the longest beginning of a word that fits into columns, and the rest. It takes at least one
// character.
func cut(word string, columns int) (head, rest string) {
	n := 0
	for i, r := range word {
		n += runeWidth(r)
		if n > columns && i > 0 {
			return word[:i], word[i:]
		}
	}
	return word, ""
}
