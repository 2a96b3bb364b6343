package charset

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/unicode/norm"
)

// candidate is a possible character set with the languages that are written in
// it. prior is its initial cost in nats. Rare character sets have a higher prior,
// so they need more evidence.
type candidate struct {
	name      string
	enc       encoding.Encoding
	prior     int
	languages []string
}

var (
	western  = strings.Fields("en de fr es it pt nl sv da nb fi is ca et")
	central  = strings.Fields("pl cs sk hu hr sl ro de")
	cyrillic = strings.Fields("ru uk be bg sr mk")
	baltic   = strings.Fields("lt lv et de")
)

// candidates are the character sets that guess can distinguish by their letters.
var candidates = []candidate{
	{"windows-1252", charmap.Windows1252, 0, western},
	{"iso-8859-15", charmap.ISO8859_15, 4, western},
	{"macintosh", charmap.Macintosh, 6, western},
	{"ibm437", charmap.CodePage437, 6, western},
	{"ibm850", charmap.CodePage850, 5, western},
	{"windows-1250", charmap.Windows1250, 3, central},
	{"iso-8859-2", charmap.ISO8859_2, 4, central},
	{"ibm852", charmap.CodePage852, 6, central},
	{"windows-1251", charmap.Windows1251, 1, cyrillic},
	{"koi8-r", charmap.KOI8R, 1, []string{"ru", "bg"}},
	{"koi8-u", charmap.KOI8U, 2, []string{"uk", "ru", "be"}},
	{"iso-8859-5", charmap.ISO8859_5, 3, cyrillic},
	{"ibm866", charmap.CodePage866, 2, []string{"ru", "uk", "be", "bg"}},
	{"ibm855", charmap.CodePage855, 3, []string{"ru", "uk", "be", "bg", "sr", "mk"}},
	{"x-mac-cyrillic", charmap.MacintoshCyrillic, 5, cyrillic},
	{"windows-1253", charmap.Windows1253, 1, []string{"el"}},
	{"iso-8859-7", charmap.ISO8859_7, 2, []string{"el"}},
	{"windows-1254", charmap.Windows1254, 2, []string{"tr", "de", "fr"}},
	{"windows-1255", charmap.Windows1255, 1, []string{"he"}},
	{"windows-1256", charmap.Windows1256, 1, []string{"ar", "fa"}},
	{"iso-8859-6", charmap.ISO8859_6, 3, []string{"ar"}},
	{"windows-1257", charmap.Windows1257, 3, baltic},
	{"windows-1258", charmap.Windows1258, 3, []string{"vi"}},
	{"windows-874", charmap.Windows874, 2, []string{"th"}},
	{"gb18030", simplifiedchinese.GB18030, 1, []string{"zh", "zh-hant"}},
	{"big5", traditionalchinese.Big5, 2, []string{"zh-hant"}},
	{"shift_jis", japanese.ShiftJIS, 1, []string{"ja"}},
	{"euc-jp", japanese.EUCJP, 1, []string{"ja"}},
	{"euc-kr", korean.EUCKR, 1, []string{"ko"}},
}

const (
	// fallbackSet is the character set of a text whose foreign characters form no words.
	fallbackSet = "windows-1252"
	// besideDigit is the cost of a non-ASCII letter directly beside a digit.
	besideDigit = 4 * costScale
	// sampleLen is the number of bytes that are scored.
	sampleLen = 6 << 10
	// sampleZones is the number of places from which the sample is taken.
	sampleZones = 6
	// signInWord is the cost of a punctuation mark or symbol between two letters.
	signInWord = 9 * costScale
	// maxAverage is the maximum cost of a plausible text, in nats for each
	// non-ASCII character.
	maxAverage = 8.5
	// maxScript is maxAverage for non-Latin scripts, in which letters mostly
	// follow letters.
	maxScript = 4.8
	// margin is added to 5/4 of the best cost. Character sets up to that cost fit
	// too.
	margin = 100 * costScale
	// patience is added to the maximum cost of a text, because a few rare
	// characters mean little.
	patience = 20
	// maxBroken is the divisor for the maximum number of broken characters: at most
	// one in maxBroken characters may be broken.
	maxBroken = 100
)

// guess returns the character sets that fit a text, the most likely first.
func guess(data []byte) []candidate {
	type scored struct {
		candidate
		cost int
	}
	var fits []scored
	text := sample(data)
	best := math.MaxInt / 2
	for _, c := range candidates {
		if cost, ok := c.weigh(text, best+best/4+margin); ok {
			fits = append(fits, scored{c, cost})
			best = min(best, cost)
		}
	}
	slices.SortStableFunc(fits, func(a, b scored) int { return a.cost - b.cost })
	out := make([]candidate, 0, len(fits))
	for _, f := range fits {
		out = append(out, f.candidate)
	}
	return out
}

// sample returns lines with non-ASCII bytes from several places of a text.
func sample(data []byte) []byte {
	if len(data) <= sampleLen {
		return data
	}
	const most = sampleLen / sampleZones
	out := make([]byte, 0, sampleLen)
	for zone := range sampleZones {
		part := data[len(data)/sampleZones*zone : len(data)/sampleZones*(zone+1)]
		if zone > 0 {
			part = part[lineStart(part):]
		}
		left := most
		for len(part) > 0 && left > 0 {
			end := lineStart(part)
			if !isASCII(part[:end]) {
				out = append(out, part[:min(end, left)]...)
				left -= min(end, left)
			}
			part = part[end:]
		}
		out = append(out, '\n', '\n')
	}
	return out
}

// lineStart returns the start of the next piece of a text. A piece starts after
// a line break. In long lines it starts after an ASCII byte that is not part of
// a longer character.
func lineStart(part []byte) int {
	const long = 512
	for i, c := range part {
		if c == '\n' || i > long && c <= '/' {
			return i + 1
		}
	}
	return len(part)
}

func isASCII(data []byte) bool {
	for _, c := range data {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// decode decodes a text in a character set.
func (c candidate) decode(data []byte) (string, error) {
	out, err := c.enc.NewDecoder().Bytes(data)
	if err != nil {
		return "", err
	}
	if c.enc == charmap.Windows1258 { // Windows-1258 writes a letter and its tone separately
		out = norm.NFC.Bytes(out)
	}
	return string(out), nil
}

// weigh returns the cost of a text in a character set, for the language that
// fits best. ok is false if the text cannot be in this set, or if it costs more
// than limit.
func (c candidate) weigh(data []byte, limit int) (cost int, ok bool) {
	text, err := c.decode(data)
	if err != nil {
		return 0, false
	}
	high, broken := 0, 0
	for _, r := range text {
		switch {
		case r < utf8.RuneSelf:
			continue
		case r == utf8.RuneError, r >= 0x80 && r < 0xa0:
			broken++
		}
		high++
	}
	if broken*maxBroken > high {
		// The pieces of the sample may begin or end within a character.
		if !c.multi() || broken > sampleZones || broken*10 > high {
			return 0, false
		}
	}
	if c.name != fallbackSet && !readModels()[c.languages[0]].writesWords(text) {
		return 0, false
	}
	cost = limit
	for _, language := range c.languages {
		cost = min(cost, readModels()[language].weigh(text, cost))
	}
	most := maxAverage
	if m := readModels()[c.languages[0]]; !m.isLatin() && !m.isHan() {
		most = maxScript
	}
	if cost >= limit || float64(cost) > (float64(high)*most+patience)*costScale {
		return 0, false
	}
	return cost + c.prior*costScale, true
}

// multi reports whether the character set has multi-byte characters.
func (c candidate) multi() bool {
	_, single := c.enc.(*charmap.Charmap)
	return !single
}

// weigh adds up the costs of a text's non-ASCII characters and of the letters
// next to them. It stops at a limit.
func (m *model) weigh(text string, limit int) int {
	cost := 0
	var prev rune      // the previous letter in lower case, 0 if none
	var prevUpper bool // whether that letter is upper case
	var run int        // number of letters of the current word
	var within bool    // punctuation marks directly follow a letter
	var digit bool     // the previous character is a digit
	for _, r := range text {
		if cost > limit {
			return cost
		}
		if !isLetter(r) {
			if r >= utf8.RuneSelf {
				cost += symbolCost(r)
			}
			within = (within || prev != 0) && r >= utf8.RuneSelf && r < 0x3000 && !strings.ContainsRune("’·\u00ad\u200c\u200d", r)
			isDigit := '0' <= r && r <= '9'
			if isDigit && prev >= utf8.RuneSelf && !m.isHan() {
				cost += besideDigit
			}
			prev, run, digit = 0, 0, isDigit
			continue
		}
		if digit && r >= utf8.RuneSelf && !m.isHan() {
			cost += besideDigit
		}
		digit = false
		if within {
			cost += signInWord
		}
		within = false
		low, upper := unicode.ToLower(r), unicode.IsUpper(r)
		if r >= utf8.RuneSelf || prev >= utf8.RuneSelf {
			cost += m.letter(prev, low)
			switch {
			case run == 0 || upper == prevUpper:
			case upper:
				cost += 6 * costScale // "aB" is rare
			case run > 1:
				cost += 2 * costScale // "ABc" is rare too
			}
		}
		prev, prevUpper = low, upper
		run++
	}
	return cost
}

// letter returns the cost of a letter after the previous one.
func (m *model) letter(prev, r rune) int {
	if r < utf8.RuneSelf && prev >= utf8.RuneSelf {
		switch {
		case isHalfWidth(prev):
			return mixedScripts
		case m.isHan():
			return 0
		case !m.isLatin():
			return mixedScripts
		}
	}
	if r >= utf8.RuneSelf && prev != 0 && prev < utf8.RuneSelf {
		switch {
		case isHalfWidth(r):
			return m.cost(0, r) + mixedScripts
		case m.isHan():
			return m.cost(0, r)
		case !m.isLatin():
			return m.cost(0, r) + mixedScripts
		}
	}
	return m.cost(prev, r)
}

// isHalfWidth reports whether a character is half-width Katakana.
func isHalfWidth(r rune) bool { return r >= 0xff66 && r <= 0xff9f }

// isLatin reports whether a language is written in Latin letters.
func (m *model) isLatin() bool { _, ok := m.letters['e']; return ok }

// isHan reports whether a language has thousands of letters.
func (m *model) isHan() bool { return len(m.letters) > 500 }

// isLetter reports whether a character is a letter or a combining mark.
func isLetter(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r|0x20 && r|0x20 <= 'z'
	}
	return (unicode.IsLetter(r) || unicode.IsMark(r)) && r != 'µ' && r != 'ª' && r != 'º'
}
