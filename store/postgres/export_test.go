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

// FillAudit adds an audit record with an id.
func (s *Store) FillAudit(ctx context.Context, id int64) error {
	return s.write(ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO audit (id, timestamp, actor, address, action, object) OVERRIDING SYSTEM VALUE VALUES ($1, now(), '', '', '', 'filled')`, id)
		if err == nil {
			_, err = tx.Exec(ctx, `SELECT setval(pg_get_serial_sequence('audit', 'id'), $1)`, id)
		}
		return err
	})
}
