// Package postgres stores docent's data in PostgreSQL 15 or later. Each write
// of a conversation's turn takes one round trip. Documents are inserted with
// COPY. NOTIFY announces changes of the corpus to all processes.
package postgres

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"docent/rag/corpus"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	"docent/agent/session/journal"
	"docent/internal/fault"
	"docent/migrations"
	"docent/store"
	records "docent/store/sql"
)

// Limits.
const (
	// connectTimeout bounds connecting, unless the URL has its own limit.
	connectTimeout = 10 * time.Second
	// closeTimeout bounds closing a connection.
	closeTimeout = time.Second
	// maxTries bounds the tries of a transaction that collides with others.
	maxTries = 10
	// backstop is the interval at which Watch reads the revision without a
	// notification.
	backstop = time.Second
)

// Config configures Open.
type Config struct {
	// URL locates the database, as a URL that libpq accepts:
	// postgres://USER:PASSWORD@HOST/NAME. Required.
	URL string
	// MaxConns bounds the connections. Each Watch uses one more. Default: the
	// URL's pool_max_conns, else the number of CPUs, but at least 4.
	MaxConns int32
	// CheckOnly makes Open fail if the schema is not current, instead of
	// migrating it. Default: false.
	CheckOnly bool
	// Now returns the time for stored data. Default: time.Now.
	Now func() time.Time
	// Logger receives errors that Watch cannot return. Default: none.
	Logger *slog.Logger
	// Dropped receives the number of messages about documents that the store left out
	// because too many wait for a webhook. Default: none.
	Dropped func(ctx context.Context, messages int)
	// tracer observes queries in tests.
	tracer pgx.QueryTracer
}

func (c Config) withDefaults() (Config, error) {
	if c.URL == "" {
		return c, fault.New(fault.Invalid, "config_postgres_url", "postgres: Config.URL is empty")
	}
	if c.MaxConns < 0 {
		return c, fault.New(fault.Invalid, "config_postgres_max_conns", "postgres: Config.MaxConns is %d", c.MaxConns)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Dropped == nil {
		c.Dropped = func(context.Context, int) {}
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c, nil
}

// Store is an open database. It has one part for each kind of record. It is safe
// for concurrent use.
type Store struct {
	*database
	documents
	enrichments
	encodings
	sessions
	replicas
	tables
	records.Store
}

// database holds the connections, which all parts of a Store share.
type database struct {
	config   Config
	pool     *pgxpool.Pool
	watchers store.Watchers
}

// The parts of a Store.
type (
	// documents stores documents with their chunks, vectors and original files.
	documents struct{ *database }
	// enrichments stores searchable text that a chat model wrote about chunks.
	enrichments struct{ *database }
	// encodings stores the vectors of encoders.
	encodings struct{ *database }
	// sessions stores conversations.
	sessions struct{ *database }
	// replicas keeps the leases of processes that share the database, and carries messages between
	// them.
	replicas struct{ *database }
	// tables reads and fills whole tables, for backups.
	tables struct{ *database }
)

var (
	_ corpus.Corpus     = (*Store)(nil)
	_ corpus.Library    = (*Store)(nil)
	_ corpus.Encodings  = (*Store)(nil)
	_ journal.Store     = (*Store)(nil)
	_ journal.Directory = (*Store)(nil)
)

// Open connects to the database and migrates it.
func Open(ctx context.Context, config Config) (*Store, error) {
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	options, err := pgxpool.ParseConfig(config.URL)
	if err != nil { // its text contains the URL without the password
		return nil, fault.Wrap(fault.Invalid, err, "database_url_invalid", "the database URL cannot be read")
	}
	if config.MaxConns > 0 {
		options.MaxConns = config.MaxConns
	}
	if options.ConnConfig.ConnectTimeout == 0 {
		options.ConnConfig.ConnectTimeout = connectTimeout
	}
	if options.ConnConfig.RuntimeParams["application_name"] == "" {
		options.ConnConfig.RuntimeParams["application_name"] = "docent"
	}
	options.ConnConfig.Tracer = config.tracer
	pool, err := pgxpool.NewWithConfig(ctx, options)
	if err != nil {
		return nil, fail("open database", err)
	}
	db := &database{config: config, pool: pool}
	s := &Store{
		database: db, documents: documents{db}, enrichments: enrichments{db}, encodings: encodings{db},
		sessions: sessions{db}, replicas: replicas{db},
		tables: tables{db}, Store: records.New(recordDatabase{db}),
	}
	if err := s.migrate(ctx); err != nil {
		pool.Close()
		return nil, fail("open database", err)
	}
	return s, nil
}

func (s *database) migrate(ctx context.Context) error {
	db := stdlib.OpenDBFromPool(s.pool)
	defer db.Close() //nolint:errcheck // it leaves the pool open
	if !s.config.CheckOnly {
		return migrations.Up(ctx, migrations.Postgres, db)
	}
	current, err := migrations.Current(ctx, migrations.Postgres, db)
	if err != nil {
		return err
	}
	return migrations.Check(migrations.Postgres, current)
}

// Close stops all watches and closes the connections. It waits for connections
// in use.
func (s *database) Close() error {
	s.watchers.Close()
	s.pool.Close()
	return nil
}

// Ping fails if the database does not answer.
func (s *Store) Ping(ctx context.Context) error {
	_, err := s.Revision(ctx)
	return err
}

// SchemaVersion returns the schema's version and the latest version that the
// program knows.
func (s *database) SchemaVersion(ctx context.Context) (current, latest int64, err error) {
	db := stdlib.OpenDBFromPool(s.pool)
	defer db.Close() //nolint:errcheck // it leaves the pool open
	current, err = migrations.Current(ctx, migrations.Postgres, db)
	return current, migrations.Latest(migrations.Postgres), fail("schema version", err)
}

// Size returns the size of the database on the disk, in bytes.
func (s *database) Size(ctx context.Context) (bytes int64, err error) {
	err = s.pool.QueryRow(ctx, `SELECT pg_database_size(current_database())`).Scan(&bytes)
	return bytes, fail("size of the database", err)
}

// write runs f in a transaction and retries collisions. It checks the fence of ctx.
func (s *database) write(ctx context.Context, f func(tx pgx.Tx) error) error {
	return again(ctx, func() error {
		return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
			if err := records.CheckFence(ctx, recordTx{tx}); err != nil {
				return err
			}
			return f(tx)
		})
	})
}

// again retries f while it collides with concurrent transactions.
func again(ctx context.Context, f func() error) error {
	for try := 1; ; try++ {
		err := f()
		if err == nil || try == maxTries || ctx.Err() != nil || !collides(err) {
			return err
		}
	}
}

// snapshot runs f on a consistent snapshot.
func (s *database) snapshot(ctx context.Context, f func(tx pgx.Tx) error) error {
	return pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, f)
}

// query collects the rows of a query.
func query[T any](ctx context.Context, s rowSource, scan pgx.RowToFunc[T], sql string, args ...any) ([]T, error) {
	rows, err := s.rows(ctx, sql, args...)
	if err != nil {
		return nil, fmt.Errorf("query: %w", err)
	}
	return pgx.CollectRows(rows, scan)
}

// rowSource is one of the parts of a Store.
type rowSource interface {
	rows(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

func (s *database) rows(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	return s.pool.Query(ctx, sql, args...)
}

// Connections returns the connections, which the Store closes, and the function that gives errors of the database a kind.
func (s *database) Connections() (*pgxpool.Pool, func(operation string, err error) error) {
	return s.pool, fail
}
