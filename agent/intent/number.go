package intent

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxDigits bounds the digits of a number.
const maxDigits = 30

// maxWordNumber bounds the value of a number in words.
const maxWordNumber = 1e15

// findNumbers returns the numbers of a text in order, up to maxSpans.
func findNumbers(text, code string) []span {
	words := wordsOf(text)
	var out []span
	for i := 0; i < len(words) && len(out) < maxSpans; {
		s, n := numberAt(text, words, i, code)
		if n == 0 {
			i++
			continue
		}
		if from := signAt(text, words, i, s.start); from < s.start {
			s.value, s.start = "-"+s.value, from
		}
		out = append(out, s)
		for i += n; i < len(words) && words[i].start < s.end; i++ { // 2.5 consists of two words
		}
	}
	return out
}

// numberAt reads a number that begins with words[i]. It returns the number of
// its words, or 0.
func numberAt(text string, words []textWord, i int, code string) (span, int) {
	w := words[i]
	if '0' <= w.text[0] && w.text[0] <= '9' {
		value, end := digitsAt(text, w.start, code)
		if value == "" {
			return span{}, 0
		}
		n := 1
		for i+n < len(words) && words[i+n].start < end {
			n++
		}
		if i+n < len(words) && gap(text, end, words[i+n].start) {
			if scale, ok := scales[words[i+n].text]; ok {
				if f, err := strconv.ParseFloat(value, 64); err == nil && f*float64(scale) < maxWordNumber {
					return span{start: w.start, end: words[i+n].end, value: formatNumber(f * float64(scale))}, n + 1
				}
			}
		}
		return span{start: w.start, end: end, value: value}, n
	}
	if code != "de" {
		if v, n := englishNumber(text, words[i:]); n > 0 && !(v == 1 && n == 1 && i > 0 && pronoun[words[i-1].text]) {
			return span{start: w.start, end: words[i+n-1].end, value: formatNumber(v)}, n
		}
	}
	if code != "en" {
		if v, ok := germanNumber(w.text); ok {
			return span{start: w.start, end: w.end, value: formatNumber(float64(v))}, 1
		}
	}
	return span{}, 0
}

// pronoun are words after which "one" is not a number.
var pronoun = wordSet("this that which the no any some every each another other last first next right wrong only")

func formatNumber(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// signAt returns the start of the sign before a number, or start without one.
func signAt(text string, words []textWord, i, start int) int {
	if i > 0 && gap(text, words[i-1].end, start) && (words[i-1].text == "minus" || words[i-1].text == "negative") {
		return words[i-1].start
	}
	for _, sign := range []string{"-", "−"} {
		if before, ok := strings.CutSuffix(text[:start], sign); ok {
			if r, _ := utf8.DecodeLastRuneInString(before); before == "" || unicode.IsSpace(r) || r == '(' {
				return len(before)
			}
		}
	}
	return start
}

// gap reports whether only spaces or one hyphen separate two words.
func gap(text string, from, to int) bool {
	between := strings.TrimSpace(text[from:to])
	return between == "" || between == "-"
}

// digitsAt reads a number in digits at an offset. It returns the value and the
// end. The value is "" if the digits belong to something else, such as a time,
// a version, or a code.
func digitsAt(text string, start int, code string) (string, int) {
	end := start
	for end < len(text) && end < start+2*maxDigits &&
		(isDigit(text[end]) || strings.IndexByte(".,", text[end]) >= 0 && end+1 < len(text) && isDigit(text[end+1])) {
		end++
	}
	if start > 0 {
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		if isWordRune(before) || strings.ContainsRune(":/.,", before) && start > 1 && isWordRune(rune(text[start-2])) {
			return "", 0
		}
	}
	value, ok := plainNumber(text[start:end], code)
	if !ok || !endsNumber(text[end:]) {
		return "", 0
	}
	return value, end
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// endsNumber reports whether a number may end before rest. A unit such as kg
// may follow directly, but the rest of a code or a time may not.
func endsNumber(rest string) bool {
	if len(rest) > 1 && strings.IndexByte(":/", rest[0]) >= 0 && isDigit(rest[1]) {
		return false
	}
	for _, r := range rest {
		switch {
		case unicode.IsDigit(r), r == '_':
			return false
		case !unicode.IsLetter(r):
			return true
		}
	}
	return true
}

// plainNumber removes thousands separators and writes a decimal point. For a
// single separator before three digits, the language determines its meaning.
func plainNumber(s, code string) (string, bool) {
	thousands, decimal := ",", "."
	if code == "de" {
		thousands, decimal = decimal, thousands
	}
	if i, j := strings.LastIndex(s, "."), strings.LastIndex(s, ","); i >= 0 && j >= 0 && s[max(i, j):max(i, j)+1] != decimal {
		thousands, decimal = decimal, thousands // 1.000,50 in an English text
	}
	whole, fraction, broken := strings.Cut(s, decimal)
	if strings.Contains(fraction, decimal) || strings.Contains(fraction, thousands) {
		return "", false
	}
	groups := strings.Split(whole, thousands)
	for n, g := range groups {
		if n == 0 && (len(groups) == 1 || len(g) <= 3) || n > 0 && len(g) == 3 {
			continue
		}
		if len(groups) != 2 || broken { // 2,5 in an English text
			return "", false
		}
		fraction, broken = groups[1], true
		groups = groups[:1]
		break
	}
	whole = strings.TrimLeft(strings.Join(groups, ""), "0")
	if whole == "" {
		whole = "0"
	}
	if broken {
		whole += "." + fraction
	}
	return whole, len(whole) <= maxDigits
}
