// Package backup copies a database into a file, and a file into an empty database. The
// file is the same for Postgres and SQLite, so the pair also moves data between them.
//
// A backup is a stream of lines, compressed with zstd and optionally encrypted with age.
// The first line is a Header. Each table has a line with its name and columns, a line
// for each row, and a line with the number of rows. The last line has the SHA-256 of all
// lines before it.
package backup

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"iter"
	"time"

	"github.com/klauspost/compress/zstd"
)

// Version is the version of the format.
const Version = 1

// Header is the first line of a backup.
type Header struct {
	// Format is the version of the format.
	Format int `json:"docent_backup"`
	// Schema is the version of the tables.
	Schema int64 `json:"schema"`
	// Program is the version of docent.
	Program string `json:"docent"`
	// Database is the kind of database: "postgres" or "sqlite".
	Database string `json:"database"`
	// Revision is the revision of the corpus.
	Revision int64 `json:"revision"`
	// CreatedAt is the moment of the backup.
	CreatedAt time.Time `json:"created_at"`
}

// tableLine begins a table.
type tableLine struct {
	Table   string   `json:"table"`
	Columns []string `json:"columns"`
	Last    int64    `json:"last,omitempty"` // the last id that the database has used
}

// rowsLine ends a table.
type rowsLine struct {
	Rows int64 `json:"rows"`
}

// endLine ends a backup.
type endLine struct {
	SHA256 string `json:"sha256"`
}

// View reads the tables as they were at one moment.
type View interface {
	// Revision returns the revision of the corpus.
	Revision(ctx context.Context) (int64, error)
	// Last returns the last id that a numbered table has used.
	Last(ctx context.Context, t Table) (int64, error)
	// Rows yields the rows of a table. An error comes last.
	Rows(ctx context.Context, t Table) iter.Seq2[[]any, error]
}

// Filler fills the tables of an empty database.
type Filler interface {
	// SetRevision sets the revision of the corpus.
	SetRevision(ctx context.Context, revision int64) error
	// SetLast sets the last id that a numbered table has used.
	SetLast(ctx context.Context, t Table, last int64) error
	// Fill adds the rows that next returns, until it returns nil.
	Fill(ctx context.Context, t Table, next func() ([]any, error)) error
}

// Database is a database to copy.
type Database interface {
	// ReadTables calls f with a view of one moment.
	ReadTables(ctx context.Context, f func(View) error) error
	// FillTables calls f in one transaction. If f fails, the database does not change.
	// FillTables fails with fault.Conflict if the database has data.
	FillTables(ctx context.Context, f func(Filler) error) error
}

// Progress is the state of a copy.
type Progress struct {
	// Table is the current table.
	Table string
	// Rows is the number of rows so far, in all tables.
	Rows int64
}

// EachInterval returns a report that calls another one at most once per interval.
func EachInterval(interval time.Duration, now func() time.Time, report func(Progress)) func(Progress) {
	next := now().Add(interval)
	return func(p Progress) {
		if at := now(); !at.Before(next) {
			next = at.Add(interval)
			report(p)
		}
	}
}

// Write writes a backup of a database, and returns the number of rows. It calls report
// after each row and after each table. header needs only Schema, Program, and Database.
func Write(ctx context.Context, out io.Writer, db Database, header Header, report func(Progress)) (rows int64, err error) {
	packed, err := zstd.NewWriter(out)
	if err != nil {
		return 0, fmt.Errorf("compress: %w", err)
	}
	w := &lineWriter{out: bufio.NewWriterSize(packed, 1<<20), sum: sha256.New(), report: report}
	err = db.ReadTables(ctx, func(v View) error {
		header.Format, header.CreatedAt = Version, time.Now().UTC()
		if header.Revision, err = v.Revision(ctx); err != nil {
			return err //nolint:wrapcheck // the database names the operation
		}
		if err := w.line(header); err != nil {
			return err
		}
		for _, t := range Tables {
			if err := w.table(ctx, v, t); err != nil {
				return fmt.Errorf("table %s: %w", t.Name, err)
			}
		}
		return w.line(endLine{hex.EncodeToString(w.sum.Sum(nil))})
	})
	if err != nil {
		_ = packed.Close() // the backup is incomplete
		return 0, err
	}
	if err := w.out.Flush(); err != nil {
		return 0, fmt.Errorf("write backup: %w", err)
	}
	if err := packed.Close(); err != nil {
		return 0, fmt.Errorf("write backup: %w", err)
	}
	return w.at.Rows, nil
}

// lineWriter writes lines.
type lineWriter struct {
	out    *bufio.Writer
	sum    hash.Hash
	buffer bytes.Buffer
	at     Progress
	report func(Progress)
}

// line writes a value as a line.
func (w *lineWriter) line(v any) error {
	w.buffer.Reset()
	enc := json.NewEncoder(&w.buffer)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("write backup: %w", err)
	}
	w.sum.Write(w.buffer.Bytes())
	if _, err := w.out.Write(w.buffer.Bytes()); err != nil {
		return fmt.Errorf("write backup: %w", err)
	}
	return nil
}

func (w *lineWriter) table(ctx context.Context, v View, t Table) error {
	head := tableLine{Table: t.Name, Columns: t.Names()}
	if t.Numbered() {
		var err error
		if head.Last, err = v.Last(ctx, t); err != nil {
			return err //nolint:wrapcheck // the database names the operation
		}
	}
	if err := w.line(head); err != nil {
		return err
	}
	w.at.Table = t.Name
	var n int64
	for row, err := range v.Rows(ctx, t) {
		if err != nil {
			return err
		}
		if err := w.line(row); err != nil {
			return fmt.Errorf("row %d: %w", n+1, err)
		}
		n++
		w.at.Rows++
		w.report(w.at)
	}
	w.report(w.at)
	return w.line(rowsLine{n})
}
