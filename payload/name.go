package payload

import (
	"strings"
	"unicode"
)

// ReadableName returns a name, such as a file name, without the characters that
// change the direction of text. Such characters can make a name that ends in .exe
// look as if it ended in .pdf. Letters of right-to-left scripts do not need them.
func ReadableName(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, name)
}
