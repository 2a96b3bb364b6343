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

// IsSpaceAt reports whether the character at i is a space or i is the end of s.
func IsSpaceAt(s string, i int) bool {
	if i >= len(s) {
		return true
	}
	r, _ := utf8.DecodeRuneInString(s[i:])
	return unicode.IsSpace(r)
}

// IsWordAt reports whether the character at i is a letter or a digit.
func IsWordAt(s string, i int) bool {
	if i >= len(s) {
		return false
	}
	r, _ := utf8.DecodeRuneInString(s[i:])
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

// IsWordBefore reports whether the character before i is a letter or a digit.
func IsWordBefore(s string, i int) bool {
	if i == 0 {
		return false
	}
	r, _ := utf8.DecodeLastRuneInString(s[:i])
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}
