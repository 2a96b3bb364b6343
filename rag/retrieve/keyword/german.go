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

const (
	// synonymWeight is the weight of a synonym, as a share of the weight of the word.
	synonymWeight = .6
	// maxSynonyms limits the synonyms of a word, and maxSynonymous the words of a query with synonyms.
	maxSynonyms, maxSynonymous = 8, 12
)

// asksInGerman reports whether a query for passages in the given languages may be in German.
func asksInGerman(query string, languages []Language) bool {
	if !slices.ContainsFunc(languages, isGerman) {
		return false
	}
	names := make([]string, len(languages))
	for i, l := range languages {
		names[i] = l.Name
	}
	l := text.LanguageAmong(query, names...)
	return l == german || l == ""
}

// synonyms returns a group with the synonyms of each German word that has some in the index of n passages.
func synonyms(groups []Group, lexicon Lexicon, n int) []Group {
	var out []Group
	for _, g := range groups[:min(len(groups), maxSynonymous)] {
		same := Group{Name: g.Name, Word: g.Word, Synonym: true}
		words := text.GermanSynonyms(g.Word)
		for _, word := range words[:min(len(words), maxSynonyms)] {
			for _, term := range relatives(word) {
				if chunks := lexicon.Chunks(term); chunks > 0 && !slices.Contains(g.Terms, term) && !slices.Contains(same.Terms, term) {
					same.Terms, same.Chunks = append(same.Terms, term), same.Chunks+chunks
				}
			}
		}
		if same.Chunks == 0 {
			continue
		}
		same.Chunks = min(same.Chunks, n)
		same.IDF = IDF(same.Chunks, n)
		same.Weight = synonymWeight * same.IDF * g.Weight / max(g.IDF, 1e-9)
		if g.Chunks > 0 {
			same.Weight = synonymWeight * min(same.IDF*g.Weight/max(g.IDF, 1e-9), g.Weight)
		}
		out = append(out, same)
	}
	return out
}
