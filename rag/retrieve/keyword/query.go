package keyword

import (
	"cmp"
	"slices"
	"strings"
)

// Language is a language in an index.
type Language struct {
	// Name is the language, as NormalLanguage returns it.
	Name string
	// Chunks is the number of passages in that language.
	Chunks int
}

// Lexicon describes the terms of an index.
type Lexicon interface {
	// Languages are the languages of the passages, in a new slice and in any order.
	Languages() []Language
	// Chunks counts the passages with a term. It returns 0 for an unknown term.
	Chunks(term string) int
}

// Group is a piece of a query with its terms, one for each language in the index.
type Group struct {
	// Name is the term in the first language.
	Name string
	// Word is the piece in lower case.
	Word string
	// Terms are the terms that count. Some may be unknown to the index.
	Terms []string
	// Chunks counts the passages with one of the terms.
	Chunks int
	// IDF is the rarity of the group.
	IDF float32
	// Weight is IDF times the frequency of the piece in the query.
	Weight float32
	// Synonym reports a group of synonyms of another group. Its Weight is lower, and it is no term of the query.
	Synonym bool
}

// Covers returns the part of a group in the coverage of a passage that contains it.
func (g Group) Covers() float32 { return min(g.IDF, g.Weight) }

// Groups analyzes a query for an index of n passages. It drops stop words if the
// query has other words.
func Groups(query string, lexicon Lexicon, n int) []Group {
	var out, stops []Group
	index := map[string]int{}
	languages := lexicon.Languages()
	slices.SortFunc(languages, func(a, b Language) int {
		return cmp.Or(cmp.Compare(b.Chunks, a.Chunks), cmp.Compare(a.Name, b.Name)) // the first one names the groups
	})
	eachWord(query, func(word string) {
		for _, p := range splitWord(word) {
			key := p.text
			if p.whole {
				key = stopMark + key
			}
			if i, ok := index[key]; ok {
				if i >= 0 {
					out[i].Weight++
				}
				continue
			}
			g, stop, ok := group(p, languages, lexicon)
			switch {
			case !ok:
				index[key] = -1
			case stop:
				index[key] = -1
				stops = append(stops, g)
			default:
				index[key] = len(out)
				out = append(out, g)
			}
		}
	})
	if len(out) == 0 {
		out = stops
	} else if slices.ContainsFunc(languages, isGerman) {
		addCompounds(out, lexicon)
	}
	for i := range out {
		g := &out[i]
		g.Chunks = min(g.Chunks, n)
		g.IDF = IDF(g.Chunks, n)
		g.Weight *= g.IDF
	}
	if asksInGerman(query, languages) {
		out = append(out, synonyms(out, lexicon, n)...)
	}
	return out
}

// group looks up a piece in each language. stop reports whether the piece is a stop
// word. If it is a stop word in only some languages, the reading in more passages
// wins. ok is false if no language has passages.
func group(p piece, languages []Language, lexicon Lexicon) (g Group, stop, ok bool) {
	g.Weight, g.Word = 1, p.text
	var seen, stopTerms []string
	stopsFound, chunks, stopChunks := 0, 0, 0
	for _, l := range languages {
		term := analyzerOf(l.Name).term(p)
		isStop := strings.HasPrefix(term, stopMark)
		if isStop {
			stopChunks += l.Chunks
		} else {
			chunks += l.Chunks
		}
		if slices.Contains(seen, term) {
			continue
		}
		if seen = append(seen, term); len(seen) == 1 {
			g.Name = strings.TrimPrefix(term, stopMark)
		}
		n := lexicon.Chunks(term)
		if isStop {
			stopTerms = append(stopTerms, term)
			stopsFound += n
		} else {
			g.Terms = append(g.Terms, term)
			g.Chunks += n
		}
	}
	if !p.whole && g.Chunks+stopsFound == 0 && slices.ContainsFunc(languages, isGerman) {
		for _, term := range relatives(p.text) {
			if lexicon.Chunks(term) > 0 {
				addTerm(&g, term) // the word itself stays unknown
			}
		}
	}
	stop = stopsFound > g.Chunks || stopsFound == g.Chunks && stopChunks > chunks
	// A stop word adds no candidates but adds to the score. Otherwise the few passages
	// of another language would score high for a common word.
	g.Chunks += stopsFound
	if stop {
		g.Terms = append(g.Terms, stopTerms...)
	}
	return g, stop, len(seen) > 0
}
