// Package postgres keeps docent's data in PostgreSQL 15 or later. What belongs
// to one turn of a conversation goes in one round trip; documents go in by COPY.
// Changes of the corpus are announced by NOTIFY, so that every process follows.
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
)

// Limits.
const (
	// connectTimeout bounds making a connection if the URL does not.
	connectTimeout = 10 * time.Second
	// closeTimeout bounds saying good-bye to the server.
	closeTimeout = time.Second
	// maxTries bounds how often a transaction is run that collides with others.
	maxTries = 10
	// backstop is how often Watch looks at the revision though nothing was
	// announced.
	backstop = time.Second
)

// Config says which database to open and how.
type Config struct {
	// URL is the database's, as libpq has it: postgres://USER:PASSWORD@HOST/NAME.
	// No default.
	URL string
	// MaxConns bounds the connections, but for one per Watch; default the
	// URL's pool_max_conns, else 4 or the number of CPUs, whichever is more.
	MaxConns int32
	// CheckOnly refuses a schema that is not the program's own instead of
	// migrating it; default false.
	CheckOnly bool
	// Now gives the time of what is stored; default time.Now.
	Now func() time.Time
	// Logger gets what Watch cannot return; default none.
	Logger *slog.Logger
	// tracer sees what goes over the wire; tests set it.
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
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c, nil
}

// Store is an open database. It is safe for concurrent use.
type Store struct {
	*database
	accounts
	sources
}

// database is what all parts of a Store share.
type database struct {
	config   Config
	pool     *pgxpool.Pool
	watchers store.Watchers
}

// accounts stores users and their tokens.
type accounts struct{ *database }

// sources stores the sources that documents are synchronized with.
type sources struct{ *database }

var (
	_ corpus.Corpus     = (*Store)(nil)
	_ corpus.Library    = (*Store)(nil)
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
	if err != nil { // its text has the URL, without the password
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
	s := &Store{database: db, accounts: accounts{db}, sources: sources{db}}
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

// Close ends what Watch started and closes the connections, waiting for those
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

// SchemaVersion returns the schema's version and the newest this program knows.
func (s *database) SchemaVersion(ctx context.Context) (current, latest int64, err error) {
	db := stdlib.OpenDBFromPool(s.pool)
	defer db.Close() //nolint:errcheck // it leaves the pool open
	current, err = migrations.Current(ctx, migrations.Postgres, db)
	return current, migrations.Latest(migrations.Postgres), fail("schema version", err)
}

// write runs f in a transaction, again if it collides with another.
func (s *database) write(ctx context.Context, f func(tx pgx.Tx) error) error {
	return again(ctx, func() error { return pgx.BeginFunc(ctx, s.pool, f) })
}

// again runs f until it does not collide with what others do at the same time.
func again(ctx context.Context, f func() error) error {
	for try := 1; ; try++ {
		err := f()
		if err == nil || try == maxTries || ctx.Err() != nil || !collides(err) {
			return err
		}
	}
}

// snapshot runs f on the state of one moment.
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

// rowSource is the Store or one of its parts.
type rowSource interface {
	rows(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

func (s *database) rows(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	return s.pool.Query(ctx, sql, args...)
}
