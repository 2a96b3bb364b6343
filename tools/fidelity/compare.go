package main

import (
	"strings"
	"unicode"
)

const (
	// minWords is the minimum number of words of a reference text.
	minWords = 10
	// poorRecall is the recall below which a file counts as poor.
	poorRecall = 0.9
)

// figures are the shares of one comparison.
type figures struct {
	recall    float64 // of the reference's words that were found
	precision float64 // of the words found that are the reference's
	order     float64 // of the reference's neighboring pairs of words that were kept
}

// words are the words of a text in lower case. Each Chinese or Japanese
// character counts as one.
func words(text string) []string {
	var out []string
	start := -1
	text = strings.ToLower(text)
	for i, r := range text {
		single := unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
		if !single && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)) {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 {
			out = append(out, text[start:i])
			start = -1
		}
		if single {
			out = append(out, string(r))
		}
	}
	if start >= 0 {
		out = append(out, text[start:])
	}
	return out
}

// compare measures words against those of a reference. Words and pairs that
// come several times count as often.
func compare(got, want []string) figures {
	hits := common(got, want)
	return figures{
		recall:    share(hits, len(want)),
		precision: share(hits, len(got)),
		order:     share(common(pairs(got), pairs(want)), len(want)-1),
	}
}

func share(n, of int) float64 {
	if of <= 0 {
		return 0
	}
	return float64(n) / float64(of)
}

// common is the number of elements that two lists share.
func common(a, b []string) int {
	counts := make(map[string]int, len(a))
	for _, w := range a {
		counts[w]++
	}
	n := 0
	for _, w := range b {
		if counts[w] > 0 {
			counts[w]--
			n++
		}
	}
	return n
}

// pairs are the neighboring pairs of a list.
func pairs(list []string) []string {
	var out []string
	for i := 1; i < len(list); i++ {
		out = append(out, list[i-1]+" "+list[i])
	}
	return out
}
