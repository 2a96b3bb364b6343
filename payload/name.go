package payload

import (
	"strings"
	"unicode"
)

// ReadableName is a name, such as a file's, without the characters that turn the
// direction of what is read: with them exe.pdf can be shown for what ends in exe.
// Letters written from right to left need none.
func ReadableName(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, name)
}
