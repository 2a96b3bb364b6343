package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"docent/rag/corpus"

	"docent/ingest/intake"
	"docent/store"
	records "docent/store/sql"
)

// Unembedded returns chunks without a vector of the embedder; see ingest.Store.
func (s *documents) Unembedded(ctx context.Context, embedder string, after int64, limit int) ([]corpus.Passage, error) {
	rows, err := s.reader.QueryContext(ctx, `SELECT `+chunkColumns+`, `+records.DocumentColumns+`
		FROM chunk c CROSS JOIN document d ON d.id = c.document_id JOIN collection k ON k.id = d.collection_id
		WHERE c.id > ? AND NOT EXISTS (SELECT 1 FROM embedding e WHERE e.chunk_id = c.id AND e.embedder = ?)
		ORDER BY c.id LIMIT ?`, after, store.Text(embedder), max(limit, 0))
	if err != nil {
		return nil, fail("list chunks without "+embedder, err)
	}
	out, err := passages(rows)
	return out, fail("list chunks without "+embedder, err)
}

// PutEmbeddings stores vectors; see ingest.Store.
func (s *documents) PutEmbeddings(ctx context.Context, embedder string, embeddings []intake.Embedding) error {
	if err := store.CheckEmbeddings(embedder, embeddings); err != nil {
		return fail("put embeddings by "+embedder, err)
	}
	err := s.write(ctx, func(ctx context.Context, w *writer) error {
		var documents []int64
		known := map[int64]bool{}
		var vector []byte
		for _, e := range embeddings {
			var document int64
			err := w.row(ctx, `SELECT document_id FROM chunk WHERE id = ?`, e.ChunkID).Scan(&document)
			if errors.Is(err, sql.ErrNoRows) {
				continue
			}
			if err != nil {
				return err
			}
			if !known[document] {
				known[document] = true
				documents = append(documents, document)
			}
			vector = store.AppendVector(vector[:0], e.Vector)
			if _, err := w.exec(ctx, `INSERT INTO embedding (chunk_id, embedder, vector) VALUES (?, ?, ?)
				ON CONFLICT (chunk_id, embedder) DO UPDATE SET vector = excluded.vector`, e.ChunkID, store.Text(embedder), vector); err != nil {
				return err
			}
		}
		return finish(ctx, w, documents, nil)
	})
	return fail(fmt.Sprintf("put %d embeddings by %s", len(embeddings), embedder), err)
}
