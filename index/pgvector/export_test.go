package pgvector

import (
	"context"

	"github.com/jackc/pgx/v5"

	"docent/rag/retrieve"
)

// Refused is refused.
var Refused = refused

// SetVersion makes the index use the features of another version.
func (x *Index) SetVersion(s string) { x.version = parseVersion(s) }

// BuildHNSW is buildHNSW.
func (x *Index) BuildHNSW(ctx context.Context) error { return x.buildHNSW(ctx) }

// Approximate searches the HNSW index alone.
func (x *Index) Approximate(ctx context.Context, vector []float32, k int, filter retrieve.Filter) ([]retrieve.Hit, error) {
	return x.approximate(ctx, search{format(unit(vector)), append([]string{}, filter.Collections...), k})
}

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
	return x.write(ctx, ids, kept)
}

// Delete implements indextest.Writer.
func (x *Index) Delete(ctx context.Context, ids []int64) error { return x.write(ctx, ids, nil) }

func (x *Index) write(ctx context.Context, gone []int64, entries []retrieve.Entry) error {
	return pgx.BeginFunc(ctx, x.cfg.Pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT FROM pgvector_index FOR UPDATE`); err != nil {
			return err
		}
		return x.replace(ctx, tx, "chunk_id", gone, entries)
	})
}
