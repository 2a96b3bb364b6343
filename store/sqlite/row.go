package sqlite

import (
	"database/sql"
	"time"
)

// micro converts stored Unix microseconds.
func micro(t int64) time.Time { return time.UnixMicro(t).UTC() }

// collect reads all rows and closes them.
func collect[T any](rows *sql.Rows, scan func(*sql.Rows) (T, error)) ([]T, error) {
	defer rows.Close() //nolint:errcheck // rows.Err reports errors
	var out []T
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, rows.Err()
}
