package eval

import (
	"slices"
	"strings"
	"unicode"
)

// units may follow a number without a space.
var units = []string{"kb", "mb", "gb", "ms", "s", "min"}

// HasFact reports whether an answer contains a fact. It ignores letter case, thousands separators (1,600 and 1600), spaces
// before units (16 MB and 16MB), and hyphens (B-tree and btree). The fact may not begin inside a word or end inside a
// number. HasFact compares strings, so a correct paraphrase fails, and a wrong answer may contain the fact.
func HasFact(answer, fact string) bool {
	a, f := plainFact(answer), plainFact(fact)
	if len(f) == 0 {
		return false
	}
	first, last := f[0], f[len(f)-1]
	wordLeft := unicode.IsLetter(first) || unicode.IsNumber(first)
	for i := 0; i+len(f) <= len(a); i++ {
		if !slices.Equal(a[i:i+len(f)], f) {
			continue
		}
		if wordLeft && i > 0 && isASCIIWord(a[i-1]) {
			continue
		}
		if end := i + len(f); unicode.IsDigit(last) && end < len(a) && '0' <= a[end] && a[end] <= '9' {
			continue
		}
		return true
	}
	return false
}

// plainFact normalizes a text for the comparison of facts.
func plainFact(text string) []rune {
	s := []rune(strings.ToLower(text))
	s = slices.DeleteFunc(mark(s, func(i int) bool {
		return s[i] == ',' && at(s, i-1, unicode.IsDigit) && at(s, i+1, unicode.IsDigit)
	}), isMarked)
	s = slices.DeleteFunc(mark(s, func(i int) bool { return inUnitGap(s, i) }), isMarked)
	s = slices.DeleteFunc(mark(s, func(i int) bool {
		return s[i] == '-' && at(s, i-1, isLower) && at(s, i+1, isLower)
	}), isMarked)
	out := s[:0:0]
	for i, r := range s {
		switch {
		case !unicode.IsSpace(r):
			out = append(out, r)
		case i == 0 || !unicode.IsSpace(s[i-1]):
			out = append(out, ' ')
		}
	}
	return out
}

// marked stands for a character to delete.
const marked = -1

func isMarked(r rune) bool { return r == marked }

// mark returns s with a mark for each character for which del returns true. del sees the original text.
func mark(s []rune, del func(i int) bool) []rune {
	out := slices.Clone(s)
	for i := range s {
		if del(i) {
			out[i] = marked
		}
	}
	return out
}

// inUnitGap reports whether position i is white space between a number and a unit.
func inUnitGap(s []rune, i int) bool {
	if !unicode.IsSpace(s[i]) {
		return false
	}
	left, right := i, i
	for at(s, left, unicode.IsSpace) {
		left--
	}
	for at(s, right, unicode.IsSpace) {
		right++
	}
	if !at(s, left, unicode.IsDigit) {
		return false
	}
	end := right
	for at(s, end, isWord) {
		end++
	}
	return slices.Contains(units, string(s[right:end]))
}

// at reports whether the character at i exists and satisfies the predicate.
func at(s []rune, i int, is func(rune) bool) bool { return i >= 0 && i < len(s) && is(s[i]) }

func isLower(r rune) bool { return 'a' <= r && r <= 'z' }

func isASCIIWord(r rune) bool { return isLower(r) || '0' <= r && r <= '9' }

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) }
