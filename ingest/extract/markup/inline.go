package markup

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// spans finds the ends of marked text within one paragraph. It remembers the
// marks that have no further end, so that many open marks cost one search.
type spans struct {
	text string
	none map[string]bool
}

// newSpans returns a finder for a paragraph.
func newSpans(text string) *spans { return &spans{text: text, none: map[string]bool{}} }

// raw returns where mark occurs next from i on, or -1.
func (s *spans) raw(i int, mark string) int {
	if s.none[mark] {
		return -1
	}
	at := strings.Index(s.text[i:], mark)
	if at < 0 {
		s.none[mark] = true
		return -1
	}
	return i + at
}

// tight returns where mark next ends marked text from i on: behind a character
// that is no space, and before one that is not part of a word. It returns -1 if
// it does not.
func (s *spans) tight(i int, mark string) int {
	key := "tight" + mark
	if s.none[key] {
		return -1
	}
	for at := i; ; {
		j := strings.Index(s.text[at:], mark)
		if j < 0 {
			s.none[key] = true
			return -1
		}
		at += j
		if at > i && !isSpaceBefore(s.text, at) && !isWordAt(s.text, at+len(mark)) {
			return at
		}
		at += len(mark)
	}
}

// isSpaceBefore reports whether the character before i is a space.
func isSpaceBefore(s string, i int) bool {
	r, _ := utf8.DecodeLastRuneInString(s[:i])
	return unicode.IsSpace(r)
}

// isSpaceAt reports whether the character at i is a space, or there is none.
func isSpaceAt(s string, i int) bool {
	if i >= len(s) {
		return true
	}
	r, _ := utf8.DecodeRuneInString(s[i:])
	return unicode.IsSpace(r)
}

// isWordAt reports whether the character at i belongs to a word.
func isWordAt(s string, i int) bool {
	if i >= len(s) {
		return false
	}
	r, _ := utf8.DecodeRuneInString(s[i:])
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

// isWordBefore reports whether the character before i belongs to a word.
func isWordBefore(s string, i int) bool {
	if i == 0 {
		return false
	}
	r, _ := utf8.DecodeLastRuneInString(s[:i])
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}
