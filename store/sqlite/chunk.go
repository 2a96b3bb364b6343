package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"docent/rag/corpus"

	"docent/store"
	records "docent/store/sql"
)

// chunkColumns are the columns of chunk c that chunkScan reads.
const chunkColumns = `c.id, c.document_id, c.ordinal, c.kind, c.headings, c.page, c.page_label, c.start_byte, c.end_byte, c.tokens, c.text`

// chunkScan reads chunks one after another.
type chunkScan struct {
	chunk    corpus.Chunk
	page     sql.NullInt64
	headings sql.RawBytes
	// last is the heading path of the previous chunk, as stored and as parsed.
	// Consecutive chunks usually have the same path.
	last   []byte
	parsed []string
}

func (s *chunkScan) dest() []any {
	c := &s.chunk
	return []any{&c.ID, &c.DocumentID, &c.Ordinal, &c.Kind, &s.headings, &s.page, &c.PageLabel, &c.Start, &c.End, &c.Tokens, &c.Text}
}

// read returns the chunk that was scanned last.
func (s *chunkScan) read() (corpus.Chunk, error) {
	if s.last == nil || string(s.headings) != string(s.last) {
		s.last, s.parsed = append(s.last[:0], s.headings...), nil
		if err := json.Unmarshal(s.headings, &s.parsed); err != nil {
			return corpus.Chunk{}, fmt.Errorf("headings of chunk %d: %w", s.chunk.ID, err)
		}
		if len(s.parsed) == 0 {
			s.parsed = nil
		}
	}
	c := s.chunk
	c.Headings, c.Page = s.parsed, nil
	if s.page.Valid {
		page := int(s.page.Int64)
		c.Page = &page
	}
	return c, nil
}

// headings returns the stored form of a heading path.
func headings(path []string) (string, error) {
	b, err := json.Marshal(store.Texts(path))
	return string(b), err
}

// DocumentChunks returns a page of a document's chunks; see corpus.Library.
func (s *documents) DocumentChunks(ctx context.Context, id int64, after, limit int) ([]corpus.Chunk, error) {
	var out []corpus.Chunk
	err := s.read(ctx, func(tx *sql.Tx) error {
		var there int
		err := tx.QueryRowContext(ctx, `SELECT 1 FROM document WHERE id = ?`, id).Scan(&there)
		if errors.Is(err, sql.ErrNoRows) {
			return store.NoDocument(id)
		}
		if err != nil {
			return err
		}
		rows, err := tx.QueryContext(ctx, `SELECT `+chunkColumns+` FROM chunk c
			WHERE c.document_id = ? AND c.ordinal > ? ORDER BY c.ordinal LIMIT ?`, id, after, store.ChunkPage(limit))
		if err != nil {
			return err
		}
		var scan chunkScan
		out, err = collect(rows, func(rows *sql.Rows) (corpus.Chunk, error) {
			if err := rows.Scan(scan.dest()...); err != nil {
				return corpus.Chunk{}, err
			}
			return scan.read()
		})
		return err
	})
	return out, fail(fmt.Sprintf("read chunks of document %d", id), err)
}

// Passages returns chunks with their documents; see corpus.Corpus.
func (s *documents) Passages(ctx context.Context, ids []int64) ([]corpus.Passage, error) {
	list, err := idList(ids)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	rows, err := s.reader.QueryContext(ctx, `SELECT `+chunkColumns+`, `+records.DocumentColumns+`
		FROM chunk c JOIN document d ON d.id = c.document_id JOIN collection k ON k.id = d.collection_id
		WHERE c.id IN (SELECT value FROM json_each(?))`, list)
	if err != nil {
		return nil, fail("read passages", err)
	}
	found, err := passages(rows)
	if err != nil {
		return nil, fail("read passages", err)
	}
	return store.InOrder(ids, found), nil
}

// passages reads rows of chunkColumns and records.DocumentColumns.
func passages(rows *sql.Rows) ([]corpus.Passage, error) {
	var chunk chunkScan
	var doc records.DocumentScan
	dest := append(chunk.dest(), doc.Dest()...)
	return collect(rows, func(rows *sql.Rows) (corpus.Passage, error) {
		if err := rows.Scan(dest...); err != nil {
			return corpus.Passage{}, err
		}
		c, err := chunk.read()
		return corpus.Passage{Chunk: c, Document: doc.Document()}, err
	})
}

// idList returns ids as a parameter for json_each.
func idList(ids []int64) (string, error) {
	b, err := json.Marshal(ids)
	return string(b), err
}
