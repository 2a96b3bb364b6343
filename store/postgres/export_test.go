package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// Count returns the number of rows of a table.
func (s *Store) Count(ctx context.Context, table string) (n int, err error) {
	err = s.pool.QueryRow(ctx, "SELECT count(*) FROM "+table).Scan(&n)
	return n, err
}

// Strings returns the only column of a query's rows.
func (s *Store) Strings(ctx context.Context, sql string) ([]string, error) {
	return query(ctx, s, pgx.RowTo[string], sql)
}
