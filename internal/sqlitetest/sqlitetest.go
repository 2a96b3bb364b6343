// Package sqlitetest gives each test its own SQLite database with docent's schema. The database is a
// copy of a file that the test process makes once, because the migrations take longer than most
// tests.
package sqlitetest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	_ "modernc.org/sqlite" // the driver

	"docent/migrations"
)

// empty is an empty database.
var empty struct {
	once    sync.Once
	content []byte
	err     error
}

// migrate returns the content of an empty database.
func migrate(ctx context.Context) ([]byte, error) {
	dir, err := os.MkdirTemp("", "docent-sqlitetest-*")
	if err != nil {
		return nil, fmt.Errorf("make a database: %w", err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "docent.db")
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		return nil, fmt.Errorf("make a database: %w", err)
	}
	if err := errors.Join(migrations.Up(ctx, migrations.SQLite, db), db.Close()); err != nil {
		return nil, fmt.Errorf("make a database: %w", err)
	}
	return os.ReadFile(path)
}

// Path returns the path of a new, empty database. It is in a folder that is removed when the test
// ends.
func Path(t testing.TB) string {
	t.Helper()
	empty.once.Do(func() { empty.content, empty.err = migrate(t.Context()) })
	if empty.err != nil {
		t.Fatal(empty.err)
	}
	path := filepath.Join(t.TempDir(), "docent.db")
	if err := os.WriteFile(path, empty.content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
