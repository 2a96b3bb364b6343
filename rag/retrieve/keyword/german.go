package keyword

import (
	"slices"
	"strings"

	"docent/rag/text"
)

const german = "de"

func isGerman(l Language) bool { return l.Name == german }

// germanEndings turn the root of a German verb into the forms that the stemmer keeps apart.
var germanEndings = []string{"", "n", "t", "et", "ung", "er"}

// relatives returns the terms of other words with the root of a German word: "Verschlüsselung" for "verschlüsselt". The word may
// have "ae" for "ä".
func relatives(word string) []string {
	var out []string
	add := func(word string) {
		if term := analyzerOf(german).term(piece{text: word}); !strings.HasPrefix(term, stopMark) && !slices.Contains(out, term) {
			out = append(out, term)
		}
	}
	for _, root := range text.GermanRoots(word) {
		for _, ending := range germanEndings {
			add(root + ending)
		}
		for _, participle := range text.Participles(root) {
			add(participle)
		}
	}
	return out
}

const (
	// minCompounded is the minimum length of a part of a compound, in bytes.
	minCompounded = 4
	// maxApart is the number of words up to which two words of a query can be one in a passage, and maxCompounded that of words
	// which are tried.
	maxApart, maxCompounded = 3, 12
)

// links are the letters between the parts of German compounds.
var links = []string{"", "s", "n", "en", "er"}

// addCompounds adds compounds of two words of a query to the terms of both: "Druckerwarteschlange" for "Warteschlange vom
// Drucker". A compound that the index lacks gets the terms of its parts, but keeps the rarity of an unknown word.
func addCompounds(groups []Group, lexicon Lexicon) {
	known := func(word string) (string, int) {
		term := analyzerOf(german).term(piece{text: word})
		if strings.HasPrefix(term, stopMark) {
			return "", 0
		}
		return term, lexicon.Chunks(term)
	}
	n := min(len(groups), maxCompounded)
	for i := range n {
		g := &groups[i]
		if g.Chunks == 0 {
			g.Terms = append(g.Terms, longestParts(g.Word, known)...)
		}
		for j := max(0, i-maxApart); j <= min(i+maxApart, n-1); j++ {
			if j == i || len(g.Word) < minCompounded || len(groups[j].Word) < minCompounded {
				continue
			}
			for _, link := range links {
				if term, chunks := known(g.Word + link + groups[j].Word); chunks > 0 {
					addTerm(g, term)
					addTerm(&groups[j], term)
				}
			}
		}
	}
}

// longestParts returns the terms of the two parts of a compound that the index has, or else that of its longest known part.
func longestParts(word string, known func(string) (string, int)) []string {
	longest, length := "", 0
	for at := minCompounded; at+minCompounded <= len(word); at++ {
		first, a := known(word[:at])
		second, b := known(word[at:])
		switch {
		case a > 0 && b > 0:
			return []string{first, second}
		case b > 0 && len(word)-at > length:
			longest, length = second, len(word)-at
		case a > 0 && at > length:
			longest, length = first, at
		}
	}
	if longest == "" {
		return nil
	}
	return []string{longest}
}

// addTerm adds a term to a group.
func addTerm(g *Group, term string) {
	if !slices.Contains(g.Terms, term) {
		g.Terms = append(g.Terms, term)
	}
}
