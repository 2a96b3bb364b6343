// Package chromem is the embedded vector index: chromem-go in memory, wrapped
// so that nothing it does differently from retrieve.Index shows.
package chromem

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync"

	chromem "github.com/philippgille/chromem-go"

	"docent/embed"
	"docent/internal/fault"
	"docent/rag/retrieve"
)

// Index is a vector index. New entries are searched one by one until Settle
// hands them to chromem, which takes a few microseconds each: a program that
// asks one question never waits for it. Of Search any number run at once.
type Index struct {
	mu sync.RWMutex
	// entries are all chunks with a vector, by id; guarded by mu.
	entries map[int64]*entry
	// fresh are those that chromem does not have yet, by collection; guarded
	// by mu.
	fresh map[string][]*entry
	// settled are chromem's collections, one for each of ours, so that a search
	// in one does not look at the others; guarded by mu.
	settled map[string]*chromem.Collection
	// dimensions is the vectors' length, 0 while there is none; guarded by mu.
	dimensions int
	db         *chromem.DB
}

// entry is what is kept of a chunk: its place among equals and its vector.
type entry struct {
	id         int64
	source     string
	ordinal    int
	collection string
	vector     []float32
	// place is the position in fresh; -1 once chromem has it.
	place int
}

var (
	_ retrieve.Index   = (*Index)(nil)
	_ retrieve.Settler = (*Index)(nil)
)

// New makes an empty index.
func New() *Index {
	return &Index{
		entries: map[int64]*entry{}, fresh: map[string][]*entry{},
		settled: map[string]*chromem.Collection{}, db: chromem.NewDB(),
	}
}

// Len counts the chunks with a vector other than zero.
func (x *Index) Len() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.entries)
}

// Put adds entries; see retrieve.Index. It keeps their vectors.
func (x *Index) Put(ctx context.Context, entries []retrieve.Entry) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	dimensions := x.dimensions
	if len(x.entries) == 0 {
		dimensions = 0
	}
	empty := make([]bool, len(entries))
	for i := range entries {
		e := &entries[i]
		if e.ID <= 0 {
			return fault.New(fault.Invalid, "vector index: chunk id %d is not positive", e.ID)
		}
		square := 0.0
		for _, f := range e.Vector {
			square += float64(f) * float64(f)
		}
		if math.IsNaN(square) || math.IsInf(square, 0) {
			return fault.New(fault.Invalid, "vector index: chunk %d has a vector that is not finite", e.ID)
		}
		if empty[i] = square == 0; empty[i] {
			continue
		}
		if dimensions == 0 {
			dimensions = len(e.Vector)
		}
		if len(e.Vector) != dimensions {
			return fault.New(fault.Invalid, "vector index: chunk %d has %d dimensions, the index has %d", e.ID, len(e.Vector), dimensions)
		}
	}
	x.dimensions = dimensions
	for i := range entries {
		if err := x.put(ctx, &entries[i], empty[i]); err != nil {
			return err
		}
	}
	return nil
}

func (x *Index) put(ctx context.Context, e *retrieve.Entry, empty bool) error {
	if err := x.remove(ctx, e.ID); err != nil || empty {
		return err
	}
	vector, _ := unit(e.Vector)
	x.entries[e.ID] = &entry{
		id: e.ID, source: e.Source, ordinal: e.Ordinal, collection: e.Collection, vector: vector,
		place: len(x.fresh[e.Collection]),
	}
	x.fresh[e.Collection] = append(x.fresh[e.Collection], x.entries[e.ID])
	return nil
}

// Delete removes chunks; see retrieve.Index.
func (x *Index) Delete(ctx context.Context, ids []int64) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, id := range ids {
		if err := x.remove(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// remove forgets a chunk. The ids given to chromem are never none and its maps
// never other than nil: either would delete everything.
func (x *Index) remove(ctx context.Context, id int64) error {
	e := x.entries[id]
	if e == nil {
		return nil
	}
	delete(x.entries, id)
	if e.place >= 0 {
		fresh := x.fresh[e.collection]
		last := len(fresh) - 1
		fresh[e.place], fresh[last].place = fresh[last], e.place
		fresh[last] = nil
		x.fresh[e.collection] = fresh[:last]
		return nil
	}
	if err := x.settled[e.collection].Delete(ctx, nil, nil, strconv.FormatInt(id, 10)); err != nil {
		return fmt.Errorf("vector index: delete chunk %d: %w", id, err)
	}
	return nil
}

// settleBatch is how many chunks Settle hands over before it lets searches in.
const settleBatch = 256

// Settle hands what is fresh to chromem. Until then, or without it, searches
// find the same, only in another way.
func (x *Index) Settle(ctx context.Context) error {
	for {
		done, err := x.settle(ctx)
		if done || err != nil {
			return err
		}
	}
}

func (x *Index) settle(ctx context.Context) (done bool, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	n := 0
	for name, fresh := range x.fresh {
		c, err := x.collection(name)
		if err != nil {
			return false, err
		}
		for len(fresh) > 0 {
			if err := ctx.Err(); err != nil {
				return false, fmt.Errorf("vector index: settle: %w", err)
			}
			if n++; n > settleBatch {
				return false, nil
			}
			last := len(fresh) - 1
			e := fresh[last]
			if err := c.AddDocument(ctx, chromem.Document{ID: strconv.FormatInt(e.id, 10), Embedding: e.vector}); err != nil {
				return false, fmt.Errorf("vector index: add chunk %d: %w", e.id, err)
			}
			e.place, fresh[last] = -1, nil
			fresh = fresh[:last]
			x.fresh[name] = fresh
		}
		delete(x.fresh, name)
	}
	return true, nil
}

// collection returns chromem's collection for one of ours.
func (x *Index) collection(name string) (*chromem.Collection, error) {
	if c := x.settled[name]; c != nil {
		return c, nil
	}
	// chromem refuses the empty name; with the prefix none is.
	c, err := x.db.CreateCollection("c:"+name, nil, neverEmbed)
	if err != nil {
		return nil, fmt.Errorf("vector index: collection %s: %w", name, err)
	}
	x.settled[name] = c
	return c, nil
}

// neverEmbed stands in for chromem's default, which would call OpenAI.
func neverEmbed(context.Context, string) ([]float32, error) {
	return nil, fault.New(fault.Internal, "vector index: a text without its vector")
}

// found is an entry with its score.
type found struct {
	*entry
	score float32
}

// Search finds chunks; see retrieve.Index.
func (x *Index) Search(ctx context.Context, s retrieve.Search) ([]retrieve.Hit, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("vector index: search: %w", err)
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	if s.K < 1 || len(x.entries) == 0 {
		return []retrieve.Hit{}, nil
	}
	if len(s.Vector) != x.dimensions {
		return nil, fault.New(fault.Invalid, "vector index: a query of %d dimensions, the index has %d", len(s.Vector), x.dimensions)
	}
	query, ok := unit(s.Vector)
	if !ok {
		return []retrieve.Hit{}, nil
	}
	top := &top{k: s.K}
	for name, fresh := range x.fresh {
		if wanted(s.Collections, name) {
			for _, e := range fresh {
				top.add(e, embed.Dot(query, e.vector))
			}
		}
	}
	for name, c := range x.settled {
		if wanted(s.Collections, name) {
			if err := x.nearest(ctx, top, c, query); err != nil {
				return nil, err
			}
		}
	}
	slices.SortFunc(top.found, compare)
	hits := make([]retrieve.Hit, len(top.found))
	for i, f := range top.found {
		hits[i] = retrieve.Hit{ID: f.id, Score: float64(f.score)}
	}
	return hits, nil
}

// roundingError is more than two ways of adding up a dot product of unit
// vectors differ by.
const roundingError = 1e-5

// nearest adds at least the k nearest chunks of one of chromem's collections.
// chromem drops any of several equal ones at the cut; so the list grows until
// it ends clearly below the k-th. Scores are computed again, so that they do
// not depend on who computed them.
func (x *Index) nearest(ctx context.Context, top *top, c *chromem.Collection, query []float32) error {
	for n := top.k + 16; ; n *= 4 {
		n = min(n, c.Count())
		if n == 0 {
			return nil
		}
		results, err := c.QueryEmbedding(ctx, query, n, nil, nil)
		if err != nil {
			return fmt.Errorf("vector index: search: %w", err)
		}
		if n < c.Count() && results[n-1].Similarity > results[top.k-1].Similarity-2*roundingError {
			continue
		}
		for _, r := range results {
			id, err := strconv.ParseInt(r.ID, 10, 64)
			if err != nil {
				return fmt.Errorf("vector index: chromem's id: %w", err)
			}
			e := x.entries[id]
			top.add(e, embed.Dot(query, e.vector))
		}
		return nil
	}
}

// top keeps the k best entries, the worst of them first: a heap.
type top struct {
	k     int
	found []found
}

// add offers an entry.
func (t *top) add(e *entry, score float32) {
	f := found{e, score}
	if len(t.found) < t.k {
		t.found = append(t.found, f)
		for i := len(t.found) - 1; i > 0; {
			parent := (i - 1) / 2
			if compare(t.found[parent], t.found[i]) > 0 {
				return
			}
			t.found[parent], t.found[i] = t.found[i], t.found[parent]
			i = parent
		}
		return
	}
	if score < t.found[0].score || compare(f, t.found[0]) > 0 {
		return
	}
	t.found[0] = f
	for i := 0; ; {
		child := 2*i + 1
		if child+1 < len(t.found) && compare(t.found[child], t.found[child+1]) < 0 {
			child++
		}
		if child >= len(t.found) || compare(t.found[i], t.found[child]) > 0 {
			return
		}
		t.found[i], t.found[child] = t.found[child], t.found[i]
		i = child
	}
}

func wanted(collections []string, name string) bool {
	return len(collections) == 0 || slices.Contains(collections, name)
}

// unit returns v scaled to length 1; false if it is zero or not finite.
func unit(v []float32) ([]float32, bool) {
	square := 0.0
	for _, f := range v {
		square += float64(f) * float64(f)
	}
	switch {
	case square == 0 || math.IsNaN(square) || math.IsInf(square, 0):
		return nil, false
	case math.Abs(square-1) < 1e-6:
		return v, true
	}
	out := make([]float32, len(v))
	for i, f := range v {
		out[i] = float32(float64(f) / math.Sqrt(square))
	}
	return out, true
}

// compare orders by score, source, ordinal, id.
func compare(a, b found) int {
	if a.score != b.score {
		return cmp.Compare(b.score, a.score)
	}
	return cmp.Or(cmp.Compare(a.source, b.source), cmp.Compare(a.ordinal, b.ordinal), cmp.Compare(a.id, b.id))
}
