package index

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"docent/rag/retrieve"
)

// Small is an index for few vectors that can return its entries.
type Small interface {
	retrieve.VectorMirror
	// Entries returns all entries that can be found. It need not know their texts.
	Entries() []retrieve.Entry
}

// Sized is a vector index that keeps few vectors in one index and many in another.
// It moves them all when there are too many for the first, and stays with the other
// one until it is empty. It is safe for concurrent use.
type Sized struct {
	limit int
	small Small
	large retrieve.VectorSaver

	changing sync.Mutex   // held while the vectors change; the first of both mutexes
	mu       sync.RWMutex // guards the following field, and moves from one index to the other
	grown    bool         // all vectors are in large
}

var _ retrieve.VectorSaver = (*Sized)(nil)

// NewSized makes an index of two empty ones that it owns. The first has at most
// limit vectors.
func NewSized(limit int, small Small, large retrieve.VectorSaver) *Sized {
	return &Sized{limit: limit, small: small, large: large}
}

// current returns the index with the vectors. The caller holds mu.
func (x *Sized) current() retrieve.VectorMirror {
	if x.grown {
		return x.large
	}
	return x.small
}

// Grown reports whether the index for many vectors is in use.
func (x *Sized) Grown() bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.grown
}

// Len implements retrieve.Mirror.
func (x *Sized) Len() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.current().Len()
}

// Put implements retrieve.Mirror.
func (x *Sized) Put(ctx context.Context, entries []retrieve.Entry) error {
	x.changing.Lock()
	defer x.changing.Unlock()
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.grown || x.small.Len()+len(entries) <= x.limit {
		return x.current().Put(ctx, entries)
	}
	old := x.small.Entries()
	if union(old, entries) <= x.limit {
		return x.small.Put(ctx, entries)
	}
	if err := x.large.Put(ctx, append(old[:len(old):len(old)], entries...)); err != nil {
		return fmt.Errorf("vector index: move to the index for many vectors: %w", err)
	}
	x.grown = true
	return x.small.Delete(ctx, ids(old))
}

// union counts the different ids of two lists.
func union(a, b []retrieve.Entry) int {
	all := make(map[int64]bool, len(a)+len(b))
	for _, id := range append(ids(a), ids(b)...) {
		all[id] = true
	}
	return len(all)
}

func ids(entries []retrieve.Entry) []int64 {
	out := make([]int64, len(entries))
	for i := range entries {
		out[i] = entries[i].ID
	}
	return out
}

// Delete implements retrieve.Mirror.
func (x *Sized) Delete(ctx context.Context, ids []int64) error {
	x.changing.Lock()
	defer x.changing.Unlock()
	x.mu.Lock()
	defer x.mu.Unlock()
	err := x.current().Delete(ctx, ids)
	if x.grown && x.large.Len() == 0 {
		x.grown = false
	}
	return err
}

// Save implements retrieve.VectorSaver. The index for few vectors saves nothing.
func (x *Sized) Save(w io.Writer) error {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if !x.grown {
		return nil
	}
	return x.large.Save(w)
}

// Load implements retrieve.VectorSaver. Searches go on with the old contents until the
// new ones are ready.
func (x *Sized) Load(ctx context.Context, data []byte, entry func(id int64) (retrieve.Entry, bool)) error {
	x.changing.Lock()
	defer x.changing.Unlock()
	err := x.large.Load(ctx, data, entry)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.grown = x.large.Len() > 0
	return errors.Join(err, x.small.Delete(ctx, ids(x.small.Entries())))
}

// Nearest implements retrieve.Nearest.
func (x *Sized) Nearest(ctx context.Context, vector []float32, k int, filter retrieve.Filter) ([]retrieve.Hit, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.current().Nearest(ctx, vector, k, filter)
}
