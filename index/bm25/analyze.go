package bm25

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"docent/rag/retrieve"
)

// maxCached limits the cache of words and their terms.
const maxCached = 1 << 17

// batch holds analyzed entries before they are linked into the index.
type batch struct {
	rows   []batchRow
	counts []count // of all rows, one after the other
	// newTerms are numbered after those of the index.
	newTerms dictionary
	// tf counts the terms of the current entry. The upper half counts those in the heading.
	tf   []uint32
	seen []uint32
}

// batchRow is the position of one entry's counts in a batch.
type batchRow struct {
	terms   int // number of this entry's counts
	length  int
	heading int
}

// count is a term with its counts in one entry.
type count struct {
	term          uint32
	tf, headingTF uint16
}

// analyze counts the terms of entries. It changes no data that searches read, so
// searches may run at the same time.
func (x *Index) analyze(ctx context.Context, entries []retrieve.Entry) (*batch, error) {
	bt := &batch{rows: make([]batchRow, len(entries)), tf: make([]uint32, x.terms.len()+minTable)}
	for i := range entries {
		if err := ctx.Err(); err != nil {
			// The cache may name terms that will not be added.
			x.words, x.cached = map[string]map[string][]uint32{}, 0
			return nil, fmt.Errorf("keyword index: put: %w", err)
		}
		x.analyzeEntry(bt, &entries[i], &bt.rows[i])
	}
	return bt, nil
}

func (x *Index) analyzeEntry(bt *batch, e *retrieve.Entry, row *batchRow) {
	if x.cached > maxCached { // a table can have millions of different words
		x.words, x.cached = map[string]map[string][]uint32{}, 0
	}
	language := languageOf(e.Language)
	words := x.words[language]
	if words == nil {
		words = map[string][]uint32{}
		x.words[language] = words
	}
	const heading = 1 << 16
	step, length := uint32(heading|1), 0
	add := func(word string) {
		terms, ok := words[word]
		if !ok {
			terms = x.termsOf(bt, language, word)
			words[strings.Clone(word)] = terms
			x.cached++
		}
		for _, t := range terms {
			n := t >> 1
			if bt.tf[n] == 0 {
				bt.seen = append(bt.seen, n)
			}
			if bt.tf[n]%heading < 1<<15 { // enough for any use, and no overflow
				bt.tf[n] += step
			}
			length += int(t & 1)
		}
	}
	eachWord(e.Heading, add)
	row.heading = min(length, maxHeadingLength)
	step = 1
	eachWord(e.Text, add)
	row.length = min(length, maxLength)
	row.terms = len(bt.seen)
	slices.Sort(bt.seen)
	for _, n := range bt.seen {
		tf := bt.tf[n]
		bt.counts = append(bt.counts, count{n, uint16(min(tf%heading, maxTF)), uint16(min(tf/heading, maxHeadingTF))})
		bt.tf[n] = 0
	}
	bt.seen = bt.seen[:0]
}

// termsOf returns the terms of a word, each shifted left by one. The lowest bit is 1 for terms that
// count toward the length of a chunk, and 0 for stop words.
func (x *Index) termsOf(bt *batch, language, word string) []uint32 {
	a := analyzerOf(language)
	var out []uint32
	for _, p := range splitWord(word) {
		term := a.term(p)
		n, ok := x.terms.find(term)
		if !ok {
			if n, ok = bt.newTerms.find(term); !ok {
				n = bt.newTerms.add(term)
			}
			n += uint32(x.terms.len())
			if int(n) >= len(bt.tf) {
				bt.tf = append(bt.tf, make([]uint32, len(bt.tf))...)
			}
		}
		t := n << 1
		if !strings.HasPrefix(term, stopMark) {
			t |= 1
		}
		out = append(out, t)
	}
	return out
}

// splitWord returns the pieces of a word in one normal form.
func splitWord(word string) []piece {
	for i := 0; i < len(word); i++ {
		if word[i] >= 0x80 {
			word = norm.NFKC.String(word)
			break
		}
	}
	return pieces(nil, word)
}

// group holds the index terms of one piece of a query, one per language in the index.
type group struct {
	term   string // the term in the first language
	lists  [][]posting
	df     int
	weight float32 // idf times the term's frequency in the query
	idf    float32
}

// groups analyzes a query. The caller holds x.mu. It drops stop words if the query has other words.
func (x *Index) groups(text string) []group {
	var out, stops []group
	index := map[string]int{}
	eachWord(text, func(word string) {
		for _, p := range splitWord(word) {
			key := p.text
			if p.whole {
				key = stopMark + key
			}
			if i, ok := index[key]; ok {
				if i >= 0 {
					out[i].weight++
				}
				continue
			}
			g, stop, ok := x.group(p)
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
	}
	for i := range out {
		g := &out[i]
		g.df = min(g.df, x.live)
		g.idf = idf(g.df, x.live)
		g.weight *= g.idf
	}
	return out
}

// group looks up a piece in each language. stop reports whether the piece is a stop word. If it is
// a stop word in only some languages, the reading in more chunks wins.
func (x *Index) group(p piece) (g group, stop, ok bool) {
	g.weight = 1
	var seen []string
	var stops group
	chunks, stopChunks := 0, 0
	for i, language := range x.languages.list {
		n := x.languages.count[i]
		if n == 0 {
			continue
		}
		term := analyzerOf(language).term(p)
		isStop := strings.HasPrefix(term, stopMark)
		if isStop {
			stopChunks += n
		} else {
			chunks += n
		}
		if slices.Contains(seen, term) {
			continue
		}
		if seen = append(seen, term); len(seen) == 1 {
			g.term = strings.TrimPrefix(term, stopMark)
		}
		into := &g
		if isStop {
			into = &stops
		}
		if n, found := x.terms.find(term); found {
			list := x.postings[n]
			into.lists = append(into.lists, list)
			into.df += len(list) - x.chunks.deadAmong(list)
		}
	}
	stop = stops.df > g.df || stops.df == g.df && stopChunks > chunks
	// A stop word adds no candidates but adds to the score. Otherwise the few chunks of another
	// language would score high for a common word.
	g.df += stops.df
	if stop {
		g.lists = append(g.lists, stops.lists...)
	}
	return g, stop, len(seen) > 0
}
