package weaviate

import (
	"context"
	"net/http"

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
	for _, id := range ids {
		err := x.client.call(ctx, writeTimeout, http.MethodDelete, "/v1/objects/"+x.cfg.Class+"/"+idOf(id)+consistency, nil, nil)
		if err != nil && !isStatus(err, http.StatusNotFound) {
			return err
		}
	}
	return nil
}

// Index returns the index of the encoder.
func (e *Encoder) Index() *Index { return e.index }
