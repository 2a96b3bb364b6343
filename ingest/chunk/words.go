package chunk

import (
	"unicode"
	"unicode/utf8"
)

// longWord is the number of code points of an unbroken word that count as one
// more word. Identifiers, links, and encoded data have many tokens too.
const longWord = 16

// meter counts words one code point at a time.
type meter struct {
	words int
	run   int // code points of the current word
	parts int // quarter words, for scripts without spaces
}

// add counts one code point.
func (m *meter) add(r rune) {
	if r < utf8.RuneSelf {
		if r <= ' ' {
			m.run = 0
			return
		}
	} else if n := unspaced(r); n > 0 {
		m.run = 0
		if m.parts += n; m.parts >= 4 {
			m.words++
			m.parts -= 4
		}
		return
	} else if unicode.IsSpace(r) {
		m.run = 0
		return
	}
	if m.run%longWord == 0 {
		m.words++
	}
	m.run++
}

// Words counts the words of a text. A long word counts once more for each 16 code
// points beyond the first 16. In scripts without spaces, each Chinese or Japanese
// character counts as one word. For Thai, Lao, Khmer, and Burmese, four
// characters count as one word.
func Words(s string) int {
	// This counts as meter does, but by the boundaries of words instead of by
	// code points, which is faster.
	words, parts := 0, 0
	start, more := 0, 0 // of the current word: its first byte, and its bytes beyond one for each code point
	end := func(i int) {
		words += (i - start - more + longWord - 1) / longWord
	}
	for i := 0; i < len(s); {
		c := s[i]
		if c > ' ' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c <= ' ' {
			end(i)
			i++
			start, more = i, 0
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if u := unspaced(r); u > 0 || unicode.IsSpace(r) {
			end(i)
			if parts += u; parts >= 4 {
				words++
				parts -= 4
			}
			start, more = i+n, 0
		} else {
			more += n - 1
		}
		i += n
	}
	end(len(s))
	return words
}

// unspaced returns the fraction of a word, in quarters, that a character of a
// script without spaces counts as. It returns 0 for other scripts.
func unspaced(r rune) int {
	switch {
	case r < 0x0E00:
		return 0
	case r < 0x0F00, r >= 0x1000 && r < 0x10A0, r >= 0x1780 && r < 0x1800:
		return 1
	case r >= 0x2E80 && r < 0x3000, r >= 0x3040 && r < 0x3130, r >= 0x31F0 && r < 0xA000,
		r >= 0xF900 && r < 0xFB00, r >= 0x20000 && r < 0x32000:
		return 4
	}
	return 0
}
