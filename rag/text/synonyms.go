package text

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// germanSynonyms are groups of German words that replace each other in a search, one group per line. They were written for
// docent by a language model.
//
//go:embed synonyms/de.txt
var germanSynonyms string

// synonymLines are the groups by the roots of their words.
var synonymLines = sync.OnceValue(func() map[string][][]string {
	out := map[string][][]string{}
	for line := range strings.Lines(germanSynonyms) {
		words := strings.Fields(line)
		for _, w := range words {
			for _, root := range GermanRoots(w) {
				out[root] = append(out[root], words)
			}
		}
	}
	return out
})

// GermanSynonyms returns words that say nearly the same as a German word, in any of its forms.
func GermanSynonyms(word string) []string {
	if IsForeignStop("de", word) {
		return nil
	}
	var out []string
	roots := GermanRoots(word)
	for _, root := range roots {
		for _, line := range synonymLines()[root] {
			for _, w := range line {
				if !slices.Contains(out, w) && !slices.ContainsFunc(GermanRoots(w), func(r string) bool { return slices.Contains(roots, r) }) {
					out = append(out, w)
				}
			}
		}
	}
	return out
}

// Synonyms returns the stems of words that say nearly the same as a word. Only German has some.
func (a Analysis) Synonyms(word string) []string {
	if a.language != "de" {
		return nil
	}
	var out []string
	for _, w := range GermanSynonyms(word) {
		out = append(out, GermanRoots(w)...)
	}
	return out
}
