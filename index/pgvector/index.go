package pgvector

import (
	"context"
	"log/slog"
	"strconv"

	"github.com/jackc/pgx/v5/pgxpool"

	"docent/index/pgfollow"
	"docent/internal/fault"
	"docent/rag/corpus"
	"docent/rag/retrieve"
)

const (
	// defaultExact is the default of Config.Exact.
	defaultExact = 10_000
	// maxEF is the greatest hnsw.ef_search, and so the number of hits of an HNSW
	// index before it continues.
	maxEF = 1000
	// maxDimensions is the greatest length of a vector in a table.
	maxDimensions = 16_000
)

// Config describes an index.
type Config struct {
	// Pool has the connections to the database. Required.
	Pool *pgxpool.Pool
	// Fail adds the operation to an error of the database and gives it its kind.
	// Required.
	Fail func(operation string, err error) error
	// Corpus is the corpus of the same database. Required.
	Corpus corpus.Corpus
	// Embedder is the name of the model whose vectors are indexed. Required.
	Embedder string
	// Dimensions is the length of its vectors. Required.
	Dimensions int
	// Exact is the number of passages up to which a search compares all vectors.
	// With more, the HNSW index exists. Default: 10,000.
	Exact int
	// CheckOnly makes Open only check the extension, without a change. Default: false.
	CheckOnly bool
	// Log receives messages about progress and unusable vectors. Default: nil,
	// which discards them.
	Log *slog.Logger
}

// Index is a vector index in PostgreSQL. It is safe for concurrent use.
type Index struct {
	cfg      Config
	version  version
	follower *pgfollow.Follower
}

var _ retrieve.Nearest = (*Index)(nil)

// Open creates the extension and the tables if they are missing. It empties the
// tables if they hold vectors of another model or length. Call Refresh to fill
// them.
func Open(ctx context.Context, cfg Config) (*Index, error) {
	for name, missing := range map[string]bool{
		"Pool": cfg.Pool == nil, "Fail": cfg.Fail == nil, "Corpus": cfg.Corpus == nil, "Embedder": cfg.Embedder == "",
	} {
		if missing {
			return nil, fault.New(fault.Invalid, "config_pgvector_incomplete", "pgvector: Config.%s is missing", name)
		}
	}
	if err := checkDimensions(cfg.Dimensions); err != nil {
		return nil, err
	}
	if cfg.Exact <= 0 {
		cfg.Exact = defaultExact
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	x := &Index{cfg: cfg}
	x.follower = pgfollow.New(pgfollow.Config{
		Pool: cfg.Pool, Fail: cfg.Fail, Corpus: cfg.Corpus, Embedder: cfg.Embedder, State: "pgvector_index",
		Columns: columns, Format: strconv.Itoa(layout), Name: "vector index in PostgreSQL", Log: cfg.Log,
	}, tables{x})
	if cfg.CheckOnly {
		return x, cfg.Fail("check the extension pgvector", x.checkExtension(ctx))
	}
	return x, x.follower.Open(ctx, x.fits)
}

// Refresh applies all changes of the corpus to the index, and builds the HNSW index if
// searches need it. If another process refreshes the index, it waits.
func (x *Index) Refresh(ctx context.Context) error {
	if err := x.follower.Refresh(ctx); err != nil {
		return err
	}
	return x.cfg.Fail("build the HNSW index in PostgreSQL", x.follower.Exclusive(func() error { return x.entries().buildHNSW(ctx) }))
}

// Follow refreshes the index at once and after each change of the corpus until ctx ends,
// which is not an error.
func (x *Index) Follow(ctx context.Context) error { return x.follower.Follow(ctx, x.Refresh) }

// Filled fails with fault.Unavailable until Follow has refreshed the index once.
func (x *Index) Filled(ctx context.Context) error { return x.follower.Filled(ctx) }

// checkDimensions checks the length of vectors.
func checkDimensions(n int) error {
	if n < 1 || n > maxDimensions {
		return fault.New(fault.Invalid, "config_pgvector_dimensions",
			"pgvector: vectors of %d dimensions; use a model with 1 to %d dimensions", n, maxDimensions)
	}
	return nil
}
