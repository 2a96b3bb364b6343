package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// CodeSpan formats text as an inline code span. The text cannot close the span.
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

// Cut shortens s to at most n bytes, at a character boundary, and appends an
// ellipsis.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return Head(s, n) + " …"
}

// Head returns the first n bytes of s, or fewer at a character boundary.
func Head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// Shorten returns at most n characters of s. If s has more, the last one is an
// ellipsis.
func Shorten(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	for i := range s {
		if n--; n == 0 {
			return s[:i] + "…"
		}
	}
	return ""
}

// Visible removes invisible characters that can change the direction of text or
// hide content: controls, bidi marks, zero-width characters, and tag characters.
func Visible(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsSpace(r):
			return ' '
		case r == utf8.RuneError, unicode.Is(unicode.Cc, r),
			unicode.Is(unicode.Cf, r) && r != '\u200d' && r != '\u200c', unicode.Is(unicode.Co, r):
			return -1
		}
		return r
	}, text)
}

// Clean makes a model's text fit to show. It removes invisible characters and
// replaces images by their texts, because showing an image would fetch an
// address that a document may have put there.
func Clean(s string) string {
	return strings.TrimSpace(DropImages(strings.TrimSpace(Visible(s))))
}

// Unmarked returns an answer without citation markers, for places where the
// numbers mean nothing or other passages.
func Unmarked(s string) string { return strings.TrimSpace(ResolveMarkers(s, 0)) }
