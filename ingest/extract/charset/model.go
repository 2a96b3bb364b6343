package charset

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// models holds letter statistics, one language to a line: a name, its letters
// each with its cost, and its pairs of letters each with its cost. A cost is
// -6·ln(p), written as a printable character from '!' on. Pairs of ASCII
// letters are left out. The costs of "en" are estimates for borrowed words. The
// others are from the language models of lingua-go (Apache License 2.0).
//
//go:embed models.txt
var models string

const (
	// costScale is the number of units of cost in one nat.
	costScale = 6
	// unseenPair is the additional cost of a letter after a letter that it never
	// follows in the language.
	unseenPair = 3 * costScale
	// unknownLetter is the cost of a letter that the language does not use.
	unknownLetter = 15 * costScale
	// mixedScripts is the cost of a word with letters of two scripts.
	mixedScripts = 7 * costScale
)

// halfWidth are the full-width forms of the Katakana from U+FF66 on.
var halfWidth = []rune("ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン")

// model has the letter statistics of one language.
type model struct {
	letters map[rune]int
	pairs   map[[2]rune]int
}

// readModels parses the statistics when they are first needed.
var readModels = sync.OnceValue(func() map[string]*model {
	all := map[string]*model{}
	for line := range strings.Lines(models) {
		name, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		letters, pairs, _ := strings.Cut(rest, " ")
		m := &model{letters: make(map[rune]int, len(letters)/3), pairs: make(map[[2]rune]int, len(pairs)/4)}
		for letters != "" {
			r, n := utf8.DecodeRuneInString(letters)
			m.letters[r] = int(letters[n] - '!')
			letters = letters[n+1:]
		}
		for pairs != "" {
			a, n := utf8.DecodeRuneInString(pairs)
			b, k := utf8.DecodeRuneInString(pairs[n:])
			m.pairs[[2]rune{a, b}] = int(pairs[n+k] - '!')
			pairs = pairs[n+k+1:]
		}
		all[name] = m
	}
	return all
})

// cost returns the improbability of a letter after prev. prev is 0 at the start
// of a word.
func (m *model) cost(prev, r rune) int {
	switch {
	case r >= 0xff66 && r < 0xff9e:
		return min(m.cost(0, halfWidth[r-0xff66]), 6*costScale)
	case r == 0xff9e || r == 0xff9f: // voicing marks
		return 2 * costScale
	case r >= 0xff01 && r <= 0xff5e:
		return 7 * costScale
	}
	c, ok := m.letters[r]
	switch {
	case !ok && prev >= utf8.RuneSelf && unicode.IsMark(r): // the statistics omit marks
		return 3 * costScale
	case !ok:
		return unknownLetter
	}
	if prev == 0 || len(m.pairs) == 0 {
		return c
	}
	if pair, ok := m.pairs[[2]rune{prev, r}]; ok {
		return pair
	}
	if _, ok := m.letters[prev]; !ok {
		return c
	}
	return min(c+unseenPair, unknownLetter)
}

// symbolCost returns the cost of a non-ASCII character that is not a letter.
func symbolCost(r rune) int {
	switch {
	case strings.ContainsRune("、。，「」！？：；（）・…“”‘’«»–—°№×€£§±²³µ", r):
		return 5 * costScale
	case strings.ContainsRune("©®™•·½¼¾¶÷†‡", r):
		return 6 * costScale
	case r == 0xa0 || r == 0x3000:
		return 6 * costScale
	case r >= 0xff01 && r <= 0xff5e || r >= 0x3000 && r <= 0x303f, r >= 0x2500 && r <= 0x259f:
		return 7 * costScale
	case r < 0x100 || unicode.IsPunct(r) || unicode.Is(unicode.Sc, r) || unicode.IsMark(r):
		return 8 * costScale
	case r == utf8.RuneError || unicode.Is(unicode.Co, r) || !unicode.IsGraphic(r):
		return 20 * costScale
	}
	return 10 * costScale
}
