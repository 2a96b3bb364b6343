package embed

import (
	"unicode/utf8"
	"unsafe"
)

// maxWordRunes is the longest word that is built from tokens.
const maxWordRunes = 100

// class is the role of an ASCII character for the tokenizer. Characters of words
// have their lower-case form instead, which is above all classes.
type class uint8

const (
	classDrop class = iota
	classSpace
	classMark
	classWide // the first byte of a character outside ASCII
)

// classes maps each byte.
var classes = func() (t [256]class) {
	for c := range t {
		switch {
		case c == ' ', c == '\t', c == '\n', c == '\r':
			t[c] = classSpace
		case c < ' ', c == 0x7f:
			t[c] = classDrop
		case c > 0x7f:
			t[c] = classWide
		case isASCIIMark(rune(c)):
			t[c] = classMark
		case 'A' <= c && c <= 'Z':
			t[c] = class(c - 'A' + 'a')
		default:
			t[c] = class(c)
		}
	}
	return t
}()

// isASCIIMark reports whether an ASCII character is a word of its own.
func isASCIIMark(r rune) bool {
	return 33 <= r && r <= 47 || 58 <= r && r <= 64 || 91 <= r && r <= 96 || 123 <= r && r <= 126
}

// tokenizer cuts text into tokens: normalization, splitting, and WordPiece in
// one pass, without allocation for ASCII text. It holds the current word, which
// may mix ASCII and other characters.
type tokenizer struct {
	v *vocabulary
	// dst collects the tokens.
	dst []uint16
	// word holds the normalized bytes of the current word.
	word [maxWordRunes * utf8.UTFMax]byte
	// n counts the bytes in word.
	n int
	// runes counts the characters of the word. Above maxWordRunes the word is
	// unknown, and word does not grow.
	runes int
	// hash is the hash of the word.
	hash hash
	// wide is scratch space for normalization.
	wide, composed []byte
}

// append adds the tokens of text. It begins with an empty word, even after a
// panic in an earlier call.
func (t *tokenizer) append(text string) {
	t.n, t.runes = 0, 0
	for i := 0; i < len(text); {
		switch c := classes[text[i]]; c {
		case classSpace:
			t.flush()
			i++
		case classDrop:
			i++
		case classMark:
			t.flush()
			t.dst = append(t.dst, t.v.marks[text[i]])
			i++
		case classWide:
			end := wideRun(text, i)
			t.appendWide(text[i:end])
			i = end
		default:
			i = t.appendLetters(text, i)
		}
	}
	t.flush()
}

// appendLetters adds the ASCII letters and digits from i on to the word, and
// returns their end.
func (t *tokenizer) appendLetters(text string, i int) int {
	if t.runes == 0 {
		t.hash = seedWord
	}
	n, h, start := t.n, t.hash, i
	for ; i < len(text); i++ {
		c := classes[text[i]]
		if c <= classWide || n >= len(t.word) {
			break
		}
		t.word[n] = byte(c)
		h = h.add(byte(c))
		n++
	}
	t.n, t.hash = n, h
	t.runes += i - start
	if n >= len(t.word) { // much too long: only its end matters
		for ; i < len(text) && classes[text[i]] > classWide; i++ {
		}
		t.runes = maxWordRunes + 1
	}
	return i
}

// appendRune adds a character outside ASCII to the word.
func (t *tokenizer) appendRune(r rune) {
	if t.runes == 0 {
		t.hash = seedWord
	}
	t.runes++
	if t.runes > maxWordRunes || t.n+utf8.UTFMax > len(t.word) {
		t.runes = maxWordRunes + 1
		return
	}
	for end := t.n + utf8.EncodeRune(t.word[t.n:], r); t.n < end; t.n++ {
		t.hash = t.hash.add(t.word[t.n])
	}
}

// flush ends the word, if there is one, and adds its tokens.
func (t *tokenizer) flush() {
	if t.runes == 0 {
		return
	}
	if t.runes > maxWordRunes {
		t.dst = append(t.dst, t.v.unknown)
	} else if id, ok := t.v.find(t.hash, unsafe.String(&t.word[0], t.n), 0); ok {
		t.dst = append(t.dst, id)
	} else {
		t.dst = t.v.appendPieces(t.dst, unsafe.String(&t.word[0], t.n))
	}
	t.n, t.runes = 0, 0
}

// appendPieces cuts a word that is not a token into the longest tokens from its
// start on. If that fails, the word is unknown.
func (v *vocabulary) appendPieces(dst []uint16, word string) []uint16 {
	var prefix [maxTokenBytes + 1]hash
	mark := len(dst)
	for at, skip := 0, 0; at < len(word); skip = len(continuation) {
		prefix[0] = seedWord
		if at > 0 {
			prefix[0] = seedContinuation
		}
		n := min(v.longest, len(word)-at)
		for i := 0; i < n; i++ {
			prefix[i+1] = prefix[i].add(word[at+i])
		}
		for ; n > 0; n-- {
			if id, ok := v.find(prefix[n], word[at:at+n], skip); ok {
				dst = append(dst, id)
				break
			}
		}
		if n == 0 {
			return append(dst[:mark], v.unknown)
		}
		at += n
	}
	return dst
}
