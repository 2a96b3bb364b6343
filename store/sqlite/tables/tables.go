// Package tables reads and fills all tables of an SQLite database, for backups.
package tables

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"strings"

	"docent/backup"
	"docent/internal/fault"
)

var _ backup.Database = (*Tables)(nil)

// Tables is the part of a store that reads and fills tables. It is safe for concurrent
// use.
type Tables struct{ cfg Config }

// Config makes Tables. All fields are required.
type Config struct {
	// Reader is the database.
	Reader *sql.DB
	// Write runs f in a transaction.
	Write func(ctx context.Context, f func(ctx context.Context, w Writer) error) error
	// SetJournal sets the journal mode, and returns the mode that counts.
	SetJournal func(ctx context.Context, mode string) (got string, err error)
	// Fail adds the operation and the kind to an error.
	Fail func(operation string, err error) error
}

// Writer is a transaction that writes.
type Writer interface {
	// Exec runs a statement.
	Exec(ctx context.Context, query string, args ...any) error
	// Value reads a single value.
	Value(ctx context.Context, dest any, query string) error
}

// New returns Tables.
func New(cfg Config) *Tables { return &Tables{cfg} }

// ReadTables reads all tables in one transaction; see backup.Database.
func (s *Tables) ReadTables(ctx context.Context, f func(backup.View) error) error {
	tx, err := s.cfg.Reader.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return s.cfg.Fail("read tables", err)
	}
	defer tx.Rollback() //nolint:errcheck // it has only read
	return f(view{tx, s.cfg.Fail})
}

// view implements backup.View.
type view struct {
	tx   *sql.Tx
	fail func(operation string, err error) error
}

// name quotes the name of a table or a column.
func name(s string) string { return `"` + s + `"` }

// names quotes the names of the columns of a table.
func names(t backup.Table) string {
	return `"` + strings.Join(t.Names(), `", "`) + `"`
}

// Revision implements backup.View.
func (v view) Revision(ctx context.Context) (revision int64, err error) {
	err = v.tx.QueryRowContext(ctx, `SELECT revision FROM corpus`).Scan(&revision)
	return revision, v.fail("read the revision", err)
}

// Last implements backup.View.
func (v view) Last(ctx context.Context, t backup.Table) (last int64, err error) {
	err = v.tx.QueryRowContext(ctx, `SELECT seq FROM sqlite_sequence WHERE name = ?`, t.Name).Scan(&last)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil // it never had rows
	}
	return last, v.fail("read the last id", err)
}

// Rows implements backup.View.
func (v view) Rows(ctx context.Context, t backup.Table) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		rows, err := v.tx.QueryContext(ctx, `SELECT `+names(t)+` FROM `+name(t.Name))
		if err != nil {
			yield(nil, v.fail("read rows", err))
			return
		}
		defer rows.Close() //nolint:errcheck // rows.Err reports errors
		for rows.Next() {
			row, err := scanRow(rows, t)
			if !yield(row, v.fail("read rows", err)) || err != nil {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(nil, v.fail("read rows", err))
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

// FillTables fills all tables in one transaction; see backup.Database. It fails with
// fault.Busy if another process has the database open. The transaction goes without the
// write-ahead log. With the log, the data would need its space twice, and a full disk could
// show after the commit.
func (s *Tables) FillTables(ctx context.Context, f func(backup.Filler) error) error {
	err := s.setJournal(ctx, "delete")
	if err == nil {
		err = errors.Join(s.fillTables(ctx, f), s.setJournal(context.WithoutCancel(ctx), "wal"))
	}
	return s.cfg.Fail("fill the database", err)
}

func (s *Tables) setJournal(ctx context.Context, mode string) error {
	got, err := s.cfg.SetJournal(ctx, mode)
	if err == nil && got != mode {
		err = fault.New(fault.Busy, "database_locked", "the database is busy with another process; try again")
	}
	return err
}

func (s *Tables) fillTables(ctx context.Context, f func(backup.Filler) error) error {
	return s.cfg.Write(ctx, func(ctx context.Context, w Writer) error {
		for _, t := range backup.Tables {
			if t.Name == backup.CollectionTable {
				continue // a new database has the default collection
			}
			var filled bool
			if err := w.Value(ctx, &filled, `SELECT EXISTS (SELECT 1 FROM `+name(t.Name)+`)`); err != nil {
				return s.cfg.Fail("read "+t.Name, err)
			}
			if filled {
				return backup.NotEmpty()
			}
		}
		if err := w.Exec(ctx, `DELETE FROM collection`); err != nil {
			return s.cfg.Fail("remove the default collection", err)
		}
		return f(filler{w, s.cfg.Fail})
	})
}

// filler implements backup.Filler.
type filler struct {
	w    Writer
	fail func(operation string, err error) error
}

// SetRevision implements backup.Filler.
func (f filler) SetRevision(ctx context.Context, revision int64) error {
	err := f.w.Exec(ctx, `UPDATE corpus SET revision = ?`, revision)
	return f.fail("set the revision", err)
}

// SetLast implements backup.Filler.
func (f filler) SetLast(ctx context.Context, t backup.Table, last int64) error {
	if err := f.w.Exec(ctx, `DELETE FROM sqlite_sequence WHERE name = ?`, t.Name); err != nil {
		return f.fail("set the last id", err)
	}
	err := f.w.Exec(ctx, `INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)`, t.Name, last)
	return f.fail("set the last id", err)
}

// Fill implements backup.Filler.
func (f filler) Fill(ctx context.Context, t backup.Table, next func() ([]any, error)) error {
	insert := fmt.Sprintf(`INSERT INTO %s (%s) VALUES (?%s)`, name(t.Name), names(t), strings.Repeat(", ?", len(t.Columns)-1))
	for {
		row, err := next()
		if row == nil || err != nil {
			return err
		}
		if err := f.w.Exec(ctx, insert, row...); err != nil {
			return f.fail("write rows", err)
		}
	}
}
