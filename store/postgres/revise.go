package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"docent/store"
)

// announce ends a statement that has a revision in r: it wakes who watches,
// when the transaction commits.
const announce = ` SELECT pg_notify('` + channel + `', revision::text) FROM r`

// finish ends a change: the bytes no document refers to any more go, and each
// document gets its revision. That is last, because the lock on the corpus' row
// makes all that change documents commit one after the other, in the order of
// their revisions.
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

// RemoveDocuments deletes documents; see ingest.Store.
func (s *documents) RemoveDocuments(ctx context.Context, ids []int64) (int, error) {
	var gone []int64
	err := s.write(ctx, func(tx pgx.Tx) error {
		gone = nil
		var blobs []string
		var id int64
		var blob string
		// The inner query locks by id, as PutDocuments does.
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

// queueDropBlobs removes bytes that no document refers to any more.
func queueDropBlobs(batch *pgx.Batch, keys []string) {
	if len(keys) > 0 {
		batch.Queue(`DELETE FROM blob b WHERE b.sha256 = ANY ($1) AND NOT EXISTS (SELECT FROM document d WHERE d.blob_sha256 = b.sha256)`, store.Keys(keys))
	}
}
