package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"docent/backup"
)

var _ backup.Database = (*Store)(nil)

// ReadTables reads all tables in one transaction; see backup.Database.
func (s *tables) ReadTables(ctx context.Context, f func(backup.View) error) error {
	return s.snapshot(ctx, func(tx pgx.Tx) error { return f(tableTx{tx}) })
}

// FillTables fills all tables in one transaction; see backup.Database.
func (s *tables) FillTables(ctx context.Context, f func(backup.Filler) error) error {
	return fail("fill the database", pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		for _, t := range backup.Tables {
			if t.Name == backup.CollectionTable {
				continue // a new database has the default collection
			}
			var filled bool
			if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM `+quoted(t.Name)+`)`).Scan(&filled); err != nil {
				return fail("read "+t.Name, err)
			}
			if filled {
				return backup.NotEmpty()
			}
		}
		if _, err := tx.Exec(ctx, `DELETE FROM collection`); err != nil {
			return fail("remove the default collection", err)
		}
		return f(tableTx{tx})
	}))
}

// tableTx is a transaction that implements backup.View and backup.Filler.
type tableTx struct{ pgx.Tx }

// quoted quotes the name of a table or a column.
func quoted(s string) string { return pgx.Identifier{s}.Sanitize() }

// Revision implements backup.View.
func (t tableTx) Revision(ctx context.Context) (revision int64, err error) {
	err = t.QueryRow(ctx, `SELECT revision FROM corpus`).Scan(&revision)
	return revision, fail("read the revision", err)
}

// Last implements backup.View.
func (t tableTx) Last(ctx context.Context, table backup.Table) (last int64, err error) {
	var sequence string
	if err := t.QueryRow(ctx, `SELECT pg_get_serial_sequence($1, 'id')`, table.Name).Scan(&sequence); err != nil {
		return 0, fail("read the last id", err)
	}
	err = t.QueryRow(ctx, `SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM `+sequence).Scan(&last)
	return last, fail("read the last id", err)
}

// readColumns returns the expressions that read the columns of a table.
func readColumns(table backup.Table) string {
	out := make([]string, len(table.Columns))
	for i, c := range table.Columns {
		switch c.Type {
		case backup.Int:
			out[i] = quoted(c.Name) + `::bigint`
		case backup.Time:
			// '-infinity', a lease that nobody ever had, becomes a time long ago.
			column := quoted(c.Name)
			out[i] = `CASE WHEN isfinite(` + column + `) THEN (extract(epoch FROM ` + column + `) * 1000000)::bigint ` +
				`WHEN ` + column + ` IS NOT NULL THEN 0 END`
		case backup.JSON:
			out[i] = quoted(c.Name) + `::text`
		case backup.Texts:
			out[i] = `to_json(` + quoted(c.Name) + `)::text`
		default:
			out[i] = quoted(c.Name)
		}
	}
	return strings.Join(out, ", ")
}

// Rows implements backup.View.
func (t tableTx) Rows(ctx context.Context, table backup.Table) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		rows, err := t.Query(ctx, `SELECT `+readColumns(table)+` FROM `+quoted(table.Name))
		if err != nil {
			yield(nil, fail("read rows", err))
			return
		}
		defer rows.Close()
		for rows.Next() {
			row, err := rows.Values()
			if !yield(row, fail("read rows", err)) || err != nil {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(nil, fail("read rows", err))
		}
	}
}

// SetRevision implements backup.Filler.
func (t tableTx) SetRevision(ctx context.Context, revision int64) error {
	_, err := t.Exec(ctx, `UPDATE corpus SET revision = $1`, revision)
	return fail("set the revision", err)
}

// SetLast implements backup.Filler.
func (t tableTx) SetLast(ctx context.Context, table backup.Table, last int64) error {
	_, err := t.Exec(ctx, `SELECT setval(pg_get_serial_sequence($1, 'id'), greatest($2::bigint, 1), $2::bigint > 0)`, table.Name, last)
	return fail("set the last id", err)
}

// Fill implements backup.Filler.
func (t tableTx) Fill(ctx context.Context, table backup.Table, next func() ([]any, error)) error {
	var failed error // Postgres would report it as text
	_, err := t.CopyFrom(ctx, pgx.Identifier{table.Name}, table.Names(), pgx.CopyFromFunc(func() ([]any, error) {
		var row []any
		if row, failed = next(); row == nil || failed != nil {
			return nil, failed
		}
		for i, c := range table.Columns {
			if row[i], failed = storedValue(row[i], c.Type); failed != nil {
				return nil, failed
			}
		}
		return row, nil
	}))
	if failed != nil {
		return failed
	}
	return fail("write rows", err)
}

// storedValue returns a value as Postgres stores its type.
func storedValue(v any, kind backup.Type) (any, error) {
	switch v := v.(type) {
	case int64:
		if kind == backup.Time {
			return time.UnixMicro(v), nil
		}
	case string:
		if kind == backup.Texts {
			var texts []string
			if err := json.Unmarshal([]byte(v), &texts); err != nil {
				return nil, fmt.Errorf("read texts: %w", err)
			}
			return texts, nil
		}
	}
	return v, nil
}
