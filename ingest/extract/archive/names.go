package archive

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
)

// nameEncodings are the character sets of names in old archives. If two guesses
// score the same, the first in this list wins. The standard requires CP437.
var nameEncodings = []struct {
	enc encoding.Encoding
	// fits scores a non-ASCII character: 1 if it is common in names in this
	// character set.
	fits func(r rune) bool
}{
	{charmap.CodePage437, func(r rune) bool { return r < 0x180 && unicode.IsLetter(r) }},
	{japanese.ShiftJIS, func(r rune) bool {
		return unicode.In(r, unicode.Hiragana, unicode.Katakana) && r < 0xFF00 || unicode.Is(unicode.Han, r) || r == 'ー'
	}},
	{simplifiedchinese.GBK, func(r rune) bool { return unicode.Is(unicode.Han, r) }},
	{korean.EUCKR, func(r rune) bool { return unicode.Is(unicode.Hangul, r) }},
	{charmap.CodePage866, func(r rune) bool { return r >= 'А' && r <= 'я' || r == 'ё' }},
	{charmap.Windows1252, func(r rune) bool { return r >= 0xC0 && unicode.IsLetter(r) }},
}

// guessNames guesses the character set of names. It chooses the set in which
// most non-ASCII characters are letters of its language.
func guessNames(names []byte) encoding.Encoding {
	best, bestScore := nameEncodings[0].enc, -1.0
	for _, c := range nameEncodings {
		text, err := c.enc.NewDecoder().Bytes(names)
		if err != nil {
			continue
		}
		var fit, all int
		var last rune
		for _, r := range string(text) {
			if r >= utf8.RuneSelf {
				all++
				if c.fits(r) && r != utf8.RuneError && !(unicode.IsUpper(r) && unicode.IsLower(last)) {
					fit++
				}
			}
			last = r
		}
		if all == 0 {
			continue
		}
		if score := float64(fit) / float64(all); score > bestScore+0.05 {
			best, bestScore = c.enc, score
		}
	}
	return best
}

// decodeName converts a name in a TAR archive to UTF-8.
func decodeName(name string) string {
	if utf8.ValidString(name) {
		return name
	}
	if text, err := guessNames([]byte(name)).NewDecoder().String(name); err == nil {
		return text
	}
	return name
}
