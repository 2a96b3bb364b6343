package pgfollow

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"docent/internal/fault"
	"docent/rag/corpus"
)

// lock is the advisory lock of processes that create tables or indexes.
const lock = 7240171

// Config describes the tables of an index. All fields are required, except Columns.
type Config struct {
	// Pool has the connections to the database.
	Pool *pgxpool.Pool
	// Fail adds the operation to an error of the database and gives it its kind.
	Fail func(operation string, err error) error
	// Corpus is the corpus of the same database.
	Corpus corpus.Corpus
	// Embedder is the name of the model whose vectors the changes of the corpus have.
	Embedder string
	// State is the name of the table with the state.
	State string
	// Columns are further columns of State, as in CREATE TABLE, each with a default.
	Columns string
	// Format is the version of the tables and of the rows in them. Tables of another
	// version are built again.
	Format string
	// Name names the index in messages.
	Name string
	// Log receives messages about progress.
	Log *slog.Logger
}

// Index is an index in tables.
type Index interface {
	// Create creates the tables again, without rows. State keeps its row.
	Create(ctx context.Context, tx pgx.Tx) error
	// Clear removes all rows, and resets Config.Columns.
	Clear(ctx context.Context, tx pgx.Tx) error
	// Step begins a step of Refresh.
	Step() Step
}

// Step applies the changes of one transaction.
type Step interface {
	// Apply applies some of the changes. A document occurs once in a step.
	Apply(ctx context.Context, tx pgx.Tx, changes []corpus.Change) error
	// End follows the last Apply.
	End(ctx context.Context, tx pgx.Tx) error
}

// Follower keeps the tables of an Index up to date. It is safe for concurrent use.
type Follower struct {
	cfg   Config
	index Index

	refreshing sync.Mutex // held by Refresh, so that an index uses one connection to write
	filled     atomic.Bool
}

// New makes a Follower. Call Open first.
func New(cfg Config, index Index) *Follower { return &Follower{cfg: cfg, index: index} }

// LockTables makes processes that create tables or indexes take turns, until the
// transaction ends.
func LockTables(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, lock)
	return err
}

// Open creates missing tables, and builds those of another model or version again. In
// the same transaction, it first calls fits, which reports whether the index can use the
// tables as they are.
func (f *Follower) Open(ctx context.Context, fits func(ctx context.Context, tx pgx.Tx) (bool, error)) error {
	return f.cfg.Fail("open the "+f.cfg.Name, pgx.BeginFunc(ctx, f.cfg.Pool, func(tx pgx.Tx) error {
		if err := LockTables(ctx, tx); err != nil {
			return err
		}
		usable, err := fits(ctx, tx)
		if err != nil {
			return err
		}
		columns := f.cfg.Columns
		if columns != "" {
			columns = ", " + columns
		}
		var embedder, format string
		for _, query := range []string{
			`CREATE TABLE IF NOT EXISTS ` + f.cfg.State + ` (one boolean PRIMARY KEY DEFAULT true CHECK (one), database_id text NOT NULL,
				embedder text NOT NULL, format text NOT NULL, revision bigint NOT NULL DEFAULT 0` + columns + `)`,
			`INSERT INTO ` + f.cfg.State + ` (database_id, embedder, format) VALUES ('', '', '') ON CONFLICT DO NOTHING`,
		} {
			if _, err := tx.Exec(ctx, query); err != nil {
				return err
			}
		}
		if err := tx.QueryRow(ctx, `SELECT embedder, format FROM `+f.cfg.State+` FOR UPDATE`).Scan(&embedder, &format); err != nil {
			return err
		}
		if usable && embedder == f.cfg.Embedder && f.sameFormat(format) {
			return nil
		}
		if format != "" {
			f.cfg.Log.Info("the "+f.cfg.Name+" is of another model or version: building it again", "model", embedder)
		}
		if err := f.index.Create(ctx, tx); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE `+f.cfg.State+` SET database_id = '', embedder = $1, format = $2, revision = 0`,
			f.cfg.Embedder, f.cfg.Format)
		if err != nil {
			return err
		}
		return f.index.Clear(ctx, tx)
	}))
}

// sameFormat reports whether a stored format is that of the tables. Earlier versions of
// docent stored the format, a space, and the name of a model.
func (f *Follower) sameFormat(stored string) bool {
	return stored == f.cfg.Format || strings.HasPrefix(stored, f.cfg.Format+" ")
}

// Lock locks the state until the transaction ends, and returns the revision of the
// tables and that of the corpus. If the tables are of another database or of a later
// revision, it clears them. While the state is locked, no other process writes.
func (f *Follower) Lock(ctx context.Context, tx pgx.Tx) (have, of int64, err error) {
	var database, embedder, format string
	err = tx.QueryRow(ctx, `SELECT database_id, embedder, format, revision FROM `+f.cfg.State+` FOR UPDATE`).
		Scan(&database, &embedder, &format, &have)
	switch {
	case err != nil:
		return 0, 0, err
	case embedder != f.cfg.Embedder:
		return 0, 0, OtherModel(embedder)
	case !f.sameFormat(format):
		return 0, 0, fault.New(fault.Conflict, "pgfollow_other_version",
			"another version of docent has built the %s again; run all processes with the same version", f.cfg.Name)
	}
	now, err := f.cfg.Corpus.Revision(ctx)
	if err != nil {
		return 0, 0, fmt.Errorf("revision: %w", err)
	}
	if database == now.Database && have <= now.Number {
		return have, now.Number, nil
	}
	if database != "" { // otherwise, the tables are empty, and searches need not wait for this transaction
		f.cfg.Log.Warn("the corpus is another one than before: building the " + f.cfg.Name + " again")
		if err := f.index.Clear(ctx, tx); err != nil {
			return 0, 0, err
		}
	}
	_, err = tx.Exec(ctx, `UPDATE `+f.cfg.State+` SET database_id = $1, revision = 0`, now.Database)
	return 0, now.Number, err
}

// OtherModel is the error of an index that another process has built for a model.
func OtherModel(embedder string) error {
	return fault.New(fault.Conflict, "pgvector_other_model",
		"another process uses the index in PostgreSQL with the embedding model %s; run all processes with the same model", embedder)
}
