package blocks

import (
	"unicode"
	"unicode/utf8"
)

// IsSpaceBefore reports whether the character before i is a space.
func IsSpaceBefore(s string, i int) bool {
	r, _ := utf8.DecodeLastRuneInString(s[:i])
	return unicode.IsSpace(r)
}

// IsSpaceAt reports whether the character at i is a space, or there is none.
func IsSpaceAt(s string, i int) bool {
	if i >= len(s) {
		return true
	}
	r, _ := utf8.DecodeRuneInString(s[i:])
	return unicode.IsSpace(r)
}

// IsWordAt reports whether the character at i belongs to a word.
func IsWordAt(s string, i int) bool {
	if i >= len(s) {
		return false
	}
	r, _ := utf8.DecodeRuneInString(s[i:])
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

// IsWordBefore reports whether the character before i belongs to a word.
func IsWordBefore(s string, i int) bool {
	if i == 0 {
		return false
	}
	r, _ := utf8.DecodeLastRuneInString(s[:i])
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}
