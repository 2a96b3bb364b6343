package postgres

import "context"

// Count returns the number of rows of a table.
func (s *Store) Count(ctx context.Context, table string) (n int, err error) {
	err = s.pool.QueryRow(ctx, "SELECT count(*) FROM "+table).Scan(&n)
	return n, err
}
