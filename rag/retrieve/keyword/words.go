package keyword

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxWord limits indexed words, in bytes. Longer words are mostly encoded data and are skipped.
const maxWord = 128

// wordByte reports for each ASCII byte whether it belongs to a word.
var wordByte = func() (t [utf8.RuneSelf]bool) {
	for c := range t {
		t[c] = c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
	}
	return t
}()

// eachWord calls yield with each word of text, unchanged. A word is a run of letters, digits, and underscores with single
// dots between them, so that identifiers stay whole. For scripts without spaces it yields pairs of neighboring characters.
func eachWord(text string, yield func(word string)) {
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf && !wordByte[c] {
			i++
			continue
		}
		end := wordEnd(text, i)
		switch {
		case end > i:
			if end-i <= maxWord {
				yield(text[i:end])
			}
			i = end
		default:
			r, size := utf8.DecodeRuneInString(text[i:])
			if isUnspaced(r) {
				i = eachPair(text, i, yield)
			} else {
				i += size
			}
		}
	}
}

// wordEnd returns the end of the word at i, or i if there is none.
func wordEnd(text string, i int) int {
	for i < len(text) {
		c := text[i]
		switch {
		case c < utf8.RuneSelf && wordByte[c]:
			i++
		case c == '.':
			if i == 0 || i+1 >= len(text) || !startsWord(text[i+1:]) || !endsWord(text[:i]) {
				return i
			}
			i++
		case c < utf8.RuneSelf:
			return i
		default:
			r, size := utf8.DecodeRuneInString(text[i:])
			if !isWordRune(r) {
				return i
			}
			i += size
		}
	}
	return i
}

func startsWord(s string) bool {
	if s[0] < utf8.RuneSelf {
		return wordByte[s[0]]
	}
	r, _ := utf8.DecodeRuneInString(s)
	return isWordRune(r)
}

func endsWord(s string) bool {
	if c := s[len(s)-1]; c < utf8.RuneSelf {
		return wordByte[c]
	}
	r, _ := utf8.DecodeLastRuneInString(s)
	return isWordRune(r)
}

func isWordRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)) && !isUnspaced(r)
}

// isUnspaced reports whether r belongs to a script without spaces between words. The mark for long vowels belongs to Katakana,
// but Unicode counts it to no script.
func isUnspaced(r rune) bool {
	return r >= 0x0e00 && (r == 'ー' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar))
}

// eachPair yields the pairs in the run of unspaced characters at i, or its only character. It returns the end of the run.
func eachPair(text string, i int, yield func(word string)) int {
	first, before, n := i, i, 0
	for i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		if !isUnspaced(r) {
			break
		}
		if n++; n > 1 {
			yield(text[before : i+size])
		}
		before, i = i, i+size
	}
	if n == 1 {
		yield(text[first:i])
	}
	return i
}

// piece is a part of a word, in lower case.
type piece struct {
	text string
	// whole marks a whole identifier, which is not stemmed.
	whole bool
}

// pieces splits a word. A dotted, snake_case, or camelCase identifier is kept whole and also split at each level. Any
// other word is one piece.
func pieces(dst []piece, word string) []piece {
	word = strings.Trim(word, "_")
	if word == "" {
		return dst
	}
	if strings.Contains(word, ".") {
		dst = append(dst, piece{strings.ToLower(word), true})
		if isNumber(word) {
			return dst
		}
		for part := range strings.SplitSeq(word, ".") {
			dst = pieces(dst, part)
		}
		return dst
	}
	if strings.Contains(word, "_") {
		dst = append(dst, piece{strings.ToLower(word), true})
		for part := range strings.SplitSeq(word, "_") {
			dst = humps(dst, part)
		}
		return dst
	}
	return humps(dst, word)
}

func isNumber(word string) bool {
	return strings.Trim(word, "0123456789.") == ""
}

// humps splits camelCase. It also keeps the whole word and stems it, because other texts may write it in lower case.
func humps(dst []piece, word string) []piece {
	if word == "" {
		return dst
	}
	whole := len(dst)
	dst = append(dst, piece{strings.ToLower(word), false})
	if strings.TrimSuffix(word, "s") == strings.ToUpper(strings.TrimSuffix(word, "s")) && !hasDigit(word) {
		return dst // an abbreviation, perhaps in the plural: URLs
	}
	start := 0
	for i := 1; i < len(word); i++ {
		if hump(word, i) {
			dst = append(dst, piece{strings.ToLower(word[start:i]), false})
			start = i
		}
	}
	if start > 0 {
		dst = append(dst, piece{strings.ToLower(word[start:]), false})
		dst[whole].whole = hasDigit(word)
	}
	return dst
}

func hasDigit(word string) bool { return strings.ContainsAny(word, "0123456789") }

// hump reports whether a new part begins at i: a capital after a small letter or a digit, the last of several capitals
// before a small letter, or a letter after digits at the start of the word.
func hump(word string, i int) bool {
	upper := func(c byte) bool { return 'A' <= c && c <= 'Z' }
	lower := func(c byte) bool { return 'a' <= c && c <= 'z' }
	digit := func(c byte) bool { return '0' <= c && c <= '9' }
	before, c := word[i-1], word[i]
	switch {
	case upper(c) && (lower(before) || digit(before)):
		return true
	case upper(c) && upper(before):
		return i+1 < len(word) && lower(word[i+1])
	case lower(c) && digit(before):
		return strings.Trim(word[:i], "0123456789") == ""
	default:
		return false
	}
}

// splitWord returns the pieces of a word in one normal form.
func splitWord(word string) []piece {
	for i := 0; i < len(word); i++ {
		if word[i] >= 0x80 {
			word = norm.NFKC.String(word)
			break
		}
	}
	return pieces(nil, word)
}
