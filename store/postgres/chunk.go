package postgres

import (
	"context"
	"fmt"

	"docent/rag/corpus"

	"github.com/jackc/pgx/v5"

	"docent/store"
	records "docent/store/sql"
)

// chunkColumns are the columns of chunk c that chunkScan reads.
const chunkColumns = `c.id, c.document_id, c.ordinal, c.kind, c.headings, c.page, c.page_label, c.start_byte, c.end_byte, c.tokens, c.text`

// chunkScan reads chunks one after another.
type chunkScan struct {
	chunk corpus.Chunk
	kind  string
}

func (s *chunkScan) dest() []any {
	c := &s.chunk
	return []any{&c.ID, &c.DocumentID, &c.Ordinal, &s.kind, &c.Headings, &c.Page, &c.PageLabel, &c.Start, &c.End, &c.Tokens, &c.Text}
}

// read returns the chunk that was scanned last.
func (s *chunkScan) read() corpus.Chunk {
	c := s.chunk
	c.Kind = corpus.Kind(s.kind)
	if len(c.Headings) == 0 {
		c.Headings = nil
	}
	s.chunk.Headings, s.chunk.Page = nil, nil // the next chunk gets its own
	return c
}

// DocumentChunks returns a page of a document's chunks; see corpus.Library.
func (s *documents) DocumentChunks(ctx context.Context, id int64, after, limit int) ([]corpus.Chunk, error) {
	out, err := query(ctx, s, func(row pgx.CollectableRow) (corpus.Chunk, error) {
		var scan chunkScan
		err := row.Scan(scan.dest()...)
		return scan.read(), err
	}, `SELECT `+chunkColumns+` FROM chunk c WHERE c.document_id = $1 AND c.ordinal > $2::bigint ORDER BY c.ordinal LIMIT $3`,
		id, after, store.ChunkPage(limit))
	if err == nil && len(out) == 0 {
		var there bool
		err = s.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM document WHERE id = $1)`, id).Scan(&there)
		if err == nil && !there {
			err = store.NoDocument(id)
		}
	}
	return out, fail(fmt.Sprintf("read chunks of document %d", id), err)
}

// passageColumns are the columns that scanPassage reads from passageTables.
const (
	passageColumns = chunkColumns + `, ` + records.DocumentColumns
	passageTables  = `chunk c JOIN document d ON d.id = c.document_id JOIN collection k ON k.id = d.collection_id`
)

func scanPassage(row pgx.CollectableRow) (corpus.Passage, error) {
	var chunk chunkScan
	var doc records.DocumentScan
	err := row.Scan(append(chunk.dest(), doc.Dest()...)...)
	return corpus.Passage{Chunk: chunk.read(), Document: doc.Document()}, err
}

// Passages returns chunks with their documents; see corpus.Corpus.
func (s *documents) Passages(ctx context.Context, ids []int64) ([]corpus.Passage, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	found, err := query(ctx, s, scanPassage, `SELECT `+passageColumns+` FROM `+passageTables+` WHERE c.id = ANY ($1)`, ids)
	if err != nil {
		return nil, fail("read passages", err)
	}
	return store.InOrder(ids, found), nil
}
