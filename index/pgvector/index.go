package pgvector

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"docent/embed"
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
	// Static tokenizes passages for the second stage. Required.
	Static *embed.Static
	// Exact is the number of passages up to which a search compares all vectors.
	// With more, the HNSW index exists. A search for words compares up to three
	// times as many. Default: 10,000.
	Exact int
	// Log receives messages about progress and unusable vectors. Default: nil,
	// which discards them.
	Log *slog.Logger
}

// Index is a vector index and a keyword index in PostgreSQL. It also supplies the data
// of the second stage, so that a process does not keep them in memory. It is safe for
// concurrent use.
type Index struct {
	cfg     Config
	version version

	refreshing sync.Mutex // held by Refresh, so that a process uses one connection to write
}

var _ retrieve.Nearest = (*Index)(nil)

// Open creates the extension and the tables if they are missing. It empties the
// tables if they hold vectors of another model or length. Call Refresh to fill
// them.
func Open(ctx context.Context, cfg Config) (*Index, error) {
	for name, missing := range map[string]bool{
		"Pool": cfg.Pool == nil, "Fail": cfg.Fail == nil, "Corpus": cfg.Corpus == nil, "Embedder": cfg.Embedder == "",
		"Static": cfg.Static == nil,
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
	if err := x.open(ctx); err != nil {
		return nil, cfg.Fail("open the index in PostgreSQL", err)
	}
	return x, nil
}

// checkDimensions checks the length of vectors.
func checkDimensions(n int) error {
	if n < 1 || n > maxDimensions {
		return fault.New(fault.Invalid, "config_pgvector_dimensions",
			"pgvector: vectors of %d dimensions; use a model with 1 to %d dimensions", n, maxDimensions)
	}
	return nil
}

const (
	// minPause is the pause of Follow after the first failure.
	minPause = 250 * time.Millisecond
	// maxPause is the longest pause of Follow.
	maxPause = 30 * time.Second
)

// Follow applies changes of the corpus until ctx ends, which is not an error.
// After a failure it retries at the next change, or after a pause. The pause
// grows with each failure.
func (x *Index) Follow(ctx context.Context) error {
	changed, err := x.cfg.Corpus.Watch(ctx)
	if err != nil {
		return fmt.Errorf("pgvector: watch the corpus: %w", err)
	}
	again := time.NewTimer(maxPause)
	again.Stop()
	defer again.Stop()
	for pause := minPause; ; {
		select {
		case <-again.C:
		case _, ok := <-changed:
			if !ok {
				return nil
			}
		}
		err := x.Refresh(ctx)
		switch {
		case err == nil:
			again.Stop()
			pause = minPause
		case ctx.Err() == nil:
			x.cfg.Log.Error("the index in PostgreSQL could not follow the documents", "error", err, "again_in", pause)
			again.Reset(pause)
			pause = min(2*pause, maxPause)
		}
	}
}
