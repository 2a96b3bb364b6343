// Package migrations holds the schema of both databases as numbered SQL files
// and applies them. They only go forward, each in one transaction; a schema
// newer than the program is refused, not guessed at.
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

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"docent/internal/fault"
)

//go:embed postgres/*.sql sqlite/*.sql
var files embed.FS

// Dialect is a database's kind, and the folder of its files.
type Dialect string

// The dialects.
const (
	// Postgres is PostgreSQL 15 or later.
	Postgres Dialect = "postgres"
	// SQLite is SQLite 3.37 or later (STRICT tables).
	SQLite Dialect = "sqlite"
)

const (
	// lockSeconds is how often a waiting process asks for the migration lock.
	lockSeconds = 1
	// lockTries bounds the wait for it: another process may be migrating for
	// as long as five minutes.
	lockTries = 300
	// sqliteTries bounds how often Up starts over when another process
	// migrates the same file: each try finds at least one more file applied.
	sqliteTries = 10
)

// migration is one embedded file.
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

// Latest is the newest version the program knows; 0 for an unknown dialect.
func Latest(d Dialect) int64 {
	all, err := list(d)
	if err != nil || len(all) == 0 {
		return 0
	}
	return all[len(all)-1].version
}

// Hash names the schema that all the dialect's files make together: 16 hex
// digits that change with any of them.
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

// Current is the version of the database's schema; 0 if it has none.
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

// Check says whether a program may work on a schema of version current: not on
// an older one, which Up would mend, nor on a newer one.
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

// Up brings the schema to the latest version. It does nothing, quickly, if it
// is there already, and fails with fault.Conflict if it is newer. Several
// processes may call it at once.
func Up(ctx context.Context, d Dialect, db *sql.DB) error {
	for try := 1; ; try++ {
		current, err := Current(ctx, d, db)
		if err != nil {
			return err
		}
		if current >= Latest(d) {
			return Check(d, current)
		}
		if err = apply(ctx, d, db); err == nil || ctx.Err() != nil {
			return err
		}
		// SQLite has no advisory lock: of two processes at once, one fails
		// where the other has been. Each file is one transaction, so looking
		// again is safe.
		if d != SQLite || try == sqliteTries {
			return err
		}
	}
}

// apply runs goose.
func apply(ctx context.Context, d Dialect, db *sql.DB) error {
	dir, err := fs.Sub(files, string(d))
	if err != nil {
		return fmt.Errorf("migrate %s: %w", d, err)
	}
	dialect, options := goose.DialectSQLite3, []goose.ProviderOption{goose.WithLogger(goose.NopLogger()), goose.WithDisableGlobalRegistry(true)}
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
