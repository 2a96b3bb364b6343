// Package tables reads and fills all tables of a Postgres database, for backups.
package tables

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"docent/backup"
)

var _ backup.Database = (*Tables)(nil)

// Tables is the part of a store that reads and fills tables. It is safe for concurrent
// use.
type Tables struct {
	pool *pgxpool.Pool
	fail func(operation string, err error) error
}

// New returns Tables. fail adds the operation and the kind to an error.
func New(pool *pgxpool.Pool, fail func(operation string, err error) error) *Tables {
	return &Tables{pool: pool, fail: fail}
}

// ReadTables reads all tables in one transaction; see backup.Database.
func (s *Tables) ReadTables(ctx context.Context, f func(backup.View) error) error {
	return pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		return f(transaction{tx, s.fail})
	})
}

// FillTables fills all tables in one transaction; see backup.Database.
func (s *Tables) FillTables(ctx context.Context, f func(backup.Filler) error) error {
	return s.fail("fill the database", pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		for _, t := range backup.Tables {
			if t.Name == backup.CollectionTable {
				continue // a new database has the default collection
			}
			var filled bool
			if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM `+name(t.Name)+`)`).Scan(&filled); err != nil {
				return s.fail("read "+t.Name, err)
			}
			if filled {
				return backup.NotEmpty()
			}
		}
		if _, err := tx.Exec(ctx, `DELETE FROM collection`); err != nil {
			return s.fail("remove the default collection", err)
		}
		return f(transaction{tx, s.fail})
	}))
}

// transaction implements backup.View and backup.Filler.
type transaction struct {
	tx   pgx.Tx
	fail func(operation string, err error) error
}

// name quotes the name of a table or a column.
func name(s string) string { return pgx.Identifier{s}.Sanitize() }

// Revision implements backup.View.
func (t transaction) Revision(ctx context.Context) (revision int64, err error) {
	err = t.tx.QueryRow(ctx, `SELECT revision FROM corpus`).Scan(&revision)
	return revision, t.fail("read the revision", err)
}

// Last implements backup.View.
func (t transaction) Last(ctx context.Context, table backup.Table) (last int64, err error) {
	var sequence string
	if err := t.tx.QueryRow(ctx, `SELECT pg_get_serial_sequence($1, 'id')`, table.Name).Scan(&sequence); err != nil {
		return 0, t.fail("read the last id", err)
	}
	err = t.tx.QueryRow(ctx, `SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM `+sequence).Scan(&last)
	return last, t.fail("read the last id", err)
}

// columns returns the expressions that read the columns of a table.
func columns(table backup.Table) string {
	out := make([]string, len(table.Columns))
	for i, c := range table.Columns {
		switch c.Type {
		case backup.Int:
			out[i] = name(c.Name) + `::bigint`
		case backup.Time:
			// '-infinity', a lease that nobody ever had, becomes a time long ago.
			column := name(c.Name)
			out[i] = `CASE WHEN isfinite(` + column + `) THEN (extract(epoch FROM ` + column + `) * 1000000)::bigint ` +
				`WHEN ` + column + ` IS NOT NULL THEN 0 END`
		case backup.JSON:
			out[i] = name(c.Name) + `::text`
		case backup.Texts:
			out[i] = `to_json(` + name(c.Name) + `)::text`
		default:
			out[i] = name(c.Name)
		}
	}
	return strings.Join(out, ", ")
}

// Rows implements backup.View.
func (t transaction) Rows(ctx context.Context, table backup.Table) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		rows, err := t.tx.Query(ctx, `SELECT `+columns(table)+` FROM `+name(table.Name))
		if err != nil {
			yield(nil, t.fail("read rows", err))
			return
		}
		defer rows.Close()
		for rows.Next() {
			row, err := rows.Values()
			if !yield(row, t.fail("read rows", err)) || err != nil {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(nil, t.fail("read rows", err))
		}
	}
}

// SetRevision implements backup.Filler.
func (t transaction) SetRevision(ctx context.Context, revision int64) error {
	_, err := t.tx.Exec(ctx, `UPDATE corpus SET revision = $1`, revision)
	return t.fail("set the revision", err)
}

// SetLast implements backup.Filler.
func (t transaction) SetLast(ctx context.Context, table backup.Table, last int64) error {
	_, err := t.tx.Exec(ctx, `SELECT setval(pg_get_serial_sequence($1, 'id'), greatest($2::bigint, 1), $2::bigint > 0)`, table.Name, last)
	return t.fail("set the last id", err)
}

// Fill implements backup.Filler.
func (t transaction) Fill(ctx context.Context, table backup.Table, next func() ([]any, error)) error {
	var failed error // Postgres would report it as text
	_, err := t.tx.CopyFrom(ctx, pgx.Identifier{table.Name}, table.Names(), pgx.CopyFromFunc(func() ([]any, error) {
		var row []any
		if row, failed = next(); row == nil || failed != nil {
			return nil, failed
		}
		for i, c := range table.Columns {
			if row[i], failed = stored(row[i], c.Type); failed != nil {
				return nil, failed
			}
		}
		return row, nil
	}))
	if failed != nil {
		return failed
	}
	return t.fail("write rows", err)
}

// stored returns a value as Postgres stores its type.
func stored(v any, kind backup.Type) (any, error) {
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
