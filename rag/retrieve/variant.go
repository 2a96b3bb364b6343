package retrieve

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"docent/embed"
	"docent/internal/lazyregexp"
	"docent/rag/text"
)

// variant is a word that documents may spell otherwise.
type variant struct {
	// start and end are byte offsets.
	start, end int
	// spellings are the other spellings, the most probable one first.
	spellings []string
}

const (
	// maxVariants limits the words with other spellings in a text.
	maxVariants = 8
	// minPart is the minimum length of the parts of a word, and minWhole that of a word of the vocabulary that has no parts.
	minPart, minWhole = 2, 6
)

// variantsOf returns the words of a text that documents may write with or without a hyphen: "wifi" for "Wi-Fi", or "e-mail" for
// "email". A long word of the vocabulary is one word.
func variantsOf(words *embed.Static, s string) []variant {
	var out []variant
	hyphens := hyphenated.FindAllStringIndex(s, -1)
	for _, at := range hyphens {
		if len(out) < maxVariants {
			out = append(out, variant{at[0], at[1], []string{strings.ReplaceAll(s[at[0]:at[1]], "-", "")}})
		}
	}
	for _, w := range text.Words(s) {
		typed := s[w.Start:w.End]
		if len(out) == maxVariants {
			break
		}
		if w.Exact || w.Part || len(typed) < 2*minPart || len(typed) > maxSlip || strings.Trim(strings.ToLower(typed), alphabet) != "" ||
			text.IsStop(w.Stem) || len(typed) >= minWhole && len(words.Tokenize(typed)) == 1 || within(w, hyphens) {
			continue
		}
		v := variant{start: w.Start, end: w.End}
		for i := len(typed) - minPart; i >= minPart; i-- {
			v.spellings = append(v.spellings, typed[:i]+"-"+typed[i:])
		}
		out = append(out, v)
	}
	return out
}

// hyphenated matches a word with hyphens between letters.
var hyphenated = lazyregexp.New(`\pL+(?:-\pL+)+`)

func within(w text.Word, spans [][]int) bool {
	for _, s := range spans {
		if s[0] <= w.Start && w.End <= s[1] {
			return true
		}
	}
	return false
}

const (
	// minHumps is the minimum number of humps in a word with letters of any case, and maxHump their maximum mean length.
	minHumps = 4
	maxHump  = 2.5
)

// mixed matches a word of letters with a capital behind a small letter.
var mixed = lazyregexp.New(`\pL*\p{Ll}\p{Lu}\pL*`)

// calm returns a text in which words such as "hAnDsHaKe" are in small letters. They look like identifiers otherwise.
func calm(s string) string {
	return mixed.ReplaceAllStringFunc(s, func(word string) string {
		humps, last := 1, ' '
		for _, r := range word {
			if unicode.IsUpper(r) && unicode.IsLower(last) {
				humps++
			}
			last = r
		}
		if humps >= minHumps && float64(utf8.RuneCountInString(word))/float64(humps) <= maxHump {
			return strings.ToLower(word)
		}
		return word
	})
}
