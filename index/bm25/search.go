package bm25

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"docent/rag/retrieve"
	"docent/rag/retrieve/keyword"
)

// scratch is the reusable memory of a search.
type scratch struct {
	scores []float32 // by slot; all 0 between searches
	heap   []found
	// The following fields belong to Match; see match.go. All are 0 between searches.
	marks     []uint32
	docTF     []uint32
	docMarks  []uint32
	docsSeen  []uint32
	docScores []float32
}

// found is a chunk with its score.
type found struct {
	slot  uint32
	score float32
}

// Words implements retrieve.Words.
func (x *Index) Words(ctx context.Context, text string, k int, filter retrieve.Filter) ([]retrieve.Hit, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("keyword index: search: %w", err)
	}
	if k < 1 {
		return []retrieve.Hit{}, nil
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	sc := x.scratch.Get().(*scratch)
	defer x.scratch.Put(sc)
	sc.scores = sized(sc.scores, len(x.chunks.ids))
	for _, g := range x.groups(text) {
		for _, list := range g.lists {
			x.score(sc.scores, list, g.Weight)
		}
	}
	x.best(sc, k, x.accepted(filter))
	clear(sc.scores)
	hits := make([]retrieve.Hit, len(sc.heap))
	for i, f := range sc.heap {
		hits[i] = retrieve.Hit{ID: x.chunks.ids[f.slot], Score: float64(f.score)}
	}
	return hits, nil
}

// sized returns s with length n. All its elements are zero; s must contain only zeros.
func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	return s[:n]
}

// score adds a term's part to the scores. Queries spend most of their time in this loop.
func (x *Index) score(scores []float32, list []posting, weight float32) {
	lengths, saturation := x.chunks.lengths, x.saturation
	scores = scores[:len(lengths)]
	for _, p := range list {
		slot, tf := p.slot(), p.tf()
		if tf <= rowTFs {
			scores[slot] += weight * saturation[int(lengths[slot])*rowTFs+int(tf-1)]
		} else {
			scores[slot] += weight * x.saturated(slot, tf)
		}
	}
}

// saturated returns tf's part of a chunk's score, from the table or computed.
func (x *Index) saturated(slot, tf uint32) float32 {
	length := x.chunks.lengths[slot]
	if tf <= rowTFs {
		return x.saturation[int(length)*rowTFs+int(tf-1)]
	}
	return keyword.Saturated(float32(tf), keyword.Norm(float32(length), x.meanLength(), keyword.B))
}

// accepted returns a function that reports whether a filter accepts the chunk in a slot. nil means all.
func (x *Index) accepted(f retrieve.Filter) func(slot uint32) bool {
	if len(f.Collections) == 0 && len(f.Documents) == 0 {
		return nil
	}
	collections := make([]bool, len(x.collections.list))
	whole := retrieve.Filter{Collections: f.Collections}.Accepts()
	for i, name := range x.collections.list {
		collections[i] = whole(name, 0)
	}
	documents := make(map[uint32]bool, len(f.Documents))
	for _, id := range f.Documents {
		if row, ok := x.docs.rows[id]; ok {
			documents[row] = true
		}
	}
	return func(slot uint32) bool {
		return collections[x.chunks.collections[slot]] && (len(f.Documents) == 0 || documents[x.chunks.docs[slot]])
	}
}

// best leaves the k best live chunks in sc.heap, in order.
func (x *Index) best(sc *scratch, k int, accepted func(slot uint32) bool) {
	h := sc.heap[:0]
	floor := float32(0)
	for slot, score := range sc.scores {
		if score <= floor && (score < floor || score == 0) {
			continue
		}
		f := found{uint32(slot), score}
		if !x.chunks.alive(f.slot) || accepted != nil && !accepted(f.slot) {
			continue
		}
		if len(h) < k {
			h = append(h, f)
			if len(h) == k {
				for i := k/2 - 1; i >= 0; i-- {
					x.sink(h, i)
				}
				floor = h[0].score
			}
		} else if x.before(f, h[0]) {
			h[0] = f
			x.sink(h, 0)
			floor = h[0].score
		}
	}
	slices.SortFunc(h, func(a, b found) int {
		if x.before(a, b) {
			return -1
		}
		return 1
	})
	sc.heap = h
}

// sink restores the heap below i. The worst element is on top.
func (x *Index) sink(h []found, i int) {
	for {
		child := 2*i + 1
		if child >= len(h) {
			return
		}
		if child+1 < len(h) && x.before(h[child], h[child+1]) {
			child++
		}
		if !x.before(h[i], h[child]) {
			return
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
}

// before reports whether a ranks before b.
func (x *Index) before(a, b found) bool {
	if a.score != b.score {
		return a.score > b.score
	}
	c := &x.chunks
	if da, db := c.docs[a.slot], c.docs[b.slot]; da != db {
		if n := strings.Compare(x.docs.sources[da], x.docs.sources[db]); n != 0 {
			return n < 0
		}
	}
	return cmp.Or(cmp.Compare(c.ordinals[a.slot], c.ordinals[b.slot]), cmp.Compare(c.ids[a.slot], c.ids[b.slot])) < 0
}
