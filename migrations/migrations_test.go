package migrations_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"

	"docent/internal/fault"
	"docent/internal/pgtest"
	"docent/migrations"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m).Run()) }

// database opens an empty or migrated database of a dialect. Each call of the
// returned function opens another handle.
func database(t *testing.T, d migrations.Dialect, migrated bool) func() *sql.DB {
	driver, dsn := "sqlite", "file:"+filepath.Join(t.TempDir(), "x.db")+"?_busy_timeout=10000&_journal_mode=WAL&_txlock=immediate"
	if d == migrations.Postgres {
		driver, dsn = "pgx", pgtest.URL(t)
	}
	open := func() *sql.DB {
		db, err := sql.Open(driver, dsn)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		db.SetMaxOpenConns(1)
		return db
	}
	switch {
	case d == migrations.Postgres && !migrated:
		exec(t, open(), "DROP SCHEMA public CASCADE", "CREATE SCHEMA public")
	case d == migrations.SQLite && migrated:
		if err := migrations.Up(t.Context(), d, open()); err != nil {
			t.Fatal(err)
		}
	}
	return open
}

func exec(t *testing.T, db *sql.DB, queries ...string) {
	t.Helper()
	for _, q := range queries {
		if _, err := db.ExecContext(t.Context(), q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
}

func each(t *testing.T, test func(t *testing.T, d migrations.Dialect)) {
	for _, d := range []migrations.Dialect{migrations.Postgres, migrations.SQLite} {
		t.Run(string(d), func(t *testing.T) {
			t.Parallel()
			test(t, d)
		})
	}
}

// TestUpAtOnce migrates an empty database from several processes at once.
func TestUpAtOnce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d migrations.Dialect) {
		open := database(t, d, false)
		var running sync.WaitGroup
		for range 4 {
			db := open()
			running.Go(func() {
				if err := migrations.Up(t.Context(), d, db); err != nil {
					t.Error(err)
				}
			})
		}
		running.Wait()
		db := open()
		current, err := migrations.Current(t.Context(), d, db)
		if err != nil || current != migrations.Latest(d) || current == 0 {
			t.Errorf("version %d, %v", current, err)
		}
		var rows int
		if err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM corpus").Scan(&rows); err != nil || rows != 1 {
			t.Errorf("%d corpora, %v", rows, err)
		}
	})
}

func TestVersions(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d migrations.Dialect) {
		empty := database(t, d, false)()
		current, err := migrations.Current(t.Context(), d, empty)
		if err != nil || current != 0 {
			t.Errorf("version %d, %v", current, err)
		}
		if err := migrations.Check(d, current); fault.KindOf(err) != fault.Conflict || !strings.Contains(err.Error(), "docent migrate") {
			t.Errorf("an old schema: %v", err)
		}
		db := database(t, d, true)()
		if err := migrations.Up(t.Context(), d, db); err != nil {
			t.Errorf("up to date: %v", err)
		}
		exec(t, db, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)")
		err = migrations.Up(t.Context(), d, db)
		if fault.KindOf(err) != fault.Conflict || !strings.Contains(fault.Message(err), "version 99999") || !strings.Contains(err.Error(), "newer docent") {
			t.Errorf("a new schema: %v", err)
		}
	})
}

// TestSameTables compares the two schemas and checks that they have the columns
// of BAF.
func TestSameTables(t *testing.T) {
	t.Parallel()
	columns := map[migrations.Dialect][]string{}
	for d, query := range map[migrations.Dialect]string{
		migrations.Postgres: "SELECT table_name || '.' || column_name FROM information_schema.columns WHERE table_schema = 'public'",
		migrations.SQLite:   "SELECT t.name || '.' || c.name FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite%'",
	} {
		rows, err := database(t, d, true)().QueryContext(t.Context(), query+" ORDER BY 1")
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var name string
			if err := rows.Scan(&name); err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(name, "goose_") {
				columns[d] = append(columns[d], name)
			}
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
	}
	there := map[string]int{}
	for _, names := range columns {
		for _, n := range names {
			there[n]++
		}
	}
	for name, n := range there {
		if n != 2 {
			t.Errorf("%s is in one schema only", name)
		}
	}
	for table, names := range map[string]string{
		"session":           "id agent_name session_id session_name username platform_name timestamp variables",
		"intent_prediction": "id session_id message timestamp intent_classifier intent score",
		"parameter":         "id intent_prediction_id name value info",
		"transition":        "id session_id source_state dest_state event condition timestamp",
		"chat":              "id session_id type content is_user timestamp",
		"event":             "id session_id event info timestamp",
		"reasoning_step":    "id session_id chat_id kind step_kind step summary payload timestamp",
	} {
		for name := range strings.FieldsSeq(names) {
			if there[table+"."+name] == 0 {
				t.Errorf("BAF's %s.%s is missing", table, name)
			}
		}
	}
}

func TestHash(t *testing.T) {
	t.Parallel()
	pg, err := migrations.Hash(migrations.Postgres)
	if err != nil || len(pg) != 16 {
		t.Errorf("hash %q, %v", pg, err)
	}
	if _, err := migrations.Hash("oracle"); err == nil || migrations.Latest("oracle") != 0 {
		t.Error("an unknown dialect has a schema")
	}
}

// TestCompression: Postgres compresses new texts with lz4, which this server supports.
func TestCompression(t *testing.T) {
	t.Parallel()
	db := database(t, migrations.Postgres, true)()
	var columns int
	err := db.QueryRowContext(t.Context(), `SELECT count(*) FROM pg_attribute WHERE attcompression = 'l'
		AND (attrelid, attname) IN (('document'::regclass, 'text'), ('chunk'::regclass, 'text'), ('blob'::regclass, 'bytes'), ('chat'::regclass, 'content'))`).Scan(&columns)
	if err != nil || columns != 4 {
		t.Errorf("%d columns use lz4: %v", columns, err)
	}
}
