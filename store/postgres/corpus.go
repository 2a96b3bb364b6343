package postgres

import (
	"context"
	"fmt"
	"iter"

	"docent/rag/corpus"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"docent/store"
	records "docent/store/sql"
)

// Revision returns the current revision; see corpus.Corpus.
func (s *documents) Revision(ctx context.Context) (corpus.Revision, error) {
	var r corpus.Revision
	err := s.pool.QueryRow(ctx, `SELECT database_id, revision FROM corpus`).Scan(&r.Database, &r.Number)
	return r, fail("read revision", err)
}

// Changes yields the changed documents, read from one snapshot; see
// corpus.Corpus.
func (s *documents) Changes(ctx context.Context, since int64, embedder string) iter.Seq2[corpus.Change, error] {
	return func(yield func(corpus.Change, error) bool) {
		ended := false // yield has received an error or has stopped
		err := s.snapshot(ctx, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, plan); err != nil {
				return err
			}
			removals, err := removals(ctx, tx, since)
			if err != nil {
				return err
			}
			store.Changes(since, removals, func(after int64) ([]corpus.Change, error) {
				page, err := changesPage(ctx, tx, after, store.Text(embedder))
				return page, fail("read changes", err)
			}, func(c corpus.Change, err error) bool {
				ended = !yield(c, err) || err != nil
				return !ended
			})
			return nil
		})
		if err != nil && !ended {
			yield(corpus.Change{}, fail("read changes", err))
		}
	}
}

// plan disables sequential scans and merge joins: without statistics, the
// planner would use them and read whole tables for each page. It also disables
// JIT, which takes longer than these queries.
const plan = `SELECT set_config('jit', 'off', true), set_config('enable_seqscan', 'off', true), set_config('enable_mergejoin', 'off', true)`

// removals reads the removals after a revision.
func removals(ctx context.Context, tx pgx.Tx, since int64) ([]corpus.Change, error) {
	if since <= 0 {
		return nil, nil
	}
	rows, err := tx.Query(ctx, `SELECT revision, document_id FROM document_removal WHERE revision > $1 ORDER BY revision`, since)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (corpus.Change, error) {
		c := corpus.Change{Removed: true}
		err := row.Scan(&c.Revision, &c.Document.ID)
		return c, err
	})
}

// changesPage reads the next documents after a revision with all their chunks,
// in two queries.
func changesPage(ctx context.Context, tx pgx.Tx, after int64, embedder string) ([]corpus.Change, error) {
	rows, err := tx.Query(ctx, `SELECT `+records.DocumentColumns+` FROM document d JOIN collection k ON k.id = d.collection_id
		WHERE d.version > $1 ORDER BY d.version LIMIT $2`, after, store.ChangesPage)
	if err != nil {
		return nil, err
	}
	page, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (corpus.Change, error) {
		d, err := records.ScanDocument(row)
		return corpus.Change{Revision: d.Revision, Document: d}, err
	})
	if err != nil || len(page) == 0 {
		return nil, err
	}
	page = store.CutPage(page)
	at := make(map[int64]*corpus.Change, len(page))
	ids := make([]int64, len(page))
	for i := range page {
		c := &page[i]
		if n := c.Document.Chunks; n > 0 {
			c.Chunks, c.Vectors = make([]corpus.Chunk, n), make([][]float32, n)
		}
		ids[i], at[c.Document.ID] = c.Document.ID, c
	}
	// Without ORDER BY: sorting rows of kilobytes is slower than reading them.
	rows, err = tx.Query(ctx, `SELECT `+chunkColumns+`, e.vector
		FROM chunk c LEFT JOIN embedding e ON e.chunk_id = c.id AND e.embedder = $1 WHERE c.document_id = ANY ($2)`, embedder, ids)
	if err != nil {
		return nil, err
	}
	return page, fillPage(at, rows)
}

// fillPage assigns chunks to their documents.
func fillPage(at map[int64]*corpus.Change, rows pgx.Rows) error {
	defer rows.Close()
	var scan chunkScan
	var stored pgtype.DriverBytes // the driver's memory, not a copy
	dest := append(scan.dest(), &stored)
	for rows.Next() {
		if err := rows.Scan(dest...); err != nil {
			return err
		}
		chunk := scan.read()
		c := at[chunk.DocumentID]
		if chunk.Ordinal < 0 || chunk.Ordinal >= len(c.Chunks) {
			return fmt.Errorf("chunk %d is number %d of %d in document %d", chunk.ID, chunk.Ordinal, len(c.Chunks), chunk.DocumentID)
		}
		c.Chunks[chunk.Ordinal] = chunk
		if stored != nil {
			var err error
			if c.Vectors[chunk.Ordinal], err = store.Vector(stored); err != nil {
				return fmt.Errorf("chunk %d: %w", chunk.ID, err)
			}
		}
	}
	return rows.Err()
}
