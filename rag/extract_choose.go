package rag

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

const (
	// enough is the share of the best quote's score that a further one needs.
	enough = .72
	// sameStems is the share of common stems from which two quotes say the same.
	sameStems = .75
)

// choose takes the best quote, what is needed to understand it, and further
// ones while they are good and add something.
func (e *extractor) choose() []quote {
	order := slices.Clone(e.quotes)
	slices.SortStableFunc(order, func(a, b quote) int { return cmp.Compare(b.score, a.score) })
	c := &choice{e: e}
	for _, q := range order {
		if len(c.quotes) > 0 && q.score < enough*order[0].score || len(c.quotes) >= extractQuotes {
			break
		}
		if q.kind == titleSentence && len(order) > 1 {
			continue
		}
		c.add(q)
	}
	return c.sorted()
}

// choice is the answer in the making.
type choice struct {
	e      *extractor
	quotes []quote
	words  int
}

// add adds a quote with what it needs, if there is room and it says something
// new.
func (c *choice) add(q quote) {
	if c.has(q) || slices.ContainsFunc(c.quotes, func(o quote) bool { return similar(o, q) }) {
		return
	}
	group := []quote{q}
	for _, n := range c.e.needs(q) {
		if !c.has(n) {
			group = append(group, n)
		}
	}
	words := 0
	for i, g := range group {
		if i > 0 && (c.words+words+g.words > extractWords || len(c.quotes)+i >= extractQuotes+1) {
			group = group[:i]
			break
		}
		words += min(g.words, extractWords)
	}
	if len(c.quotes) > 0 && c.words+words > extractWords {
		return
	}
	c.quotes = append(c.quotes, group...)
	c.words += words
}

func (c *choice) has(q quote) bool {
	return slices.ContainsFunc(c.quotes, func(o quote) bool { return o.doc == q.doc && o.at == q.at })
}

// similar reports whether two quotes say the same.
func similar(a, b quote) bool {
	common := 0
	for s := range a.stems {
		if b.stems[s] {
			common++
		}
	}
	return float64(common) >= sameStems*float64(min(len(a.stems), len(b.stems))) && common > 2 && max(len(a.stems), len(b.stems)) < 2*min(len(a.stems), len(b.stems))
}

// leaning begins a sentence that needs the one before it.
var leaning = regexp.MustCompile(`^(?:This|That|These|Those|It|Its|They|Their|Such|He|She|The (?:default|latter|former|same|value)|However|But|Also|Otherwise|In (?:this|that|such|these) cases?|Therefore|Thus|Hence|Instead|Then|For (?:this|that)|If (?:this|so|it|not)|Here|So|And|Or|Any|Both|Note that|When this|Setting this)\b`)

// needs returns the quotes beside q without which it is hard to understand: the
// line that introduces an item or code, what a colon announces, the sentence
// before one that leans on it. The most needed come first.
func (e *extractor) needs(q quote) []quote {
	all := e.passageOf(q)
	var out []quote
	before := func(i int) (quote, bool) {
		if i < 1 || all[i-1].kind == titleSentence {
			return quote{}, false
		}
		return all[i-1], true
	}
	if strings.HasSuffix(q.text, ":") && q.at+1 < len(all) && all[q.at+1].kind != titleSentence {
		out = append(out, all[q.at+1])
	}
	switch b, ok := before(q.at); {
	case !ok:
	case q.kind == codeSentence && b.kind != codeSentence,
		q.kind == rowSentence && strings.HasSuffix(b.text, ":"),
		(q.kind == proseSentence || q.kind == itemSentence) && b.block == q.block && leaning.MatchString(q.trimmed()):
		out = append(out, b)
	case q.kind == itemSentence:
		for i := q.at; i > 0 && i > q.at-8; i-- {
			if all[i-1].kind != itemSentence {
				if strings.HasSuffix(all[i-1].text, ":") {
					out = append(out, all[i-1])
				}
				break
			}
		}
	}
	return out
}

// sorted returns the chosen quotes: the passage with the best one first, within
// it in reading order.
func (c *choice) sorted() []quote {
	place := map[int]int{}
	for _, q := range c.quotes {
		if _, ok := place[q.doc]; !ok {
			place[q.doc] = len(place)
		}
	}
	slices.SortStableFunc(c.quotes, func(a, b quote) int {
		return cmp.Or(cmp.Compare(place[a.doc], place[b.doc]), cmp.Compare(a.at, b.at))
	})
	return c.quotes
}
