package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"iter"
	"time"

	"docent/rag/corpus"

	"docent/store"
	records "docent/store/sql"
)

// Revision returns the current revision; see corpus.Corpus.
func (s *documents) Revision(ctx context.Context) (corpus.Revision, error) {
	var r corpus.Revision
	err := s.reader.QueryRowContext(ctx, `SELECT database_id, revision FROM corpus`).Scan(&r.Database, &r.Number)
	return r, fail("read revision", err)
}

// Changes yields the changed documents, read from one snapshot; see
// corpus.Corpus.
func (s *documents) Changes(ctx context.Context, since int64, embedder string) iter.Seq2[corpus.Change, error] {
	return func(yield func(corpus.Change, error) bool) {
		failed := s.read(ctx, func(tx *sql.Tx) error {
			removals, err := removals(ctx, tx, since)
			if err != nil {
				return err
			}
			store.Changes(since, removals, func(after int64) ([]corpus.Change, error) {
				page, err := changesPage(ctx, tx, after, embedder)
				return page, fail("read changes", err)
			}, yield)
			return nil
		})
		if failed != nil { // no change was yielded yet
			yield(corpus.Change{}, fail("read changes", failed))
		}
	}
}

func removals(ctx context.Context, tx *sql.Tx, since int64) ([]corpus.Change, error) {
	if since <= 0 {
		return nil, nil
	}
	rows, err := tx.QueryContext(ctx, `SELECT revision, document_id FROM document_removal WHERE revision > ? ORDER BY revision`, since)
	if err != nil {
		return nil, err
	}
	return collect(rows, func(rows *sql.Rows) (corpus.Change, error) {
		c := corpus.Change{Removed: true}
		err := rows.Scan(&c.Revision, &c.Document.ID)
		return c, err
	})
}

// changesPage reads the next documents after a revision with all their chunks,
// in two queries.
func changesPage(ctx context.Context, tx *sql.Tx, after int64, embedder string) ([]corpus.Change, error) {
	rows, err := tx.QueryContext(ctx, `SELECT `+records.DocumentColumns+` FROM document d JOIN collection k ON k.id = d.collection_id
		WHERE d.version > ? ORDER BY d.version LIMIT ?`, after, store.ChangesPage)
	if err != nil {
		return nil, err
	}
	page, err := collect(rows, func(rows *sql.Rows) (corpus.Change, error) {
		d, err := records.ScanDocument(rows)
		return corpus.Change{Revision: d.Revision, Document: d}, err
	})
	if err != nil || len(page) == 0 {
		return nil, err
	}
	page = store.CutPage(page)
	rows, err = tx.QueryContext(ctx, `SELECT `+chunkColumns+`, e.vector
		FROM document d CROSS JOIN chunk c ON c.document_id = d.id LEFT JOIN embedding e ON e.chunk_id = c.id AND e.embedder = ?
		WHERE d.version > ? AND d.version <= ? ORDER BY d.version, c.ordinal`, store.Text(embedder), after, page[len(page)-1].Revision)
	if err != nil {
		return nil, err
	}
	return page, fillPage(page, rows)
}

// fillPage assigns chunks to their documents. Both come in the same order.
func fillPage(page []corpus.Change, rows *sql.Rows) error {
	defer rows.Close() //nolint:errcheck // rows.Err reports errors
	var scan chunkScan
	var stored sql.RawBytes
	dest := append(scan.dest(), &stored)
	at := 0
	for rows.Next() {
		if err := rows.Scan(dest...); err != nil {
			return err
		}
		chunk, err := scan.read()
		if err != nil {
			return err
		}
		for page[at].Document.ID != chunk.DocumentID {
			at++
		}
		c := &page[at]
		if c.Chunks == nil {
			c.Chunks = make([]corpus.Chunk, 0, c.Document.Chunks)
			c.Vectors = make([][]float32, 0, c.Document.Chunks)
		}
		var vector []float32
		if stored != nil {
			if vector, err = store.Vector(stored); err != nil {
				return fmt.Errorf("chunk %d: %w", chunk.ID, err)
			}
		}
		c.Chunks, c.Vectors = append(c.Chunks, chunk), append(c.Vectors, vector)
	}
	return rows.Err()
}

// Watch polls the revision; see corpus.Corpus.
func (s *documents) Watch(ctx context.Context) (<-chan struct{}, error) {
	seen, err := s.Revision(ctx)
	if err != nil {
		return nil, fmt.Errorf("watch: %w", err)
	}
	return s.watchers.Start(ctx, func(ctx context.Context, notify func()) {
		tick := time.NewTicker(s.config.Poll)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			// The database may be busy. The next check reads the revision
			// again.
			if now, err := s.Revision(ctx); err == nil && now.Number != seen.Number {
				seen = now
				notify()
			}
		}
	}), nil
}
