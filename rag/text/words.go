package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Word is a word in the form that is used to compare answers with passages.
type Word struct {
	// Stem is the stem in lower case. Numbers have no thousands separators.
	Stem string
	// start and end are byte offsets.
	Start, End int
	// Exact marks numbers and identifiers. They match only themselves.
	Exact bool
	// Part marks a part of the preceding identifier or number.
	Part bool
	// Also is another stem of the word, or "": that of a participle without its prefix.
	Also string
}

// Words returns the words of a text in order, with English stems. It returns an identifier such as
// auto_explain.log_timing or isReady first as a whole, and then its parts.
func Words(text string) []Word { return Analysis{}.Words(text) }

// Words is Words with the stems of the analysis.
func (a Analysis) Words(text string) []Word {
	var out []Word
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		if !isWordRune(r) {
			at += size
			continue
		}
		if isUnspaced(r) {
			at, out = appendPairs(out, text, at)
			continue
		}
		end := wordEnd(text, at)
		out = a.appendWord(out, text, at, end)
		at = end
	}
	return out
}

func isWordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || unicode.Is(unicode.Mn, r)
}

// isUnspaced reports whether r belongs to a script without spaces between
// words, or to Korean, whose particles change the ends of words. The mark for long vowels belongs to Katakana, but Unicode
// counts it to no script.
func isUnspaced(r rune) bool {
	return r >= 0x0e00 && (r == 'ー' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar))
}

// IsUnmodeled reports whether most letters of a text belong to scripts that the built-in
// models do not know. They take all texts in these scripts for the same.
func IsUnmodeled(text string) bool {
	all, unmodeled := 0, 0
	for _, r := range text {
		if !unicode.IsLetter(r) {
			continue
		}
		all++
		if r >= 0x0e00 && unicode.In(r, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) {
			unmodeled++
		}
	}
	return unmodeled*2 > all
}

// appendPairs adds the pairs of neighbors in the run of unspaced characters at
// offset at, or its only character. It returns the end of the run.
func appendPairs(out []Word, text string, at int) (int, []Word) {
	first, before, n := at, at, 0
	for at < len(text) {
		r, size := utf8.DecodeRuneInString(text[at:])
		if !isUnspaced(r) {
			break
		}
		if n++; n > 1 {
			out = append(out, Word{Stem: text[before : at+size], Start: before, End: at + size})
		}
		before, at = at, at+size
	}
	if n == 1 {
		out = append(out, Word{Stem: text[first:at], Start: first, End: at})
	}
	return at, out
}

// wordEnd returns the end of the word at offset at. Dots, commas in numbers,
// and apostrophes belong to the word if word characters surround them.
func wordEnd(text string, at int) int {
	for at < len(text) {
		r, size := utf8.DecodeRuneInString(text[at:])
		if isWordRune(r) && !isUnspaced(r) {
			at += size
			continue
		}
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at+size:])
		switch {
		case r == '.' && isWordRune(before) && isWordRune(after):
		case r == ',' && unicode.IsDigit(before) && threeDigits(text[at+size:]):
		case (r == '\'' || r == '’') && unicode.IsLetter(before) && unicode.IsLetter(after):
		default:
			return at
		}
		at += size
	}
	return at
}

// threeDigits reports whether s begins with exactly three digits, as behind a
// thousands separator.
func threeDigits(s string) bool {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return n == 3
}

// appendWord adds the word text[start:end] and its parts.
func (a Analysis) appendWord(out []Word, text string, start, end int) []Word {
	whole := text[start:end]
	if i := strings.IndexAny(whole, "'’"); i > 0 && !strings.ContainsAny(whole, "0123456789_.") {
		whole = whole[:i] // don't, user's
	}
	number := strings.IndexFunc(whole, unicode.IsDigit) >= 0
	cuts := identifierCuts(whole)
	if number && strings.Trim(whole, "0123456789,.") == "" {
		return append(out, Word{Stem: strings.ReplaceAll(whole, ",", ""), Start: start, End: end, Exact: true})
	}
	if len(cuts) == 0 {
		w := Word{Stem: strings.ToLower(whole), Start: start, End: end, Exact: number}
		if !number && !stopWords[w.Stem] { // nearly half of all words: not worth stemming
			w.Stem, w.Also = a.stem(w.Stem)
		}
		return append(out, w)
	}
	out = append(out, Word{Stem: strings.ToLower(strings.Trim(whole, "_.")), Start: start, End: end, Exact: true})
	for i, from := range cuts {
		to := len(whole)
		if i+1 < len(cuts) {
			to = cuts[i+1]
		}
		p := strings.Trim(whole[from:to], "_.")
		if len(p) > 1 {
			stem, _ := a.stem(strings.ToLower(p))
			out = append(out, Word{Stem: stem, Start: start, End: end, Exact: strings.IndexFunc(p, unicode.IsDigit) >= 0, Part: true})
		}
	}
	return out
}

// identifierCuts returns the offsets of the parts of an identifier, beginning
// with 0. It returns none if there is only one part.
func identifierCuts(s string) []int {
	cuts := []int{0}
	var last rune
	for i, r := range s {
		if i > 0 && (last == '_' || last == '.' || unicode.IsLower(last) && unicode.IsUpper(r)) && r != '_' && r != '.' {
			cuts = append(cuts, i)
		}
		last = r
	}
	if len(cuts) == 1 && !strings.ContainsAny(strings.Trim(s, "."), "_") {
		return nil
	}
	return cuts
}

// IsStop reports whether a stem is a stop word, which has no meaning of its
// own in a question.
func IsStop(stem string) bool { return stopWords[stem] }

// stopWords are the English stop words.
var stopWords = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`
		a about after again all also am an and any are as at be because been before being but by can cannot could did do does
		doing done don don't down each either else for from further get gets getting give given gives go goes got had
		has have having he her here him his how i if in
		into is isn it its itself just let like make makes many me more most much must my need no nor not now of off on once only
		or other our out over own per please same set should so some still such than that the their
		them then there these they this those through to
		too under until up us use used using very want wants was we were what when where whether which while who whom whose why will with
		without won would you your isn't doesn't doesn won't can't cant wont dont isnt doesnt didnt arent wasnt werent havent hasnt hadnt couldnt shouldnt wouldnt ive youre theyre thats theres wheres hows whos im i'm whats what's tell show mean means happen happens way ways thing things one`) {
		m[w] = true
	}
	return m
}()
