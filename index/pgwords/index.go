package pgwords

import (
	"context"
	"fmt"
	"log/slog"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"docent/embed"
	"docent/index/pgfollow"
	"docent/internal/fault"
	"docent/rag/corpus"
	"docent/rag/retrieve"
)

// defaultMost is the default of Config.Most.
const defaultMost = 30_000

// Config describes an index.
type Config struct {
	// Pool has the connections to the database. Required.
	Pool *pgxpool.Pool
	// Fail adds the operation to an error of the database and gives it its kind.
	// Required.
	Fail func(operation string, err error) error
	// Corpus is the corpus of the same database. Required.
	Corpus corpus.Corpus
	// Embedder is the name of the model whose vectors the second stage uses. Required.
	Embedder string
	// Dimensions is the length of its vectors. Required.
	Dimensions int
	// Static tokenizes passages for the second stage. Required.
	Static *embed.Static
	// Most is the approximate number of passages that a search compares at most.
	// Default: 30,000.
	Most int
	// Log receives messages about progress. Default: nil, which discards them.
	Log *slog.Logger
}

// Index is a keyword index in PostgreSQL. It also supplies the data of the second
// stage, so that a process does not keep them in memory. It is safe for concurrent use.
type Index struct {
	cfg      Config
	follower *pgfollow.Follower
}

var (
	_ retrieve.Words    = (*Index)(nil)
	_ retrieve.Features = (*Index)(nil)
)

// Open creates missing tables. It empties the tables if they have data of another
// model. Call Refresh to fill them.
func Open(ctx context.Context, cfg Config) (*Index, error) {
	for name, missing := range map[string]bool{
		"Pool": cfg.Pool == nil, "Fail": cfg.Fail == nil, "Corpus": cfg.Corpus == nil, "Embedder": cfg.Embedder == "",
		"Dimensions": cfg.Dimensions < 1, "Static": cfg.Static == nil,
	} {
		if missing {
			return nil, fault.New(fault.Invalid, "config_pgwords_incomplete", "pgwords: Config.%s is missing", name)
		}
	}
	if cfg.Most <= 0 {
		cfg.Most = defaultMost
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	x := &Index{cfg: cfg}
	x.follower = pgfollow.New(pgfollow.Config{
		Pool: cfg.Pool, Fail: cfg.Fail, Corpus: cfg.Corpus, Embedder: cfg.Embedder, State: "pgwords_index",
		Columns: `chunks bigint NOT NULL DEFAULT 0, tokens bigint NOT NULL DEFAULT 0, created timestamptz NOT NULL DEFAULT now()`,
		Format:  fmt.Sprintf("%d %d %s", layout, cfg.Dimensions, cfg.Static.Name()), Name: "keyword index in PostgreSQL", Log: cfg.Log,
	}, tables{x})
	if err := x.follower.Open(ctx, complete); err != nil {
		return nil, err
	}
	return x, cfg.Fail("drop tables of an earlier version", x.dropEarlier(ctx))
}

// Refresh applies all changes of the corpus to the index. If another process does so,
// it waits.
func (x *Index) Refresh(ctx context.Context) error { return x.follower.Refresh(ctx) }

// Follow refreshes the index at once and after each change of the corpus until ctx ends,
// which is not an error.
func (x *Index) Follow(ctx context.Context) error { return x.follower.Follow(ctx, x.Refresh) }

// Filled fails with fault.Unavailable until Follow has refreshed the index once.
func (x *Index) Filled(ctx context.Context) error { return x.follower.Filled(ctx) }

// Chunks applies all changes of the corpus, and counts the chunks of documents in some
// languages.
func (x *Index) Chunks(ctx context.Context, languages corpus.Languages) (count int, err error) {
	if err := x.Refresh(ctx); err != nil {
		return 0, err
	}
	err = x.cfg.Pool.QueryRow(ctx, `SELECT coalesce(sum(chunks), 0)::bigint FROM pgwords_language WHERE (language = ANY ($1)) <> $2`,
		append([]string{}, languages.Listed...), languages.Except).Scan(&count)
	return count, x.cfg.Fail("count chunks", err)
}

// layout is the version of the tables and of the rows in them. docent builds tables
// of another version again.
const layout = 2

// tables implements pgfollow.Index.
type tables struct{ *Index }

// derived are the derived tables.
const derived = `pgwords_row, pgwords_document, pgwords_token, pgwords_chunk, pgwords_text, pgwords_term, pgwords_language`

// complete reports whether the tables exist.
func complete(ctx context.Context, tx pgx.Tx) (ok bool, err error) {
	err = tx.QueryRow(ctx, `SELECT bool_and(to_regclass(name) IS NOT NULL) FROM unnest(string_to_array($1, ',')) AS name`, derived).Scan(&ok)
	return ok, err
}

// Create implements pgfollow.Index.
func (t tables) Create(ctx context.Context, tx pgx.Tx) error {
	for _, query := range slices.Concat([]string{`DROP TABLE IF EXISTS ` + derived}, rowTables, wordTables) {
		if _, err := tx.Exec(ctx, query); err != nil {
			return err
		}
	}
	return nil
}

// Clear implements pgfollow.Index.
func (t tables) Clear(ctx context.Context, tx pgx.Tx) error {
	if _, err := tx.Exec(ctx, `TRUNCATE `+derived+` RESTART IDENTITY`); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `UPDATE pgwords_index SET chunks = 0, tokens = 0`)
	return err
}

// Step implements pgfollow.Index.
func (t tables) Step() pgfollow.Step {
	return &step{t.Index, &counts{byToken: map[int32]int64{}, words: newWordCounts()}}
}

// step implements pgfollow.Step.
type step struct {
	*Index
	count *counts
}

// plan makes statements look up rows by their keys until the transaction ends. The tables
// grow in the transaction, and without statistics the planner would read them as a whole.
// It also turns off JIT, which takes longer than these statements.
const plan = `SELECT set_config('jit', 'off', true), set_config('enable_seqscan', 'off', true),
	set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)`

// Apply implements pgfollow.Step.
func (s *step) Apply(ctx context.Context, tx pgx.Tx, changes []corpus.Change) error {
	if _, err := tx.Exec(ctx, plan); err != nil {
		return err
	}
	documents := make([]int64, len(changes))
	var entries []retrieve.Entry
	for i := range changes {
		documents[i] = changes[i].Document.ID
		entries = append(entries, entriesOf(&changes[i])...)
	}
	if err := s.replaceWords(ctx, tx, documents, entries, s.count.words); err != nil {
		return err
	}
	return s.replaceRows(ctx, tx, changes, s.count)
}

// End implements pgfollow.Step.
func (s *step) End(ctx context.Context, tx pgx.Tx) error { return s.count.write(ctx, tx) }

// dropEarlier drops the tables of versions in which index/pgvector had the words. During
// an upgrade, servers of such a version still search them. So it waits for a start on a
// later day.
func (x *Index) dropEarlier(ctx context.Context) error {
	var drop bool
	if err := x.cfg.Pool.QueryRow(ctx, `SELECT to_regclass('pgvector_words') IS NOT NULL AND created < now() - interval '1 day'
		FROM pgwords_index`).Scan(&drop); err != nil || !drop {
		return err
	}
	return pgx.BeginFunc(ctx, x.cfg.Pool, func(tx pgx.Tx) error {
		if err := pgfollow.LockTables(ctx, tx); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `DROP TABLE IF EXISTS pgvector_row, pgvector_document, pgvector_token, pgvector_words,
			pgvector_document_words, pgvector_term, pgvector_language`)
		return err
	})
}
