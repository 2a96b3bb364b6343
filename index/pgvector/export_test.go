package pgvector

import (
	"context"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"docent/index"
	"docent/rag/retrieve"
)

// Refused is refused.
var Refused = refused

// SetVersion makes the index use the features of another version.
func (x *Index) SetVersion(s string) { x.version = parseVersion(s) }

// BuildHNSW is buildHNSW.
func (x *Index) BuildHNSW(ctx context.Context) error { return x.entries().buildHNSW(ctx) }

// Approximate searches the HNSW index alone.
func (x *Index) Approximate(ctx context.Context, vector []float32, k int, filter retrieve.Filter) ([]retrieve.Hit, error) {
	return x.entries().approximate(ctx, newSearch(index.Unit(vector), k, filter))
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

// Writer writes to the table of an encoder. It implements indextest.Writer.
type Writer struct{ *Encoder }

// Put implements indextest.Writer.
func (w Writer) Put(ctx context.Context, entries []retrieve.Entry) error {
	last := map[int64]retrieve.Entry{}
	for _, e := range entries {
		last[e.ID] = e
	}
	return w.write(ctx, slices.Collect(maps.Keys(last)), slices.Collect(maps.Values(last)))
}

// Delete implements indextest.Writer.
func (w Writer) Delete(ctx context.Context, ids []int64) error { return w.write(ctx, ids, nil) }

func (w Writer) write(ctx context.Context, gone []int64, entries []retrieve.Entry) error {
	return pgx.BeginFunc(ctx, w.index.cfg.Pool, func(tx pgx.Tx) error {
		batch := &pgx.Batch{}
		batch.Queue(`SELECT FROM pgvector_index FOR UPDATE`)
		batch.Queue(`DELETE FROM pgvector_encoded WHERE encoder = $1 AND chunk_id = ANY ($2)`, w.id, gone)
		for _, e := range entries {
			if e.Vector == nil {
				continue
			}
			var text *string
			if !zero(e.Vector) {
				formatted := format(index.Unit(e.Vector))
				text = &formatted
			}
			batch.Queue(`INSERT INTO pgvector_encoded (encoder, chunk_id, document_id, collection, source, ordinal, vector)
				VALUES ($1, $2, $3, $4, $5, $6, $7::text::vector)`, w.id, e.ID, e.DocumentID, e.Collection, e.Source, e.Ordinal, text)
		}
		batch.Queue(`UPDATE pgvector_encoder SET vectors = (SELECT count(*) FROM pgvector_encoded WHERE encoder = $1) WHERE id = $1`, w.id)
		return tx.SendBatch(ctx, batch).Close()
	})
}

// Index is the index of the encoder.
func (e *Encoder) Index() *Index { return e.index }

// BuildHNSW is buildHNSW.
func (e *Encoder) BuildHNSW(ctx context.Context) error { return e.buildHNSW(ctx) }

// Approximate searches the HNSW index alone.
func (e *Encoder) Approximate(ctx context.Context, vector []float32, k int, filter retrieve.Filter) ([]retrieve.Hit, error) {
	return e.approximate(ctx, newSearch(index.Unit(vector), k, filter))
}
