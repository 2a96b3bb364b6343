package bpe

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is the kind of a character in a word.
type kind uint8

const (
	space kind = iota
	letter
	digit
	other
)

// kindOf returns the kind of the first character of s, and its length. s is not empty.
func kindOf(s string) (kind, int) {
	r, size := utf8.DecodeRuneInString(s)
	switch {
	case unicode.IsSpace(r):
		return space, size
	case unicode.IsLetter(r):
		return letter, size
	case unicode.IsNumber(r):
		return digit, size
	default:
		return other, size
	}
}

// endings are words of their own behind any text.
var endings = []string{"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"}

// firstWord returns the length of the first word of s, which is not empty. It is the
// length of the first match of
//
//	's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
func firstWord(s string) int {
	for _, e := range endings {
		if strings.HasPrefix(s, e) {
			return len(e)
		}
	}
	at := 0
	if s[0] == ' ' && len(s) > 1 {
		if k, _ := kindOf(s[1:]); k != space {
			at = 1
		}
	}
	first, size := kindOf(s[at:])
	last := at // where the last character of the run begins
	for at += size; at < len(s); at += size {
		var k kind
		if k, size = kindOf(s[at:]); k != first {
			break
		}
		last = at
	}
	// The last white space before other text belongs to it, unless it is alone.
	if first == space && at < len(s) && last > 0 {
		return last
	}
	return at
}
