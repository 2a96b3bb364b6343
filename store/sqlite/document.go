package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"docent/rag/corpus"

	"docent/store"
)

// documentColumns are the columns of document d and collection k that
// scanDocument reads.
const (
	documentColumns = `d.id, k.name, d.source, d.title, d.media_type, d.language, d.size, d.sha256, d.etag, d.mtime,
	` + documentStatus + `, d.error, d.sentence, d.pipeline, d.version, d.chunks, d.date, d.date_from, d.edition, d.created_at, d.updated_at`
	// documentStatus is the status of document d.
	documentStatus = `CASE WHEN d.skipped THEN 'skipped' ELSE d.status END`
)

// documentScan holds a document's columns that need conversion.
type documentScan struct {
	doc                            corpus.Document
	mtime, date, created, modified int64
}

func (s *documentScan) dest() []any {
	d := &s.doc
	return []any{
		&d.ID, &d.Collection, &d.Source, &d.Title, &d.MediaType, &d.Language, &d.Size, &d.SHA256, &d.ETag, &s.mtime,
		&d.Status, &d.Error.Message, &d.Error.Sentence, &d.Pipeline, &d.Revision, &d.Chunks,
		&s.date, &d.DateFrom, &d.Version, &s.created, &s.modified,
	}
}

func (s *documentScan) document() corpus.Document {
	s.doc.Modified, s.doc.Date = store.Modified(s.mtime), store.Date(s.date)
	s.doc.CreatedAt, s.doc.UpdatedAt = micro(s.created), micro(s.modified)
	return s.doc
}

// micro converts stored Unix microseconds.
func micro(t int64) time.Time { return time.UnixMicro(t).UTC() }

// documentKeys are the sort keys of lists of documents.
var documentKeys = map[corpus.DocumentOrder]string{
	corpus.ByID:      `d.id`,
	corpus.ByTitle:   fmt.Sprintf(`substr(d.folded, length(d.source) + 2, %d)`, store.TitleLetters),
	corpus.BySize:    `d.size`,
	corpus.ByUpdated: `d.updated_at`,
	corpus.ByDate:    `d.date`,
}

// documentKey returns a document's value of its sort key.
func documentKey(order corpus.DocumentOrder, d *corpus.Document) any {
	switch order {
	case corpus.ByTitle:
		return store.TitleKey(d.Title)
	case corpus.BySize:
		return d.Size
	case corpus.ByUpdated:
		return d.UpdatedAt.UnixMicro()
	case corpus.ByDate:
		return d.Date.Unix()
	default:
		return d.ID
	}
}

// Documents lists documents; see corpus.Library.
func (s *documents) Documents(ctx context.Context, filter corpus.DocumentFilter) ([]corpus.Document, error) {
	query, args := `SELECT `+documentColumns+` FROM document d JOIN collection k ON k.id = d.collection_id WHERE d.id > ?`, []any{filter.After}
	if filter.ID != 0 {
		query, args = query+` AND d.id = ?`, append(args, filter.ID)
	}
	if filter.Collection != "" {
		query, args = query+` AND k.name = ?`, append(args, store.Text(filter.Collection))
	}
	if filter.Collections != nil {
		names, err := json.Marshal(filter.Collections)
		if err != nil {
			return nil, fail("list documents", err)
		}
		query, args = query+` AND k.name IN (SELECT value FROM json_each(?))`, append(args, string(names))
	}
	switch {
	case filter.Status != "":
		query, args = query+` AND `+documentStatus+` = ?`, append(args, string(filter.Status))
	case filter.ID == 0:
		query += ` AND NOT d.skipped`
	}
	if filter.Match != "" {
		query, args = query+` AND instr(d.folded, ?) > 0`, append(args, store.Fold(filter.Match))
	}
	key, direction, beyond := documentKeys[filter.Order], "", ">"
	if filter.Descending {
		direction, beyond = " DESC", "<"
	}
	if filter.Past != nil {
		query, args = query+` AND (`+key+`, d.id) `+beyond+` (?, ?)`, append(args, documentKey(filter.Order, filter.Past), filter.Past.ID)
	}
	query += ` ORDER BY ` + key + direction + `, d.id` + direction + ` LIMIT ?`
	rows, err := s.reader.QueryContext(ctx, query, append(args, store.Page(filter.Limit))...)
	if err != nil {
		return nil, fail("list documents", err)
	}
	out, err := collect(rows, func(rows *sql.Rows) (corpus.Document, error) {
		var scan documentScan
		err := rows.Scan(scan.dest()...)
		return scan.document(), err
	})
	return out, fail("list documents", err)
}

// Document returns a document with its text; see corpus.Library.
func (s *documents) Document(ctx context.Context, id int64) (corpus.Document, error) {
	var scan documentScan
	err := s.reader.QueryRowContext(ctx, `SELECT `+documentColumns+`, d.text
		FROM document d JOIN collection k ON k.id = d.collection_id WHERE d.id = ?`, id).Scan(append(scan.dest(), &scan.doc.Text)...)
	if errors.Is(err, sql.ErrNoRows) {
		err = store.NoDocument(id)
	}
	if err != nil {
		return corpus.Document{}, fail(fmt.Sprintf("read document %d", id), err)
	}
	return scan.document(), nil
}

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
