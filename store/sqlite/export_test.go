package sqlite

import (
	"context"
	"database/sql"
	"strconv"
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

// LimitPages makes a full disk of a database that grows beyond some pages.
func (s *Store) LimitPages(ctx context.Context, pages int) error {
	_, err := s.writer.conn.ExecContext(ctx, "PRAGMA max_page_count = "+strconv.Itoa(pages))
	return err
}

// FillAudit adds an audit record with an id.
func (s *Store) FillAudit(ctx context.Context, id int64) error {
	return s.write(ctx, func(ctx context.Context, w *writer) error {
		_, err := w.exec(ctx, `INSERT INTO audit (id, timestamp, actor, address, action, object) VALUES (?, 0, '', '', '', 'filled')`, id)
		return err
	})
}
