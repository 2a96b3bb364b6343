package sqlite_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"

	"docent/agent/session/sessiontest"
	"docent/ingest/ingesttest"
	"docent/store/sqlite"
)

func BenchmarkBulk(b *testing.B) {
	ingesttest.Benchmark(b, func(b *testing.B) ingesttest.Store {
		return documents(open(b, sqlite.Config{Path: filepath.Join(b.TempDir(), "docent.db")}))
	})
}

// BenchmarkTurn compares a turn with the bare driver on a file of its own.
func BenchmarkTurn(b *testing.B) {
	ctx, dir := b.Context(), b.TempDir()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "bare.db")+"?_journal_mode=WAL&_synchronous=FULL&_txlock=immediate")
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(ctx, `CREATE TABLE bench (id TEXT PRIMARY KEY, session INTEGER, type TEXT, content TEXT); CREATE INDEX bench_session ON bench (session)`); err != nil {
		b.Fatal(err)
	}
	insert, err := db.PrepareContext(ctx, `INSERT INTO bench VALUES (hex(randomblob(16)), ?, ?, ?)`)
	if err != nil {
		b.Fatal(err)
	}
	sessiontest.TurnBenchmark(b, open(b, sqlite.Config{Path: filepath.Join(dir, "docent.db")}), func() error {
		_, err := insert.ExecContext(ctx, 1, "rag_answer", string(sessiontest.BenchContent))
		return err
	}, func() error { return threeInserts(ctx, db, insert) })
}

func threeInserts(ctx context.Context, db *sql.DB, insert *sql.Stmt) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for range 3 {
		if _, err := tx.StmtContext(ctx, insert).ExecContext(ctx, 1, "rag_answer", string(sessiontest.BenchContent)); err != nil { //nolint:sqlclosecheck // the transaction closes it
			return err
		}
	}
	return tx.Commit()
}
