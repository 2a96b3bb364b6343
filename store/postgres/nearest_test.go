package postgres_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"docent/internal/fault"
	"docent/internal/pgtest"
	"docent/rag/retrieve"
	"docent/rag/retrieve/indextest"
)

// sqlNearest is a retrieve.Nearest that keeps its vectors in a table and compares
// all of them. It shows that an engine with data of its own can pass the suite.
type sqlNearest struct{ pool *pgxpool.Pool }

func newSQLNearest(t *testing.T) *sqlNearest {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), pgtest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	if _, err := pool.Exec(t.Context(), `CREATE TABLE nearest
		(chunk_id bigint PRIMARY KEY, collection text, source text COLLATE "C", ordinal integer, vector float8[])`); err != nil {
		t.Fatal(err)
	}
	return &sqlNearest{pool}
}

// Nearest implements retrieve.Nearest.
func (x *sqlNearest) Nearest(ctx context.Context, vector []float32, k int, filter retrieve.Filter) ([]retrieve.Hit, error) {
	query := unit(vector)
	if query == nil || k < 1 {
		return nil, ctx.Err()
	}
	rows, err := x.pool.Query(ctx, `SELECT chunk_id, cardinality(vector),
			(SELECT sum(a * b) FROM unnest(vector, $1::float8[]) AS pair (a, b)) AS score
		FROM nearest WHERE cardinality($2::text[]) = 0 OR collection = ANY ($2)
		ORDER BY score DESC, source, ordinal, chunk_id LIMIT $3`, query, append([]string{}, filter.Collections...), k)
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	hits, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (retrieve.Hit, error) {
		var h retrieve.Hit
		var dimensions int
		err := row.Scan(&h.ID, &dimensions, &h.Score)
		if err == nil && dimensions != len(query) {
			err = fault.New(fault.Invalid, "test_dimensions", "a query of %d dimensions, the index has %d", len(query), dimensions)
		}
		return h, err
	})
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	return hits, nil
}

// Put implements indextest.Writer.
func (x *sqlNearest) Put(ctx context.Context, entries []retrieve.Entry) error {
	return pgx.BeginFunc(ctx, x.pool, func(tx pgx.Tx) error {
		var batch pgx.Batch
		for _, e := range entries {
			batch.Queue(`DELETE FROM nearest WHERE chunk_id = $1`, e.ID)
			if vector := unit(e.Vector); vector != nil {
				batch.Queue(`INSERT INTO nearest VALUES ($1, $2, $3, $4, $5)`, e.ID, e.Collection, e.Source, e.Ordinal, vector)
			}
		}
		return tx.SendBatch(ctx, &batch).Close()
	})
}

// Delete implements indextest.Writer.
func (x *sqlNearest) Delete(ctx context.Context, ids []int64) error {
	_, err := x.pool.Exec(ctx, `DELETE FROM nearest WHERE chunk_id = ANY ($1)`, ids)
	return err
}

// unit returns a vector at length 1, or nil if it is zero or not finite.
func unit(v []float32) []float64 {
	sum := 0.0
	for _, f := range v {
		sum += float64(f) * float64(f)
	}
	if sum == 0 || math.IsNaN(sum) || math.IsInf(sum, 0) {
		return nil
	}
	out := make([]float64, len(v))
	for i, f := range v {
		out[i] = float64(f) / math.Sqrt(sum)
	}
	return out
}

func TestNearest(t *testing.T) {
	t.Parallel()
	indextest.RunNearest(t, func(t *testing.T) (retrieve.Nearest, indextest.Writer) {
		x := newSQLNearest(t)
		return x, x
	})
}
