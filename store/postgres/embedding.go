package postgres

import (
	"context"
	"fmt"

	"docent/rag/corpus"

	"github.com/jackc/pgx/v5"

	"docent/ingest/intake"
	"docent/store"
)

// Unembedded returns chunks without a vector of the embedder; see ingest.Store.
func (s *documents) Unembedded(ctx context.Context, embedder string, after int64, limit int) ([]corpus.Passage, error) {
	out, err := query(ctx, s, scanPassage, `SELECT `+passageColumns+` FROM `+passageTables+`
		WHERE c.id > $1 AND NOT EXISTS (SELECT FROM embedding e WHERE e.chunk_id = c.id AND e.embedder = $2)
		ORDER BY c.id LIMIT $3`, after, store.Text(embedder), max(limit, 0))
	return out, fail("list chunks without "+embedder, err)
}

// PutEmbeddings stores vectors; see ingest.Store.
func (s *documents) PutEmbeddings(ctx context.Context, embedder string, embeddings []intake.Embedding) error {
	if err := store.CheckEmbeddings(embedder, embeddings); err != nil {
		return fail("put embeddings by "+embedder, err)
	}
	last := make(map[int64]int, len(embeddings)) // of duplicates, the last one counts
	for i, e := range embeddings {
		last[e.ChunkID] = i
	}
	var chunks []int64
	var vectors [][]byte
	for i, e := range embeddings {
		if last[e.ChunkID] == i {
			chunks, vectors = append(chunks, e.ChunkID), append(vectors, store.AppendVector(nil, e.Vector))
		}
	}
	err := s.write(ctx, func(tx pgx.Tx) error {
		// The documents are locked first, so that their chunks do not change.
		rows, err := tx.Query(ctx, `SELECT id FROM document WHERE id IN (SELECT document_id FROM chunk WHERE id = ANY ($1)) ORDER BY id FOR UPDATE`, chunks)
		if err != nil {
			return err
		}
		if _, err := pgx.CollectRows(rows, pgx.RowTo[int64]); err != nil {
			return err
		}
		rows, err = tx.Query(ctx, `WITH put AS (
				INSERT INTO embedding (chunk_id, embedder, vector)
				SELECT c.id, $2, n.vector FROM unnest($1::bigint[], $3::bytea[]) AS n(id, vector) JOIN chunk c ON c.id = n.id
				ON CONFLICT (chunk_id, embedder) DO UPDATE SET vector = excluded.vector RETURNING chunk_id)
			SELECT DISTINCT c.document_id FROM put JOIN chunk c ON c.id = put.chunk_id ORDER BY c.document_id`, chunks, store.Text(embedder), vectors)
		if err != nil {
			return err
		}
		documents, err := pgx.CollectRows(rows, pgx.RowTo[int64])
		if err != nil {
			return err
		}
		return finish(ctx, tx, documents, nil)
	})
	return fail(fmt.Sprintf("put %d embeddings by %s", len(embeddings), embedder), err)
}
