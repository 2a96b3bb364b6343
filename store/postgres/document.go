package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"docent/ingest/intake"
	"docent/store"
	records "docent/store/sql"
)

// Sources returns the state of a collection's sources; see ingest.Store.
func (s *documents) Sources(ctx context.Context, collection, embedder, one string) ([]intake.SourceState, error) {
	out, err := query(ctx, s, func(row pgx.CollectableRow) (intake.SourceState, error) {
		var st intake.SourceState
		err := row.Scan(&st.ID, &st.Source, &st.Title, &st.SHA256, &st.Size, &st.ModifiedUnixNano, &st.ETag,
			&st.Status, &st.Error.Message, &st.Error.Sentence,
			&st.Pipeline, &st.Chunks, &st.Embedded)
		return st, err
	}, `WITH d AS MATERIALIZED (
			SELECT d.id, d.source, d.title, d.sha256, d.size, d.mtime, d.etag, `+records.DocumentStatus+` AS status, d.error, d.sentence,
				d.pipeline, d.chunks
			FROM document d JOIN collection k ON k.id = d.collection_id
			WHERE k.name = $1 AND ($3 = '' OR d.source = $3 OR starts_with(d.source, $3 || '#'))
		)
		SELECT d.id, d.source, d.title, d.sha256, d.size, d.mtime, d.etag, d.status, d.error, d.sentence,
			d.pipeline, d.chunks, coalesce(n.embedded, 0)
		FROM d LEFT JOIN (
			SELECT c.document_id, count(*) AS embedded FROM chunk c JOIN embedding e ON e.chunk_id = c.id AND e.embedder = $2
			WHERE c.document_id IN (SELECT id FROM d) GROUP BY c.document_id
		) n ON n.document_id = d.id
		ORDER BY d.source COLLATE "C"`, store.Text(collection), store.Text(embedder), store.Text(one))
	return out, fail("list sources of "+collection, err)
}
