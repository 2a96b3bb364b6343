// Package flat is an exact vector index in memory: a search compares the query
// with every vector.
package flat

import (
	"context"
	"fmt"
	"sync"

	"docent/index"
	"docent/rag/retrieve"
)

// Index is a vector index. It is safe for concurrent use; searches run in
// parallel.
type Index struct {
	mu      sync.RWMutex // guards vectors
	vectors *index.Vectors
}

var (
	_ retrieve.Nearest = (*Index)(nil)
	_ retrieve.Mirror  = (*Index)(nil)
)

// New makes an empty index.
func New() *Index { return &Index{vectors: index.NewVectors()} }

// Len implements retrieve.Mirror.
func (x *Index) Len() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.vectors.Len()
}

// Put implements retrieve.Mirror. It keeps the vectors.
func (x *Index) Put(_ context.Context, entries []retrieve.Entry) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.vectors.Check(entries); err != nil {
		return err
	}
	for i := range entries {
		x.vectors.Remove(entries[i].ID)
		x.vectors.Add(&entries[i])
	}
	return nil
}

// Delete implements retrieve.Mirror.
func (x *Index) Delete(_ context.Context, ids []int64) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, id := range ids {
		x.vectors.Remove(id)
	}
	return nil
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
	_ = x.vectors.Collections(filter, func(_ string, vectors []*index.Vector) error { // never fails
		top.Scan(query, vectors)
		return nil
	})
	return top.Hits(), nil
}
