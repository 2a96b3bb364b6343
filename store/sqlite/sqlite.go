// Package sqlite stores docent's data in one SQLite file. One connection writes
// and several read. Readers never wait, because the database uses a write-ahead
// log. Several processes may open the file, and Watch notices the commits of
// other processes. When a method returns, its commit is on the disk. The file
// must not be on a network file system.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"docent/rag/corpus"

	_ "modernc.org/sqlite" // registers the driver "sqlite"

	"docent/agent/session/journal"
	"docent/internal/fault"
	"docent/migrations"
	"docent/store"
	records "docent/store/sql"
)

// Defaults and limits.
const (
	// DefaultBusyTimeout is the default of Config.BusyTimeout.
	DefaultBusyTimeout = 10 * time.Second
	// DefaultPoll is the interval at which Watch looks for changes.
	DefaultPoll = 50 * time.Millisecond
	// minReaders is the minimum number of reading connections. One of them may
	// stream changes for a long time.
	minReaders = 4
	// walLimit is the size to which SQLite truncates the write-ahead log, in
	// bytes.
	walLimit = 64 << 20
	// cacheKiB bounds the page cache of the writer.
	cacheKiB = 16 << 10
)

// Config configures Open.
type Config struct {
	// Path is the database file. Open creates a missing file. Required.
	Path string
	// CheckOnly makes Open fail if the schema is not current, instead of
	// migrating it. Default: false.
	CheckOnly bool
	// BusyTimeout is the time that a write waits for a write of another process.
	// The write then fails with fault.Busy. Default: DefaultBusyTimeout.
	BusyTimeout time.Duration
	// Poll is the interval at which Watch looks for changes, at most a second.
	// Default: DefaultPoll.
	Poll time.Duration
	// Now returns the time for stored data. Default: time.Now.
	Now func() time.Time
	// Dropped receives the number of messages about documents that the store left out
	// because too many wait for a webhook. Default: none.
	Dropped func(ctx context.Context, messages int)
}

func (c Config) withDefaults() (Config, error) {
	if c.Path == "" {
		return c, fault.New(fault.Invalid, "config_sqlite_path", "sqlite: Config.Path is empty")
	}
	if c.BusyTimeout < 0 || c.Poll < 0 || c.Poll > time.Second {
		return c, fault.New(fault.Invalid,
			"config_sqlite_times", "sqlite: Config.BusyTimeout and Config.Poll must be positive, and Poll at most 1s")
	}
	if c.BusyTimeout == 0 {
		c.BusyTimeout = DefaultBusyTimeout
	}
	if c.Dropped == nil {
		c.Dropped = func(context.Context, int) {}
	}
	if c.Poll == 0 {
		c.Poll = DefaultPoll
	}
	if c.Now == nil {
		c.Now = time.Now
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
	tables
	records.Store
}

// database holds the connections, which all parts of a Store share.
type database struct {
	config   Config
	writer   *writer
	reader   *sql.DB
	watchers store.Watchers
}

// documents stores documents with their chunks, vectors and original files.
type documents struct{ *database }

// enrichments stores searchable text that a chat model wrote about chunks.
type (
	enrichments struct{ *database }
	// encodings stores the vectors of encoders.
	encodings struct{ *database }
)

// sessions stores conversations.
type sessions struct{ *database }

// tables reads and fills whole tables, for backups.
type tables struct{ *database }

var (
	_ corpus.Corpus     = (*Store)(nil)
	_ corpus.Library    = (*Store)(nil)
	_ corpus.Encodings  = (*Store)(nil)
	_ journal.Store     = (*Store)(nil)
	_ journal.Directory = (*Store)(nil)
)

// Open opens the file and migrates its schema. It creates a missing file and
// folder.
func Open(ctx context.Context, config Config) (*Store, error) {
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := create(config.Path); err != nil {
		return nil, fault.Wrap(fault.Unavailable, err, "database_file_not_opened", "the database file cannot be opened")
	}
	db := &database{config: config}
	s := &Store{
		database: db, documents: documents{db}, enrichments: enrichments{db}, encodings: encodings{db},
		sessions: sessions{db},
		tables:   tables{db}, Store: records.New(recordDatabase{db}),
	}
	if err := s.connect(ctx); err != nil {
		return nil, fail("open database "+config.Path, errors.Join(err, s.Close()))
	}
	return s, nil
}

// create creates a missing file. Only the owner can read it, because it holds
// documents.
func create(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

func (s *database) connect(ctx context.Context) error {
	path, err := filepath.Abs(s.config.Path)
	if err != nil {
		return err
	}
	db, err := open(path, 1, s.config.BusyTimeout,
		"_txlock=immediate", "_pragma=auto_vacuum(INCREMENTAL)", "_pragma=journal_mode(WAL)", "_pragma=synchronous(FULL)",
		"_pragma=foreign_keys(1)",
		"_pragma=journal_size_limit("+strconv.Itoa(walLimit)+")", "_pragma=cache_size(-"+strconv.Itoa(cacheKiB)+")")
	if err != nil {
		return err
	}
	if err := migrate(ctx, db, s.config.CheckOnly); err != nil {
		return errors.Join(err, db.Close())
	}
	if s.writer, err = newWriter(ctx, db, s.config.BusyTimeout); err != nil {
		return err
	}
	s.reader, err = open(path, max(minReaders, runtime.GOMAXPROCS(0)), s.config.BusyTimeout, "_pragma=query_only(1)")
	return err
}

func migrate(ctx context.Context, db *sql.DB, checkOnly bool) error {
	if !checkOnly {
		return migrations.Up(ctx, migrations.SQLite, db)
	}
	current, err := migrations.Current(ctx, migrations.SQLite, db)
	if err != nil {
		return err
	}
	return migrations.Check(migrations.SQLite, current)
}

// open prepares a connection pool. It connects on first use.
func open(path string, conns int, busy time.Duration, parameters ...string) (*sql.DB, error) {
	dsn := fileURL(filepath.ToSlash(path)) + "?_busy_timeout=" + strconv.FormatInt(busy.Milliseconds(), 10)
	for _, p := range parameters {
		dsn += "&" + p
	}
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	return db, nil
}

// fileURL returns the URL of an absolute path with slashes. SQLite expects a slash
// before the drive letter of Windows.
func fileURL(path string) string {
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// Close stops all watches and closes the file.
func (s *database) Close() error {
	s.watchers.Close()
	var failed []error
	if s.reader != nil {
		failed = append(failed, s.reader.Close())
	}
	if s.writer != nil { // last, because it writes the log into the file
		failed = append(failed, s.writer.close())
	}
	if err := errors.Join(failed...); err != nil {
		return fmt.Errorf("close database %s: %w", s.config.Path, err)
	}
	return nil
}

// Ping fails if the database cannot be read.
func (s *Store) Ping(ctx context.Context) error {
	_, err := s.Revision(ctx)
	return err
}

// SchemaVersion returns the schema's version and the latest version that the
// program knows.
func (s *database) SchemaVersion(ctx context.Context) (current, latest int64, err error) {
	current, err = migrations.Current(ctx, migrations.SQLite, s.reader)
	return current, migrations.Latest(migrations.SQLite), fail("schema version", err)
}

// Size returns the size of the database on the disk, in bytes, without its log.
func (s *database) Size(ctx context.Context) (bytes int64, err error) {
	err = s.reader.QueryRowContext(ctx, `SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()`).Scan(&bytes)
	return bytes, fail("size of the database", err)
}

// now returns the time for stored data, in Unix microseconds.
func (s *database) now() int64 { return s.config.Now().UnixMicro() }

// read runs f on a consistent snapshot.
func (s *database) read(ctx context.Context, f func(tx *sql.Tx) error) error {
	tx, err := s.reader.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // the transaction only reads
	return f(tx)
}
