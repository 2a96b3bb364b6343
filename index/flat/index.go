// Package flat is an exact vector index in memory that compares the query with
// every vector. It compares a copy of the vectors in int8 first, which is a
// quarter as large. Then it compares the vectors that can be among the best again
// in float32. Bounds on the error of int8 make sure that the hits are the same as
// without the copy.
package flat

import (
	"context"
	"sync"
	"sync/atomic"

	"docent/index"
	"docent/internal/cores"
	"docent/rag/retrieve"
)

// Config describes an index.
type Config struct {
	// Float32 leaves out the copy in int8. Searches take longer, and additions do
	// not. Use it for an index with few searches. Default: false.
	Float32 bool
	// Cores counts the work and the questions that also need cores. A search uses
	// the other cores. Default: nil, only the searches of the index count.
	Cores *cores.Pool
}

// Index is a vector index. It is safe for concurrent use; searches run in
// parallel.
type Index struct {
	cfg    Config
	kernel *kernel
	// searching counts the current searches.
	searching atomic.Int32

	mu      sync.RWMutex // guards the following fields
	vectors *index.Vectors
	codes   map[string]*matrix // by collection
}

var _ retrieve.VectorSaver = (*Index)(nil)

// New makes an empty index.
func New(cfg Config) *Index {
	return &Index{cfg: cfg, kernel: best, vectors: index.NewVectors(), codes: map[string]*matrix{}}
}

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
	fresh := make([]*index.Vector, 0, len(entries))
	for i := range entries {
		x.remove(entries[i].ID)
		v := x.vectors.Add(&entries[i])
		if v == nil || x.cfg.Float32 {
			continue
		}
		if x.codes[v.Collection] == nil {
			x.codes[v.Collection] = newMatrix(len(v.Values))
		}
		x.codes[v.Collection].grow()
		fresh = append(fresh, v)
	}
	x.fill(fresh)
	return nil
}

// Delete implements retrieve.Mirror.
func (x *Index) Delete(_ context.Context, ids []int64) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, id := range ids {
		x.remove(id)
	}
	return nil
}

func (x *Index) remove(id int64) {
	gone := x.vectors.Remove(id)
	if gone == nil || x.cfg.Float32 {
		return
	}
	codes := x.codes[gone.Collection]
	if codes.drop(gone.Place()); len(codes.blocks) == 0 {
		delete(x.codes, gone.Collection)
	}
}
