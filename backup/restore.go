package backup

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"

	"github.com/klauspost/compress/zstd"

	"docent/internal/fault"
)

// maxHead bounds a line that describes rows, in bytes.
const maxHead = 64 << 10

// maxRow bounds the line of a row, in bytes. The longest rows hold a file in base64, so
// there is room for twice a file.
func maxRow(maxFile int64) int { return int(max(128<<20, 2*maxFile)) }

var errDamaged = fault.New(fault.Invalid, "backup_damaged", "the backup is damaged or incomplete; nothing was restored")

// damaged is errDamaged with its cause.
func damaged(err error) error { return fmt.Errorf("%w (%w)", errDamaged, err) }

// Verify reads a whole backup and checks it. maxFile is the size of the largest stored
// file, in bytes. Verify returns the header and the number of rows.
func Verify(ctx context.Context, in io.Reader, maxFile int64, report func(Progress)) (Header, int64, error) {
	return read(ctx, in, 0, maxFile, discard{}, report)
}

// Restore fills an empty database with a backup. schema is the version of its tables, and
// maxFile the size of the largest stored file, in bytes. After an error, the database has
// not changed.
func Restore(
	ctx context.Context, in io.Reader, db Database, schema, maxFile int64, report func(Progress),
) (header Header, rows int64, err error) {
	err = db.FillTables(ctx, func(f Filler) error {
		header, rows, err = read(ctx, in, schema, maxFile, f, report)
		return err
	})
	return header, rows, err
}

// discard is a Filler that keeps nothing.
type discard struct{}

func (discard) SetRevision(context.Context, int64) error    { return nil }
func (discard) SetLast(context.Context, Table, int64) error { return nil }

func (discard) Fill(_ context.Context, _ Table, next func() ([]any, error)) error {
	for {
		if row, err := next(); row == nil || err != nil {
			return err
		}
	}
}

// read reads a backup into f. It fails for another schema, unless schema is 0.
func read(
	ctx context.Context, in io.Reader, schema, maxFile int64, f Filler, report func(Progress),
) (header Header, rows int64, err error) {
	plain, err := zstd.NewReader(in, zstd.WithDecoderMaxWindow(64<<20))
	if err != nil {
		return header, 0, damaged(err)
	}
	defer plain.Close()
	r := &lineReader{in: bufio.NewReaderSize(plain, 1<<20), sum: sha256.New(), report: report, maxRow: maxRow(maxFile)}
	if err := r.line(&header); err != nil {
		return header, 0, err
	}
	switch {
	case header.Format != Version:
		return header, 0, fault.New(fault.Invalid, "backup_version",
			"the backup has version %d of the format, and this docent reads version %d; "+
				"use the docent that made it: %s", header.Format, Version, header.Program)
	case schema != 0 && header.Schema != schema:
		return header, 0, fault.New(fault.Conflict, "backup_schema", "the backup has version %d of the tables, and this docent has version %d; "+
			"restore it with the docent that made it, %s, and then upgrade", header.Schema, schema, header.Program)
	}
	if err := f.SetRevision(ctx, header.Revision); err != nil {
		return header, 0, err //nolint:wrapcheck // the database names the operation
	}
	for _, t := range Tables {
		if err := r.table(ctx, f, t); err != nil {
			return header, 0, fmt.Errorf("table %s: %w", t.Name, err)
		}
	}
	want := hex.EncodeToString(r.sum.Sum(nil))
	var end endLine
	if err := r.line(&end); err != nil {
		return header, 0, err
	}
	if end.SHA256 != want {
		return header, 0, damaged(errors.New("its checksum is wrong"))
	}
	return header, r.at.Rows, nil
}

// lineReader reads lines.
type lineReader struct {
	in     *bufio.Reader
	sum    hash.Hash
	buffer []byte
	maxRow int
	at     Progress
	report func(Progress)
}

// next reads a line of at most some bytes. The line is valid until the next call.
func (r *lineReader) next(most int) ([]byte, error) {
	r.buffer = r.buffer[:0]
	for {
		part, err := r.in.ReadSlice('\n')
		r.buffer = append(r.buffer, part...)
		switch {
		case len(r.buffer) > most:
			return nil, fault.New(fault.Invalid, "backup_line_long",
				"a line of the backup is longer than %d bytes; if it contains large files, set DOCENT_MAX_FILE_SIZE as it was for the backup", most)
		case err == nil:
			r.sum.Write(r.buffer)
			return r.buffer, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, damaged(err)
		}
	}
}

// line reads a line that describes rows.
func (r *lineReader) line(v any) error {
	line, err := r.next(maxHead)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(line, v); err != nil {
		return damaged(err)
	}
	return nil
}

func (r *lineReader) table(ctx context.Context, f Filler, t Table) error {
	var head tableLine
	if err := r.line(&head); err != nil {
		return err
	}
	if head.Table != t.Name || !slices.Equal(head.Columns, t.Names()) {
		return damaged(fmt.Errorf("the table %q with the columns %q is here", head.Table, head.Columns))
	}
	r.at.Table = t.Name
	var n int64
	var end rowsLine
	err := f.Fill(ctx, t, func() ([]any, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		line, err := r.next(r.maxRow)
		if err != nil {
			return nil, err
		}
		if bytes.HasPrefix(line, []byte("{")) {
			if err := json.Unmarshal(line, &end); err != nil {
				return nil, damaged(err)
			}
			return nil, nil
		}
		n++
		r.at.Rows++
		r.report(r.at)
		return parseRow(line, t)
	})
	r.report(r.at)
	switch {
	case err != nil:
		return err //nolint:wrapcheck // the database names the operation
	case end.Rows != n:
		return damaged(fmt.Errorf("%d of %d rows are here", n, end.Rows))
	case t.Numbered():
		return f.SetLast(ctx, t, head.Last) //nolint:wrapcheck // the database names the operation
	}
	return nil
}

// parseRow parses the line of a row.
func parseRow(line []byte, t Table) ([]any, error) {
	var values []json.RawMessage
	if err := json.Unmarshal(line, &values); err != nil {
		return nil, damaged(err)
	}
	if len(values) != len(t.Columns) {
		return nil, damaged(fmt.Errorf("a row has %d values", len(values)))
	}
	row := make([]any, len(values))
	for i, c := range t.Columns {
		v, err := parseValue(values[i], c.Type)
		if err != nil {
			return nil, damaged(fmt.Errorf("%s: %w", c.Name, err))
		}
		row[i] = v
	}
	return row, nil
}

// parseValue parses a value of a row.
func parseValue(raw json.RawMessage, kind Type) (any, error) {
	if string(raw) == "null" {
		return nil, nil //nolint:nilnil // nil is a value
	}
	switch kind {
	case Int, Time:
		return parse[int64](raw)
	case Float:
		return parse[float64](raw)
	case Bool:
		return parse[bool](raw)
	case Bytes:
		return parse[[]byte](raw)
	default:
		return parse[string](raw)
	}
}

func parse[T any](raw json.RawMessage) (any, error) {
	var v T
	err := json.Unmarshal(raw, &v)
	return v, err
}
