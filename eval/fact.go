package eval

import (
	"slices"
	"strings"
	"unicode"
)

// units are written to a number without a space between.
var units = []string{"kb", "mb", "gb", "ms", "s", "min"}

// HasFact reports whether an answer contains a fact: in any letter case, with
// 1,600 for 1600, "16 MB" for 16MB and B-tree for btree, not inside a longer
// word on its left, nor inside a longer number on its right. It is a string
// test: a right answer in other words misses, and a wrong one can contain 90.
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

// plainFact brings a text into the form in which facts are compared.
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

// marked stands for a character to be deleted.
const marked = -1

func isMarked(r rune) bool { return r == marked }

// mark returns s with the characters at which del is true marked; del sees the
// text as it was.
func mark(s []rune, del func(i int) bool) []rune {
	out := slices.Clone(s)
	for i := range s {
		if del(i) {
			out[i] = marked
		}
	}
	return out
}

// inUnitGap reports whether position i is white space between a number and a
// unit.
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

// at reports whether there is a character at i and it is so.
func at(s []rune, i int, is func(rune) bool) bool { return i >= 0 && i < len(s) && is(s[i]) }

func isLower(r rune) bool { return 'a' <= r && r <= 'z' }

func isASCIIWord(r rune) bool { return isLower(r) || '0' <= r && r <= '9' }

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) }
