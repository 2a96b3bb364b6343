package payload

import (
	"strings"
	"unicode"
)

// ReadableName returns a name, such as a file's, without the characters that
// change the direction of the text. With them, a name that ends in .exe can look
// as if it ended in .pdf. Letters that are written from right to left do not
// need them.
func ReadableName(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, name)
}
