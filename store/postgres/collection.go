package postgres

import (
	"context"

	"docent/rag/corpus"

	"github.com/jackc/pgx/v5"
)

// Collections lists the collections that hold documents, and the default one;
// see rag.Library.
func (s *Store) Collections(ctx context.Context) ([]corpus.CollectionInfo, error) {
	out, err := query(ctx, s, pgx.RowToStructByPos[corpus.CollectionInfo], `SELECT k.name, count(d.id) FILTER (WHERE d.status = 'ready'),
			count(d.id) FILTER (WHERE d.status = 'failed'), coalesce(sum(d.chunks), 0)
		FROM collection k LEFT JOIN document d ON d.collection_id = k.id
		GROUP BY k.id HAVING count(d.id) > 0 OR k.name = $1 ORDER BY k.name COLLATE "C"`, corpus.DefaultCollection)
	return out, fail("list collections", err)
}
