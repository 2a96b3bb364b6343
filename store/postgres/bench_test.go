package postgres_test

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"docent/internal/pgtest"
	"docent/store/postgres"
	"docent/store/storetest"
)

func BenchmarkBulk(b *testing.B) {
	storetest.BulkBenchmark(b, func(b *testing.B) storetest.Store { return open(b, postgres.Config{URL: pgtest.URL(b)}) })
}

// BenchmarkTurn waits for the disk at each commit.
func BenchmarkTurn(b *testing.B) {
	url := pgtest.URL(b)
	pgtest.Durable(b, url)
	ctx := b.Context()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, `CREATE TABLE bench (id uuid PRIMARY KEY, session bigint, type text, content jsonb); CREATE INDEX ON bench (session)`); err != nil {
		b.Fatal(err)
	}
	const insert = `INSERT INTO bench VALUES (gen_random_uuid(), $1, $2, $3)`
	storetest.TurnBenchmark(b, open(b, postgres.Config{URL: url}), func() error {
		_, err := conn.Exec(ctx, insert, 1, "rag_answer", storetest.BenchContent)
		return err
	}, func() error {
		return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			for range 3 {
				if _, err := tx.Exec(ctx, insert, 1, "rag_answer", storetest.BenchContent); err != nil {
					return err
				}
			}
			return nil
		})
	})
}
