package sqlite

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

var _ backup.Database = (*Store)(nil)

// ReadTables reads all tables in one transaction; see backup.Database.
func (s *tables) ReadTables(ctx context.Context, f func(backup.View) error) error {
	tx, err := s.reader.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return fail("read tables", err)
	}
	defer tx.Rollback() //nolint:errcheck // it has only read
	return f(tableView{tx})
}

// tableView implements backup.View.
type tableView struct{ *sql.Tx }

// quoted quotes the name of a table or a column.
func quoted(s string) string { return `"` + s + `"` }

// quotedNames quotes the names of the columns of a table.
func quotedNames(t backup.Table) string {
	return `"` + strings.Join(t.Names(), `", "`) + `"`
}

// Revision implements backup.View.
func (v tableView) Revision(ctx context.Context) (revision int64, err error) {
	err = v.QueryRowContext(ctx, `SELECT revision FROM corpus`).Scan(&revision)
	return revision, fail("read the revision", err)
}

// Last implements backup.View.
func (v tableView) Last(ctx context.Context, t backup.Table) (last int64, err error) {
	err = v.QueryRowContext(ctx, `SELECT seq FROM sqlite_sequence WHERE name = ?`, t.Name).Scan(&last)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil // it never had rows
	}
	return last, fail("read the last id", err)
}

// Rows implements backup.View.
func (v tableView) Rows(ctx context.Context, t backup.Table) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		rows, err := v.QueryContext(ctx, `SELECT `+quotedNames(t)+` FROM `+quoted(t.Name))
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

// FillTables fills all tables in one transaction; see backup.Database. It fails with
// fault.Busy if another process has the database open. The transaction goes without the
// write-ahead log. With the log, the data would need its space twice, and a full disk could
// show after the commit.
func (s *tables) FillTables(ctx context.Context, f func(backup.Filler) error) error {
	err := s.setJournal(ctx, "delete")
	if err == nil {
		err = errors.Join(s.fillTables(ctx, f), s.setJournal(context.WithoutCancel(ctx), "wal"))
	}
	return fail("fill the database", err)
}

// setJournal sets the journal mode, if no transaction runs. It fails if another mode counts.
// A mode without the log needs all other connections to be closed.
func (s *tables) setJournal(ctx context.Context, mode string) error {
	defer s.reader.SetMaxIdleConns(s.reader.Stats().MaxOpenConnections)
	s.reader.SetMaxIdleConns(0)
	var got string
	err := s.writer.conn.QueryRowContext(ctx, "PRAGMA journal_mode = "+mode).Scan(&got)
	if err == nil && got != mode {
		err = fault.New(fault.Busy, "database_locked", "the database is busy with another process; try again")
	}
	return err
}

func (s *tables) fillTables(ctx context.Context, f func(backup.Filler) error) error {
	return s.write(ctx, func(ctx context.Context, w *writer) error {
		for _, t := range backup.Tables {
			if t.Name == backup.CollectionTable {
				continue // a new database has the default collection
			}
			var filled bool
			if err := w.row(ctx, `SELECT EXISTS (SELECT 1 FROM `+quoted(t.Name)+`)`).Scan(&filled); err != nil {
				return fail("read "+t.Name, err)
			}
			if filled {
				return backup.NotEmpty()
			}
		}
		if _, err := w.exec(ctx, `DELETE FROM collection`); err != nil {
			return fail("remove the default collection", err)
		}
		return f(tableFiller{w})
	})
}

// tableFiller implements backup.Filler.
type tableFiller struct{ *writer }

// SetRevision implements backup.Filler.
func (f tableFiller) SetRevision(ctx context.Context, revision int64) error {
	_, err := f.exec(ctx, `UPDATE corpus SET revision = ?`, revision)
	return fail("set the revision", err)
}

// SetLast implements backup.Filler.
func (f tableFiller) SetLast(ctx context.Context, t backup.Table, last int64) error {
	if _, err := f.exec(ctx, `DELETE FROM sqlite_sequence WHERE name = ?`, t.Name); err != nil {
		return fail("set the last id", err)
	}
	_, err := f.exec(ctx, `INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)`, t.Name, last)
	return fail("set the last id", err)
}

// Fill implements backup.Filler.
func (f tableFiller) Fill(ctx context.Context, t backup.Table, next func() ([]any, error)) error {
	insert := fmt.Sprintf(`INSERT INTO %s (%s) VALUES (?%s)`, quoted(t.Name), quotedNames(t), strings.Repeat(", ?", len(t.Columns)-1))
	for {
		row, err := next()
		if row == nil || err != nil {
			return err
		}
		if _, err := f.exec(ctx, insert, row...); err != nil {
			return fail("write rows", err)
		}
	}
}
