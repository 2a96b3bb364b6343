package weaviate

import (
	"context"

	"docent/rag/retrieve"
)

// Create empties the index.
func (x *Index) Create(ctx context.Context) error { return x.create(ctx, "test") }

// Put implements indextest.Writer.
func (x *Index) Put(ctx context.Context, entries []retrieve.Entry) error {
	last := map[int64]int{}
	var ids []int64
	for i, e := range entries {
		last[e.ID] = i
		ids = append(ids, e.ID)
	}
	var kept []retrieve.Entry
	for i, e := range entries {
		if last[e.ID] == i {
			kept = append(kept, e)
		}
	}
	if err := x.put(ctx, kept, 1); err != nil {
		return err
	}
	var gone []int64
	for _, id := range ids {
		if e := entries[last[id]]; len(e.Vector) == 0 {
			gone = append(gone, id)
		}
	}
	return x.Delete(ctx, gone)
}

// Delete implements indextest.Writer.
func (x *Index) Delete(ctx context.Context, ids []int64) error {
	return x.delete(ctx, "chunk", ids, 2)
}

// Index returns the index of the encoder.
func (e *Encoder) Index() *Index { return e.index }
