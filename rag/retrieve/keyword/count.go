package keyword

import (
	"slices"
	"strings"
)

// maxCached limits the cache of words and their terms.
const maxCached = 1 << 17

// Count is a term of a passage.
type Count struct {
	// Term is the number of the term.
	Term uint32
	// TF counts the term in heading and text, up to MaxTF.
	TF uint8
	// HeadingTF counts it in the heading, up to MaxHeadingTF.
	HeadingTF uint8
}

// Lengths are the numbers of terms of a passage. Stop words do not count.
type Lengths struct {
	// All is the length of heading and text, up to MaxLength.
	All int
	// Heading is the length of the heading, up to MaxHeadingLength.
	Heading int
}

// Counter counts the terms of passages. It must not be used concurrently.
type Counter struct {
	number func(term string) uint32
	// words caches the terms of words by language. The lowest bit of a term is 1 if
	// it counts toward the length of a passage. The other bits are its number.
	words  map[string]map[string][]uint32
	cached int
	// tf counts the terms of the current passage. The upper half counts those in the
	// heading.
	tf   []uint32
	seen []uint32
}

// NewCounter makes a Counter. number gives each term a number, and the same term the
// same number. Numbers should be small, because memory depends on the greatest.
func NewCounter(number func(term string) uint32) *Counter {
	c := &Counter{number: number}
	c.Forget()
	return c
}

// Forget empties the cache of numbers.
func (c *Counter) Forget() {
	c.words, c.cached = map[string]map[string][]uint32{}, 0
}

// Trim frees the memory that depends on the number of terms.
func (c *Counter) Trim() { c.tf = nil }

// Count appends the terms of a passage to counts, by number. The language is that of
// the document, and may be "".
func (c *Counter) Count(counts []Count, language, heading, text string) ([]Count, Lengths) {
	if c.cached > maxCached { // a table can have millions of different words
		c.Forget()
	}
	language = NormalLanguage(language)
	words := c.words[language]
	if words == nil {
		words = map[string][]uint32{}
		c.words[language] = words
	}
	const one = 1 << 16
	step, length := uint32(one|1), 0
	add := func(word string) {
		terms, ok := words[word]
		if !ok {
			terms = c.terms(language, word)
			words[strings.Clone(word)] = terms
			c.cached++
		}
		for _, t := range terms {
			n := t >> 1
			if int(n) >= len(c.tf) {
				c.tf = append(c.tf, make([]uint32, max(int(n)+1, 1024))...)
			}
			if c.tf[n] == 0 {
				c.seen = append(c.seen, n)
			}
			if c.tf[n]%one < 1<<15 { // enough for any use, and no overflow
				c.tf[n] += step
			}
			length += int(t & 1)
		}
	}
	var lengths Lengths
	eachWord(heading, add)
	lengths.Heading = min(length, MaxHeadingLength)
	step = 1
	eachWord(text, add)
	lengths.All = min(length, MaxLength)
	slices.Sort(c.seen)
	for _, n := range c.seen {
		tf := c.tf[n]
		counts = append(counts, Count{n, uint8(min(tf%one, MaxTF)), uint8(min(tf/one, MaxHeadingTF))})
		c.tf[n] = 0
	}
	c.seen = c.seen[:0]
	return counts, lengths
}

// terms returns the terms of a word as Counter.words has them.
func (c *Counter) terms(language, word string) []uint32 {
	a := analyzerOf(language)
	var out []uint32
	for _, p := range splitWord(word) {
		term := a.term(p)
		t := c.number(term) << 1
		if !strings.HasPrefix(term, stopMark) {
			t |= 1
		}
		out = append(out, t)
	}
	return out
}
