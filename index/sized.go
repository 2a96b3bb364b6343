package index

import (
	"context"
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

	mu    sync.RWMutex // guards the following field and changes
	grown bool         // all vectors are in large
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
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.grown || x.small.Len()+len(entries) <= x.limit {
		return x.current().Put(ctx, entries)
	}
	// Replaced chunks count twice here. At worst, the vectors move a little early.
	old := x.small.Entries()
	if err := x.large.Put(ctx, append(old[:len(old):len(old)], entries...)); err != nil {
		return fmt.Errorf("vector index: move to the index for many vectors: %w", err)
	}
	x.grown = true
	return x.small.Delete(ctx, ids(old))
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

// Load implements retrieve.VectorSaver.
func (x *Sized) Load(ctx context.Context, data []byte, entry func(id int64) (retrieve.Entry, bool)) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.small.Delete(ctx, ids(x.small.Entries())); err != nil {
		return err
	}
	err := x.large.Load(ctx, data, entry)
	x.grown = x.large.Len() > 0
	return err
}

// Nearest implements retrieve.Nearest.
func (x *Sized) Nearest(ctx context.Context, vector []float32, k int, filter retrieve.Filter) ([]retrieve.Hit, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.current().Nearest(ctx, vector, k, filter)
}
