package charset

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// writesWords reports whether the foreign letters of a decoded text form words of a
// language. In a text of another character set, signs such as £ and ° become letters
// that stand alone or beside digits. An alphabet other than the Latin one needs letters
// beside each other. A Latin one needs other letters beside the foreign ones.
func (m *model) writesWords(text string) bool {
	var run, foreign int
	var last rune
	in, all := 0, 0
	end := func() {
		switch {
		case foreign == 0 || m.isLatin() && run == 1 && strings.ContainsRune(loneWords, last):
		case m.isLatin() && run > 1, m.isHan() && foreign > 1, foreign > 1 && foreign == run:
			in += foreign
			all += foreign
		default:
			all += foreign
		}
		run, foreign = 0, 0
	}
	for _, r := range text {
		if !isLetter(r) {
			end()
			continue
		}
		run++
		last = r
		if r >= utf8.RuneSelf {
			foreign++
		}
	}
	end()
	return in > 0 && in*2 >= all
}

// loneWords are the words of one foreign Latin letter. They prove nothing.
const loneWords = "èàéáåøóúíýêôÈÀÉÅØ"

// declaration matches the name of a character set in the text itself: in web pages, XML,
// translations, style sheets, LaTeX, and the first lines of source code.
var declaration = regexp.MustCompile(`(?i)(?:charset|coding|encoding)\s*[=:]?\s*["']?([a-z][-\w.]+)|\[([a-z][-\w]+)\]\s*\{inputenc\}`)

const (
	// declaredIn is the number of bytes in which a text declares its character set.
	declaredIn = 2 << 10
	// maxDeclarations bounds the declarations that are considered.
	maxDeclarations = 8
)

// declarations returns the character sets that a text names in its first bytes.
func declarations(data []byte) []named {
	var out []named
	for _, found := range declaration.FindAllSubmatch(data[:min(len(data), declaredIn)], maxDeclarations) {
		name := strings.ToLower(string(found[1]) + string(found[2]))
		if inputenc := texNames[name]; inputenc != "" {
			name = inputenc
		}
		if set := byName(name); set.enc != nil {
			out = append(out, set)
		}
	}
	return out
}

// texNames are names of character sets that only LaTeX and editors use.
var texNames = map[string]string{
	"ansinew": "windows-1252", "cp1252": "windows-1252", "latin9": "iso-8859-15", "latin-1": "windows-1252", "latin-2": "iso-8859-2",
	"cp1250": "windows-1250", "cp1251": "windows-1251", "koi8r": "koi8-r", "applemac": "macintosh", "sjis": "shift_jis",
}

// contradicts reports whether a text declared as Windows-1252 has another alphabet. Web
// servers declare this set for pages of all kinds. In languages that use it, foreign
// letters stand between ASCII letters. In others, words consist of foreign letters only.
func contradicts(data []byte) bool {
	single, joined, run := 0, 0, 0
	for _, c := range data {
		switch {
		case c >= 0xc0:
			run++
			continue
		case run == 1:
			single++
		case run > 1:
			joined += run
		}
		run = 0
	}
	if run > 1 {
		joined += run
	}
	return joined >= 8 && joined > single*2
}

// isWestern reports whether data that fits no language is still a text in Windows-1252,
// such as a list of foreign names: ASCII with few other characters, all of them defined.
func isWestern(data []byte) bool {
	const rare = 6 // one foreign character in so many bytes
	high, letters := 0, 0
	for _, c := range data {
		switch {
		case c >= utf8.RuneSelf:
			if r := charmap.Windows1252.DecodeByte(c); r < 0xa0 || r == utf8.RuneError {
				return false
			}
			high++
		case 'a' <= c|0x20 && c|0x20 <= 'z':
			letters++
		case c < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\f':
			return false
		}
	}
	return high*rare <= letters
}
