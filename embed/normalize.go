package embed

import (
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// wideRun returns the end of the run of non-ASCII characters that begins at i.
// Dropped characters belong to the run, because the characters around them may
// compose.
func wideRun(text string, i int) int {
	for ; i < len(text); i++ {
		if c := classes[text[i]]; c != classWide && c != classDrop {
			break
		}
	}
	return i
}

// appendWide adds a run of non-ASCII characters as BERT's uncased tokenizer
// normalizes them: it drops controls, separates ideographs, decomposes, drops
// marks without width, and lower-cases. Canonical decomposition never crosses an
// ASCII character, so a run is independent of its surroundings.
func (t *tokenizer) appendWide(run string) {
	if t.appendLatin(run) {
		return
	}
	wide := t.wide[:0]
	for _, r := range run {
		switch {
		case r < utf8.RuneSelf, isDropped(r): // a run has no other ASCII characters
		case isIdeograph(r):
			wide = append(wide, ' ')
			wide = utf8.AppendRune(wide, r)
			wide = append(wide, ' ')
		default:
			wide = utf8.AppendRune(wide, r)
		}
	}
	t.wide = wide
	t.composed = norm.NFD.Append(t.composed[:0], wide...)
	for i := 0; i < len(t.composed); {
		r, size := utf8.DecodeRune(t.composed[i:])
		i += size
		t.appendNormal(r)
	}
}

// appendNormal adds one character of a decomposed text.
func (t *tokenizer) appendNormal(r rune) {
	switch {
	case r < utf8.RuneSelf:
		// A decomposition can begin with an ASCII letter or be one.
		t.appendASCII(byte(r))
	case unicode.Is(unicode.Mn, r):
	case unicode.IsSpace(r):
		t.flush()
	case unicode.IsPunct(r):
		t.flush()
		t.appendRune(r)
		t.flush()
	default:
		t.appendRune(unicode.ToLower(r))
	}
}

// latinEnd is the first combining mark. Every character below it decomposes into
// one character and its marks, independent of its neighbors.
const latinEnd = 0x300

// latin maps the characters below latinEnd to their base character without
// marks; utf8.RuneError if nothing remains.
var latin = sync.OnceValue(func() *[latinEnd]rune {
	var t [latinEnd]rune
	for c := range t {
		t[c] = utf8.RuneError
		if !isDropped(rune(c)) {
			t[c], _ = utf8.DecodeRuneInString(norm.NFD.String(string(rune(c))))
		}
	}
	return &t
})

// appendLatin is appendWide for runs of Latin letters. For other runs it does
// nothing and returns false.
func (t *tokenizer) appendLatin(run string) bool {
	for _, r := range run {
		if r >= latinEnd {
			return false
		}
	}
	base := latin()
	for _, r := range run {
		if r = base[r]; r != utf8.RuneError {
			t.appendNormal(r)
		}
	}
	return true
}

// appendASCII adds one ASCII character.
func (t *tokenizer) appendASCII(c byte) {
	switch classes[c] {
	case classDrop:
	case classSpace:
		t.flush()
	case classMark:
		t.flush()
		t.dst = append(t.dst, t.v.marks[c])
	default:
		t.appendLetters(string(rune(c)), 0)
	}
}

// isDropped reports whether a character is ignored: controls, format characters,
// private and unassigned characters, and the replacement of invalid UTF-8.
func isDropped(r rune) bool {
	return r == utf8.RuneError || unicode.Is(unicode.C, r)
}

// isIdeograph reports whether a character is in a CJK block. Each is a word of
// its own.
func isIdeograph(r rune) bool {
	return 0x4E00 <= r && r <= 0x9FFF || 0x3400 <= r && r <= 0x4DBF ||
		0xF900 <= r && r <= 0xFAFF || 0x20000 <= r && r <= 0x2A6DF ||
		0x2A700 <= r && r <= 0x2CEAF || 0x2F800 <= r && r <= 0x2FA1F
}
