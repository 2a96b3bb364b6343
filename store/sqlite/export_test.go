package sqlite

import (
	"context"
	"database/sql"
)

// Count returns the number of rows of a table.
func (s *Store) Count(ctx context.Context, table string) (n int, err error) {
	err = s.reader.QueryRowContext(ctx, "SELECT count(*) FROM "+table).Scan(&n)
	return n, err
}

// Strings returns the only column of a query's rows.
func (s *Store) Strings(ctx context.Context, query string) ([]string, error) {
	rows, err := s.reader.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	return collect(rows, func(rows *sql.Rows) (text string, err error) {
		err = rows.Scan(&text)
		return text, err
	})
}

// FileURL is the URL of a path for SQLite.
var FileURL = fileURL
