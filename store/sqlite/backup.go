package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"strings"

	"docent/backup"
	"docent/store"
)

var _ backup.Database = (*Store)(nil)

// ReadTables reads all tables in one transaction; see backup.Database.
func (s *database) ReadTables(ctx context.Context, f func(backup.View) error) error {
	tx, err := s.reader.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return fail("read tables", err)
	}
	defer tx.Rollback() //nolint:errcheck // it has only read
	return f(view{tx})
}

// view implements backup.View.
type view struct{ tx *sql.Tx }

// name quotes the name of a table or a column.
func name(s string) string { return `"` + s + `"` }

// names quotes the names of the columns of a table.
func names(t backup.Table) string {
	return `"` + strings.Join(t.Names(), `", "`) + `"`
}

// Revision implements backup.View.
func (v view) Revision(ctx context.Context) (revision int64, err error) {
	err = v.tx.QueryRowContext(ctx, `SELECT revision FROM corpus`).Scan(&revision)
	return revision, fail("read the revision", err)
}

// Last implements backup.View.
func (v view) Last(ctx context.Context, t backup.Table) (last int64, err error) {
	err = v.tx.QueryRowContext(ctx, `SELECT seq FROM sqlite_sequence WHERE name = ?`, t.Name).Scan(&last)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil // it never had rows
	}
	return last, fail("read the last id", err)
}

// Rows implements backup.View.
func (v view) Rows(ctx context.Context, t backup.Table) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		rows, err := v.tx.QueryContext(ctx, `SELECT `+names(t)+` FROM `+name(t.Name))
		if err != nil {
			yield(nil, fail("read rows", err))
			return
		}
		defer rows.Close() //nolint:errcheck // rows.Err reports errors
		for rows.Next() {
			row, err := scanRow(rows, t)
			if !yield(row, fail("read rows", err)) || err != nil {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(nil, fail("read rows", err))
		}
	}
}

// scanRow reads a row with the Go types of its columns.
func scanRow(rows *sql.Rows, t backup.Table) ([]any, error) {
	row, dest := make([]any, len(t.Columns)), make([]any, len(t.Columns))
	for i := range row {
		dest[i] = &row[i]
	}
	if err := rows.Scan(dest...); err != nil {
		return nil, err
	}
	for i, c := range t.Columns {
		if n, ok := row[i].(int64); ok && c.Type == backup.Bool {
			row[i] = n != 0
		}
	}
	return row, nil
}

// FillTables fills all tables in one transaction; see backup.Database.
func (s *database) FillTables(ctx context.Context, f func(backup.Filler) error) error {
	return s.write(ctx, func(ctx context.Context, w *writer) error {
		for _, t := range backup.Tables {
			if t.Name == store.CollectionTable {
				continue // a new database has the default collection
			}
			var filled bool
			if err := w.row(ctx, `SELECT EXISTS (SELECT 1 FROM `+name(t.Name)+`)`).Scan(&filled); err != nil {
				return fail("read "+t.Name, err)
			}
			if filled {
				return store.NotEmpty()
			}
		}
		if _, err := w.exec(ctx, `DELETE FROM collection`); err != nil {
			return fail("remove the default collection", err)
		}
		return f(filler{w})
	})
}

// filler implements backup.Filler.
type filler struct{ w *writer }

// SetRevision implements backup.Filler.
func (f filler) SetRevision(ctx context.Context, revision int64) error {
	_, err := f.w.exec(ctx, `UPDATE corpus SET revision = ?`, revision)
	return fail("set the revision", err)
}

// SetLast implements backup.Filler.
func (f filler) SetLast(ctx context.Context, t backup.Table, last int64) error {
	if _, err := f.w.exec(ctx, `DELETE FROM sqlite_sequence WHERE name = ?`, t.Name); err != nil {
		return fail("set the last id", err)
	}
	_, err := f.w.exec(ctx, `INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)`, t.Name, last)
	return fail("set the last id", err)
}

// Fill implements backup.Filler.
func (f filler) Fill(ctx context.Context, t backup.Table, next func() ([]any, error)) error {
	insert := fmt.Sprintf(`INSERT INTO %s (%s) VALUES (?%s)`, name(t.Name), names(t), strings.Repeat(", ?", len(t.Columns)-1))
	for {
		row, err := next()
		if row == nil || err != nil {
			return err
		}
		if _, err := f.w.exec(ctx, insert, row...); err != nil {
			return fail("write rows", err)
		}
	}
}
