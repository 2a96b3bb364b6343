package postgres

import (
	"context"
	"fmt"
	"iter"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"docent/rag"
	"docent/store"
)

// Revision returns the present state; see rag.Corpus.
func (s *Store) Revision(ctx context.Context) (rag.Revision, error) {
	var r rag.Revision
	err := s.pool.QueryRow(ctx, `SELECT database_id, revision FROM corpus`).Scan(&r.Database, &r.Number)
	return r, fail("read revision", err)
}

// Changes yields what changed, read from one snapshot; see rag.Corpus.
func (s *Store) Changes(ctx context.Context, since int64, embedder string) iter.Seq2[rag.Change, error] {
	return func(yield func(rag.Change, error) bool) {
		ended := false // yield was told the error, or wants no more
		err := s.snapshot(ctx, func(tx pgx.Tx) error {
			removals, err := removals(ctx, tx, since)
			if err != nil {
				return err
			}
			store.Changes(since, removals, func(after int64) ([]rag.Change, error) {
				page, err := changesPage(ctx, tx, after, store.Text(embedder))
				return page, fail("read changes", err)
			}, func(c rag.Change, err error) bool {
				ended = !yield(c, err) || err != nil
				return !ended
			})
			return nil
		})
		if err != nil && !ended {
			yield(rag.Change{}, fail("read changes", err))
		}
	}
}

// removals reads what was removed after a revision. Compiling the queries of a
// stream takes longer than running them, so that is turned off with the first.
func removals(ctx context.Context, tx pgx.Tx, since int64) ([]rag.Change, error) {
	if _, err := tx.Exec(ctx, `SET LOCAL jit = off`); err != nil || since <= 0 {
		return nil, err
	}
	rows, err := tx.Query(ctx, `SELECT revision, document_id FROM document_removal WHERE revision > $1 ORDER BY revision`, since)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (rag.Change, error) {
		c := rag.Change{Removed: true}
		err := row.Scan(&c.Revision, &c.Document.ID)
		return c, err
	})
}

// changesPage reads the next documents after a revision with all their chunks:
// two queries, however many they are.
func changesPage(ctx context.Context, tx pgx.Tx, after int64, embedder string) ([]rag.Change, error) {
	rows, err := tx.Query(ctx, `SELECT `+documentColumns+` FROM document d JOIN collection k ON k.id = d.collection_id
		WHERE d.version > $1 ORDER BY d.version LIMIT $2`, after, store.ChangesPage)
	if err != nil {
		return nil, err
	}
	page, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (rag.Change, error) {
		d, err := scanDocument(row)
		return rag.Change{Revision: d.Version, Document: d}, err
	})
	if err != nil || len(page) == 0 {
		return nil, err
	}
	page = store.CutPage(page)
	rows, err = tx.Query(ctx, `SELECT `+chunkColumns+`, e.vector
		FROM document d JOIN chunk c ON c.document_id = d.id LEFT JOIN embedding e ON e.chunk_id = c.id AND e.embedder = $1
		WHERE d.version > $2 AND d.version <= $3 ORDER BY d.version, c.ordinal`, embedder, after, page[len(page)-1].Revision)
	if err != nil {
		return nil, err
	}
	return page, fillPage(page, rows)
}

// fillPage hands chunks, which come in the order of the page's documents, to
// their documents.
func fillPage(page []rag.Change, rows pgx.Rows) error {
	defer rows.Close()
	var scan chunkScan
	var stored pgtype.DriverBytes // the driver's memory: no copy
	dest := append(scan.dest(), &stored)
	at := 0
	for rows.Next() {
		if err := rows.Scan(dest...); err != nil {
			return err
		}
		chunk := scan.read()
		for page[at].Document.ID != chunk.DocumentID {
			at++
		}
		c := &page[at]
		if c.Chunks == nil {
			c.Chunks = make([]rag.Chunk, 0, c.Document.Chunks)
			c.Vectors = make([][]float32, 0, c.Document.Chunks)
		}
		var vector []float32
		if stored != nil {
			var err error
			if vector, err = store.Vector(stored); err != nil {
				return fmt.Errorf("chunk %d: %w", chunk.ID, err)
			}
		}
		c.Chunks, c.Vectors = append(c.Chunks, chunk), append(c.Vectors, vector)
	}
	return rows.Err()
}
