package table

import (
	"slices"
	"strings"
)

// lowerBetter and higherBetter are the concepts of columns whose better direction is known. Weight, size, speed, and age have none.
var (
	lowerBetter  = []string{"price", "consumption", "downtime", "noise", "loss", "rank", "deposit", "tax"}
	higherBetter = []string{"rating", "yield", "profit", "revenue", "discount", "warranty", "range", "wins"}
	// higherUnits are units of such columns.
	higherUnits = setOf("mpg km/l")
)

// better returns the better direction of a column, or 0.
func (c Column) better() direction {
	has := func(list []string) bool {
		return slices.ContainsFunc(list, func(name string) bool { return slices.Contains(c.named, name) })
	}
	mpg := higherUnits[strings.ToLower(c.Unit)] || slices.ContainsFunc(c.names, func(w word) bool { return higherUnits[w.text] })
	switch low, high := has(lowerBetter), has(higherBetter) || mpg; {
	case low == high:
		return 0
	case low:
		return -1
	}
	return 1
}

// ordering are the endings of adjectives from nouns, such as "saltiest" and "saltier", "salzigste" and "salziger".
var (
	superlativeEndings = []string{"iest", "igste", "igsten", "igster", "igstes", "est"}
	comparativeEndings = []string{"ier", "iger", "igere", "igeren"}
)

// superlative returns the adjective of a superlative in the question.
func (r *reading) superlative(i int) (adjective, bool) {
	if a, ok := r.words[i].superlative(); ok {
		return a, true
	}
	return r.t.derived(r.words[i], superlativeEndings)
}

// comparative returns the adjective of a comparative in the question.
func (r *reading) comparative(i int) (adjective, bool) {
	if a, ok := r.words[i].comparative(); ok {
		return a, true
	}
	return r.t.derived(r.words[i], comparativeEndings)
}

// derived returns the adjective that is made from the name of a column with values, such as "saltier" from "Salt".
func (t *Table) derived(w word, endings []string) (adjective, bool) {
	for _, ending := range endings {
		stem, ok := strings.CutSuffix(w.text, ending)
		if !ok || len(stem) < minRoot {
			continue
		}
		if n := len(stem); ending == "est" && stem[n-1] == stem[n-2] { // fattest
			stem = stem[:n-1]
		}
		noun, found := newWord(stem), 0
		for c, col := range t.Columns {
			same := slices.ContainsFunc(col.names, func(h word) bool { return h.text == stem })
			if col.ordered() && (same || ending != "est" && col.strength(noun) >= byConcept) {
				if found > 0 {
					return adjective{}, false
				}
				found = c + 1
			}
		}
		if found > 0 {
			return adjective{up: 1, own: found}, true
		}
	}
	return adjective{}, false
}
