package pgvector

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"docent/index"
	"docent/index/pgfollow"
	"docent/internal/fault"
	"docent/rag/retrieve"
)

const (
	// overfetch multiplies the number of hits that a search takes from the HNSW
	// index. Its order is approximate, deleted entries stay in it for a while, and
	// equal scores need a second key.
	overfetch = 4
	// minFetch is the minimum of that number.
	minFetch = 600
)

// vectors is a table with the vectors of one model. Its columns are those of
// pgvector_entry.
type vectors struct {
	index *Index
	// table is the name of the table, and state selects its state: the columns
	// embedder and vectors.
	table, state string
	// model is the name of the model, and dimensions is the length of its vectors.
	model      string
	dimensions int
}

// search is one search.
type search struct {
	vector      string
	collections []string // empty means all
	documents   []int64  // empty means all
	k           int
}

// newSearch returns the search for the k vectors that are nearest to a query of length 1.
func newSearch(query []float32, k int, filter retrieve.Filter) search {
	return search{
		vector: format(query), k: k,
		collections: append([]string{}, filter.Collections...), documents: append([]int64{}, filter.Documents...),
	}
}

// Nearest implements retrieve.Nearest.
func (x *Index) Nearest(ctx context.Context, vector []float32, k int, filter retrieve.Filter) ([]retrieve.Hit, error) {
	return x.entries().nearest(ctx, vector, k, filter)
}

// entries are the vectors of the embedder.
func (x *Index) entries() vectors {
	return vectors{x, "pgvector_entry", "pgvector_index", x.cfg.Embedder, x.cfg.Dimensions}
}

// hnsw is the name of the HNSW index.
func (x vectors) hnsw() string { return x.table + "_hnsw" }

// nearest is Nearest.
func (x vectors) nearest(ctx context.Context, vector []float32, k int, filter retrieve.Filter) ([]retrieve.Hit, error) {
	query := index.Unit(vector)
	if query == nil || k < 1 {
		return nil, ctx.Err()
	}
	hits, err := x.find(ctx, len(vector), newSearch(query, k, filter))
	return hits, x.index.cfg.Fail("search the index in PostgreSQL", err)
}

func (x vectors) find(ctx context.Context, dimensions int, s search) ([]retrieve.Hit, error) {
	var embedder string
	var accepted int // counted up to Exact + 1
	var indexed bool
	err := x.index.cfg.Pool.QueryRow(ctx, `SELECT embedder, to_regclass('`+x.hnsw()+`') IS NOT NULL,
		CASE WHEN cardinality($1::text[]) = 0 AND cardinality($3::bigint[]) = 0 THEN vectors
			ELSE (SELECT count(*) FROM (SELECT FROM `+x.table+` WHERE (cardinality($1::text[]) = 0 OR collection = ANY ($1))
				AND (cardinality($3::bigint[]) = 0 OR document_id = ANY ($3)) LIMIT $2) accepted) END
		FROM `+x.state, s.collections, x.index.cfg.Exact+1, s.documents).Scan(&embedder, &indexed, &accepted)
	switch {
	case err != nil:
		return nil, err
	case embedder != x.model:
		return nil, pgfollow.OtherModel(embedder)
	case accepted == 0:
		return nil, nil
	case dimensions != x.dimensions:
		return nil, fault.New(fault.Invalid, "pgvector_query_dimensions",
			"a query of %d dimensions cannot be compared with vectors of %d", dimensions, x.dimensions)
	}
	if indexed && accepted > x.index.cfg.Exact && s.k <= maxEF {
		hits, err := x.approximate(ctx, s)
		if err != nil || len(hits) == s.k {
			return hits, err
		}
	}
	return x.exact(ctx, s)
}

// accepted is the condition of a filter. All queries have the same parameters: the
// vector, the collections, the documents, and one or two limits.
func (s search) accepted() string {
	collections, documents := `cardinality($2::text[]) = 0`, `cardinality($3::bigint[]) = 0`
	if len(s.collections) > 0 {
		collections = `collection = ANY ($2::text[])`
	}
	if len(s.documents) > 0 {
		documents = `document_id = ANY ($3::bigint[])`
	}
	return collections + ` AND ` + documents
}

// hits orders the candidates of a query.
const hits = ` SELECT chunk_id, 0 - distance FROM candidates ORDER BY distance, source, ordinal, chunk_id LIMIT $4`

// exact compares all accepted vectors. The candidates are materialized, so that
// PostgreSQL does not use the HNSW index for the order.
func (x vectors) exact(ctx context.Context, s search) ([]retrieve.Hit, error) {
	rows, err := x.index.cfg.Pool.Query(ctx, `WITH candidates AS MATERIALIZED (SELECT chunk_id, source, ordinal, vector <#> $1::vector AS distance
		FROM `+x.table+` WHERE vector IS NOT NULL AND `+s.accepted()+`)`+hits, s.vector, s.collections, s.documents, s.k)
	if err != nil {
		return nil, err
	}
	return collect(rows)
}

// approximate takes candidates from the HNSW index and compares them exactly. It
// may return too few hits if a filter accepts few of the candidates.
func (x vectors) approximate(ctx context.Context, s search) (found []retrieve.Hit, err error) {
	key, _ := x.key()
	query := `$1::vector`
	if x.index.version.half() {
		query = fmt.Sprintf(`$1::vector::halfvec(%d)`, x.dimensions)
	}
	fetch := min(max(overfetch*s.k, minFetch), maxEF)
	ef := fetch
	if len(s.collections) > 0 || len(s.documents) > 0 {
		ef = maxEF
	}
	// A batch is one transaction, and the settings end with it.
	var batch pgx.Batch
	batch.Queue(`SELECT set_config('jit', 'off', true), set_config('enable_seqscan', 'off', true), set_config('hnsw.ef_search', $1, true)`,
		fmt.Sprint(ef))
	if x.index.version.iterative() {
		batch.Queue(`SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true)`)
	}
	settings := batch.Len()
	batch.Queue(`WITH candidates AS MATERIALIZED (SELECT chunk_id, source, ordinal, vector <#> $1::vector AS distance
		FROM `+x.table+` WHERE `+s.accepted()+` ORDER BY `+key+` <#> `+query+` LIMIT $5)`+hits, s.vector, s.collections, s.documents, s.k, fetch)
	results := x.index.cfg.Pool.SendBatch(ctx, &batch)
	defer func() { err = errors.Join(err, results.Close()) }()
	for range settings {
		if _, err := results.Exec(); err != nil {
			return nil, err
		}
	}
	rows, err := results.Query()
	if err != nil {
		return nil, err
	}
	return collect(rows)
}

func collect(rows pgx.Rows) ([]retrieve.Hit, error) {
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (retrieve.Hit, error) {
		var h retrieve.Hit
		err := row.Scan(&h.ID, &h.Score)
		return h, err
	})
}
