package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"docent/store"
	records "docent/store/sql"
)

// announce ends a statement with a revision in r. It notifies watchers when the
// transaction commits.
const announce = ` SELECT pg_notify('` + channel + `', revision::text) FROM r`

// finish ends a change of documents. It deletes bytes that no document refers
// to and gives each document a new revision. It runs last: the lock on the row
// of corpus orders commits by revision.
func finish(ctx context.Context, tx pgx.Tx, documents []int64, blobs []string) error {
	batch := &pgx.Batch{}
	queueDropBlobs(batch, blobs)
	if len(documents) > 0 {
		batch.Queue(`WITH r AS (UPDATE corpus SET revision = revision + cardinality($1::bigint[]) RETURNING revision),
			d AS (UPDATE document SET version = r.revision - cardinality($1::bigint[]) + n.n
				FROM r, unnest($1::bigint[]) WITH ORDINALITY AS n(id, n) WHERE document.id = n.id)`+announce, documents)
	}
	if batch.Len() == 0 {
		return nil
	}
	return tx.SendBatch(ctx, batch).Close()
}

// MoveDocuments moves documents to a collection; see corpus.Mover.
func (s *documents) MoveDocuments(ctx context.Context, ids []int64, collection string) (int, error) {
	var moved []int64
	err := s.write(ctx, func(tx pgx.Tx) (err error) {
		if moved, err = records.Move(ctx, recordTx{tx}, ids, collection); err != nil {
			return err
		}
		return finish(ctx, tx, moved, nil)
	})
	if err != nil {
		return 0, fail("move documents to "+collection, err)
	}
	return len(moved), nil
}

// RenameDocument changes the title of a document; see corpus.Renamer.
func (s *documents) RenameDocument(ctx context.Context, id int64, title string) error {
	err := s.write(ctx, func(tx pgx.Tx) error {
		changed, err := records.Rename(ctx, recordTx{tx}, id, title)
		if err != nil || !changed {
			return err
		}
		return finish(ctx, tx, []int64{id}, nil)
	})
	return fail(fmt.Sprintf("rename document %d", id), err)
}

// RemoveDocuments deletes documents; see ingest.Store.
func (s *documents) RemoveDocuments(ctx context.Context, ids []int64) (int, error) {
	var gone []int64
	err := s.write(ctx, func(tx pgx.Tx) error {
		gone = nil
		var blobs []string
		var id int64
		var blob string
		// The inner query locks rows by id, like PutDocuments.
		rows, err := tx.Query(ctx, `DELETE FROM document WHERE id IN (SELECT id FROM document WHERE id = ANY ($1) ORDER BY id FOR UPDATE)
			RETURNING id, coalesce(blob_sha256, '')`, ids)
		if err != nil {
			return err
		}
		_, err = pgx.ForEachRow(rows, []any{&id, &blob}, func() error {
			gone, blobs = append(gone, id), append(blobs, blob)
			return nil
		})
		if err != nil || len(gone) == 0 {
			return err
		}
		batch := &pgx.Batch{}
		queueDropBlobs(batch, blobs)
		batch.Queue(`WITH r AS (UPDATE corpus SET revision = revision + cardinality($1::bigint[]) RETURNING revision),
			d AS (INSERT INTO document_removal (document_id, revision)
				SELECT n.id, r.revision - cardinality($1::bigint[]) + n.n FROM r, unnest($1::bigint[]) WITH ORDINALITY AS n(id, n))`+announce, gone)
		return tx.SendBatch(ctx, batch).Close()
	})
	if err != nil {
		return 0, fail(fmt.Sprintf("remove %d documents", len(ids)), err)
	}
	return len(gone), nil
}

// queueDropBlobs deletes bytes that no document refers to anymore.
func queueDropBlobs(batch *pgx.Batch, keys []string) {
	if len(keys) > 0 {
		batch.Queue(`DELETE FROM blob b WHERE b.sha256 = ANY ($1) AND NOT EXISTS (SELECT FROM document d WHERE d.blob_sha256 = b.sha256)`, store.Keys(keys))
	}
}
