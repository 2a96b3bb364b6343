// Package chromem is the vector index that docent uses for few chunks. It searches
// small collections with chromem-go. It scans large collections itself, because a
// scan is faster for them.
package chromem

import (
	"context"
	"fmt"
	"strconv"
	"sync"

	chromem "github.com/philippgille/chromem-go"

	"docent/index"
	"docent/internal/fault"
	"docent/rag/retrieve"
)

// MaxCollection is the maximum number of chunks of a collection in chromem-go.
// At this size, chromem-go searches in less than half a millisecond.
const MaxCollection = 1000

// Index is a vector index. It is safe for concurrent use; searches run in
// parallel.
type Index struct {
	// mu guards the following fields.
	mu      sync.RWMutex
	vectors *index.Vectors
	// small are chromem-go's collections. A collection that outgrows
	// MaxCollection leaves the map for good; its value is then nil.
	small map[string]*chromem.Collection
	db    *chromem.DB
}

var (
	_ retrieve.Nearest = (*Index)(nil)
	_ retrieve.Mirror  = (*Index)(nil)
	_ index.Small      = (*Index)(nil)
)

// New makes an empty index.
func New() *Index {
	return &Index{vectors: index.NewVectors(), small: map[string]*chromem.Collection{}, db: chromem.NewDB()}
}

// Len implements retrieve.Mirror.
func (x *Index) Len() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.vectors.Len()
}

// Entries implements index.Small.
func (x *Index) Entries() []retrieve.Entry {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.vectors.Entries()
}

// Put implements retrieve.Mirror. It keeps the vectors.
func (x *Index) Put(ctx context.Context, entries []retrieve.Entry) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.vectors.Check(entries); err != nil {
		return err
	}
	for i := range entries {
		if err := x.remove(ctx, entries[i].ID); err != nil {
			return err
		}
		if v := x.vectors.Add(&entries[i]); v != nil {
			if err := x.add(ctx, v); err != nil {
				return err
			}
		}
	}
	return nil
}

// Delete implements retrieve.Mirror.
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

// add gives a vector to chromem-go if its collection is small.
func (x *Index) add(ctx context.Context, v *index.Vector) error {
	c, known := x.small[v.Collection]
	// chromem-go rejects an empty name.
	name := "c:" + v.Collection
	switch {
	case known && c == nil:
		return nil
	case len(x.vectors.Collection(v.Collection)) > MaxCollection:
		x.small[v.Collection] = nil
		if err := x.db.DeleteCollection(name); err != nil {
			return fmt.Errorf("vector index: collection %s: %w", v.Collection, err)
		}
		return nil
	case !known:
		var err error
		if c, err = x.db.CreateCollection(name, nil, neverEmbed); err != nil {
			return fmt.Errorf("vector index: collection %s: %w", v.Collection, err)
		}
		x.small[v.Collection] = c
	}
	if err := c.AddDocument(ctx, chromem.Document{ID: strconv.FormatInt(v.ID, 10), Embedding: v.Values}); err != nil {
		return fmt.Errorf("vector index: add chunk %d: %w", v.ID, err)
	}
	return nil
}

// remove removes a chunk. chromem-go deletes everything if it gets no id and
// no other condition, so remove always names one id.
func (x *Index) remove(ctx context.Context, id int64) error {
	v := x.vectors.Remove(id)
	if v == nil {
		return nil
	}
	if c := x.small[v.Collection]; c != nil {
		if err := c.Delete(ctx, nil, nil, strconv.FormatInt(id, 10)); err != nil {
			return fmt.Errorf("vector index: delete chunk %d: %w", id, err)
		}
	}
	return nil
}

// neverEmbed replaces chromem-go's default, which would call OpenAI.
func neverEmbed(context.Context, string) ([]float32, error) {
	return nil, fault.New(fault.Internal, "vector_index_without_vector", "vector index: a text without its vector")
}

// Nearest implements retrieve.Nearest.
func (x *Index) Nearest(ctx context.Context, vector []float32, k int, filter retrieve.Filter) ([]retrieve.Hit, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("vector index: search: %w", err)
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	query, ok, err := x.vectors.Query(vector, k)
	if err != nil || !ok {
		return []retrieve.Hit{}, err
	}
	top := index.Top{K: k}
	err = x.vectors.Collections(filter, func(name string, vectors []*index.Vector) error {
		if c := x.small[name]; c != nil && len(filter.Documents) == 0 {
			return x.ask(ctx, c, query, &top)
		}
		top.Scan(query, vectors)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return top.Hits(), nil
}

// roundingError is larger than the difference between two ways to compute a
// dot product of unit vectors.
const roundingError = 1e-5

// ask offers the nearest chunks of a collection in chromem-go, at least K.
// chromem-go drops any of several equal chunks at the end of its list. So ask
// requests more until the list ends clearly below the K-th score.
func (x *Index) ask(ctx context.Context, c *chromem.Collection, query []float32, top *index.Top) error {
	for n := top.K + 16; ; n *= 4 {
		n = min(n, c.Count())
		results, err := c.QueryEmbedding(ctx, query, n, nil, nil)
		if err == nil {
			err = ctx.Err() // chromem-go then returns some of the results, without an error
		}
		if err != nil {
			return fmt.Errorf("vector index: search: %w", err)
		}
		if n < c.Count() && results[n-1].Similarity > results[top.K-1].Similarity-2*roundingError {
			continue
		}
		for _, r := range results {
			id, err := strconv.ParseInt(r.ID, 10, 64)
			if err != nil {
				return fmt.Errorf("vector index: chromem's id: %w", err)
			}
			top.Add(query, x.vectors.Get(id))
		}
		return nil
	}
}
