// Package migrations holds the schema of both databases as numbered SQL files
// and applies them. Each file is applied in one transaction. There are no
// downgrades, and a schema newer than the program is an error.
package migrations

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"docent/internal/fault"
)

//go:embed postgres/*.sql sqlite/*.sql
var files embed.FS

// Dialect is a kind of database. It names the folder of the dialect's files.
type Dialect string

// The dialects.
const (
	// Postgres is PostgreSQL 15 or later.
	Postgres Dialect = "postgres"
	// SQLite is SQLite 3.37 or later (STRICT tables).
	SQLite Dialect = "sqlite"
)

const (
	// lockSeconds is the interval at which a waiting process tries to get the
	// migration lock.
	lockSeconds = 1
	// lockTries bounds the number of tries. Another process may migrate for up
	// to five minutes.
	lockTries = 300
	// sqliteTries bounds how often Up starts over while another process
	// migrates the same file.
	sqliteTries = 20
	// sqlitePause is the time between two tries.
	sqlitePause = 50 * time.Millisecond
)

// migration is an embedded file.
type migration struct {
	version int64
	name    string
	sql     []byte
}

// list returns the dialect's files by version.
func list(d Dialect) ([]migration, error) {
	entries, err := fs.ReadDir(files, string(d))
	if err != nil {
		return nil, fmt.Errorf("migrations for %q: %w", d, err)
	}
	var out []migration
	for _, e := range entries { // sorted by name, and names begin with five digits
		number, _, _ := strings.Cut(e.Name(), "_")
		version, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("migration %s: the name has to begin with its number: %w", e.Name(), err)
		}
		text, err := fs.ReadFile(files, string(d)+"/"+e.Name())
		if err != nil {
			return nil, fmt.Errorf("migration %s: %w", e.Name(), err)
		}
		out = append(out, migration{version, e.Name(), text})
	}
	return out, nil
}

// Latest returns the newest version that the program knows; 0 for an unknown
// dialect.
func Latest(d Dialect) int64 {
	all, err := list(d)
	if err != nil || len(all) == 0 {
		return 0
	}
	return all[len(all)-1].version
}

// Hash returns 16 hex digits that identify the schema. They change with each of
// the dialect's files.
func Hash(d Dialect) (string, error) {
	all, err := list(d)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	for _, m := range all {
		fmt.Fprintf(h, "%s %d\n", m.name, len(m.sql))
		h.Write(m.sql)
	}
	return hex.EncodeToString(h.Sum(nil)[:8]), nil
}

// Current returns the version of the database's schema; 0 without a schema.
func Current(ctx context.Context, d Dialect, db *sql.DB) (int64, error) {
	exists := "SELECT count(*) FROM sqlite_schema WHERE name = '" + goose.DefaultTablename + "'"
	if d == Postgres {
		exists = "SELECT count(*) FROM pg_class WHERE oid = to_regclass('" + goose.DefaultTablename + "')"
	}
	var n, version int64
	if err := db.QueryRowContext(ctx, exists).Scan(&n); err != nil {
		return 0, fmt.Errorf("read schema version: %w", err)
	}
	if n == 0 {
		return 0, nil
	}
	err := db.QueryRowContext(ctx, "SELECT coalesce(max(version_id), 0) FROM "+goose.DefaultTablename).Scan(&version)
	if err != nil {
		return 0, fmt.Errorf("read schema version: %w", err)
	}
	return version, nil
}

// Check fails if the schema's version is not the program's. Up migrates an
// older schema.
func Check(d Dialect, current int64) error {
	switch latest := Latest(d); {
	case current > latest:
		return fault.New(fault.Conflict,
			"schema_too_new", "the database's schema is version %d and this docent knows versions up to %d: use a newer docent", current, latest)
	case current < latest:
		return fault.New(fault.Conflict,
			"schema_too_old", "the database's schema is version %d and this docent needs version %d: run docent migrate", current, latest)
	default:
		return nil
	}
}

// Up migrates the schema to the latest version. It does nothing if the schema
// is current, and fails with fault.Conflict if it is newer. Several processes
// may call Up at once.
func Up(ctx context.Context, d Dialect, db *sql.DB) error {
	for try := 1; ; try++ {
		current, err := Current(ctx, d, db)
		switch {
		case err == nil && current >= Latest(d):
			return Check(d, current)
		case err == nil:
			err = apply(ctx, d, db)
		}
		// SQLite has no advisory lock. If two processes migrate a file, or switch
		// a new one to WAL, at once, one of them fails. Each file is one
		// transaction, so a retry is safe.
		if err == nil || d != SQLite || try == sqliteTries {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(sqlitePause):
		}
	}
}

// apply runs goose.
func apply(ctx context.Context, d Dialect, db *sql.DB) error {
	dir, err := fs.Sub(files, string(d))
	if err != nil {
		return fmt.Errorf("migrate %s: %w", d, err)
	}
	dialect := goose.DialectSQLite3
	options := []goose.ProviderOption{goose.WithLogger(goose.NopLogger()), goose.WithDisableGlobalRegistry(true)}
	if d == Postgres {
		locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(lockSeconds, lockTries))
		if err != nil {
			return fmt.Errorf("migrate %s: %w", d, err)
		}
		dialect, options = goose.DialectPostgres, append(options, goose.WithSessionLocker(locker))
	}
	provider, err := goose.NewProvider(dialect, db, dir, options...)
	if err != nil {
		return fmt.Errorf("migrate %s: %w", d, err)
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrate %s: %w", d, err)
	}
	return nil
}
