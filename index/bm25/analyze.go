package bm25

import (
	"context"
	"fmt"

	"docent/rag/retrieve"
	"docent/rag/retrieve/keyword"
)

// batch holds analyzed entries before they are linked into the index.
type batch struct {
	rows   []batchRow
	counts []keyword.Count // of all rows, one after the other
}

// batchRow describes one entry of a batch.
type batchRow struct {
	terms int // number of this entry's counts
	keyword.Lengths
}

// analyze counts the terms of entries. It changes no data that searches read, so
// searches may run at the same time.
func (x *Index) analyze(ctx context.Context, entries []retrieve.Entry) (*batch, error) {
	bt := &batch{rows: make([]batchRow, len(entries))}
	defer x.counter.Trim()
	for i := range entries {
		if err := ctx.Err(); err != nil {
			x.newTerms = dictionary{}
			x.counter.Forget() // the cache may name terms that will not be added
			return nil, fmt.Errorf("keyword index: put: %w", err)
		}
		e, before := &entries[i], len(bt.counts)
		bt.counts, bt.rows[i].Lengths = x.counter.Count(bt.counts, e.Language, e.Heading, e.Text)
		bt.rows[i].terms = len(bt.counts) - before
	}
	return bt, nil
}

// number returns the number of a term, also of one that is not linked yet.
func (x *Index) number(term string) uint32 {
	if n, ok := x.terms.find(term); ok {
		return n
	}
	n, ok := x.newTerms.find(term)
	if !ok {
		n = x.newTerms.add(term)
	}
	return n + uint32(x.terms.len())
}

// group is a group of a query with its postings.
type group struct {
	keyword.Group
	lists [][]posting
}

// groups analyzes a query. The caller holds x.mu.
func (x *Index) groups(query string) []group {
	found := keyword.Groups(query, lexicon{x}, x.live)
	out := make([]group, len(found))
	for i, g := range found {
		out[i].Group = g
		for _, term := range g.Terms {
			if n, ok := x.terms.find(term); ok {
				first, later := x.lists(n)
				out[i].lists = append(out[i].lists, first, later)
			}
		}
	}
	return out
}

// lexicon implements keyword.Lexicon. The caller of its methods holds mu.
type lexicon struct{ *Index }

func (x lexicon) Languages() []keyword.Language {
	var out []keyword.Language
	for i, name := range x.languages.list {
		if n := x.languages.count[i]; n > 0 {
			out = append(out, keyword.Language{Name: name, Chunks: n})
		}
	}
	return out
}

func (x lexicon) Chunks(term string) int {
	n, ok := x.terms.find(term)
	if !ok {
		return 0
	}
	return x.count(n)
}
