package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// CodeSpan quotes text as inline code that its content cannot close.
func CodeSpan(text string) string {
	ticks := "`"
	for strings.Contains(text, ticks) {
		ticks += "`"
	}
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		return ticks + " " + text + " " + ticks
	}
	return ticks + text + ticks
}

// Cut returns the first n bytes of s, or fewer so as not to split a character.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + " …"
}

// Visible drops the characters that show nothing but may turn the text around
// them or hide in it: controls, bidi marks, zero-width and tag characters.
func Visible(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsSpace(r):
			return ' '
		case r == utf8.RuneError, unicode.Is(unicode.Cc, r), unicode.Is(unicode.Cf, r) && r != '\u200d' && r != '\u200c', unicode.Is(unicode.Co, r):
			return -1
		}
		return r
	}, text)
}
