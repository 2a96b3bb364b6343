package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"docent/ingest/intake"
	"docent/rag/corpus"
	"docent/store"
	records "docent/store/sql"
)

// Enrichable returns a page of chunks with their keys; see enrich.Store.
func (s *enrichments) Enrichable(ctx context.Context, after int64, limit int) ([]intake.Enrichable, error) {
	out, err := query(ctx, s, func(row pgx.CollectableRow) (intake.Enrichable, error) {
		var chunk chunkScan
		var doc records.DocumentScan
		var key string
		err := row.Scan(append(append(chunk.dest(), doc.Dest()...), &key)...)
		return intake.Enrichable{Passage: corpus.Passage{Chunk: chunk.read(), Document: doc.Document()}, Key: key}, err
	}, `SELECT `+passageColumns+`, coalesce(n.key, '') FROM `+passageTables+`
		LEFT JOIN chunk_enrichment n ON n.chunk_id = c.id WHERE c.id > $1 ORDER BY c.id LIMIT $2`, after, max(limit, 0))
	return out, fail("list chunks to enrich", err)
}

// Enrichments returns stored texts by key; see enrich.Store.
func (s *enrichments) Enrichments(ctx context.Context, keys []string) (map[string]string, error) {
	found, err := query(ctx, s, func(row pgx.CollectableRow) (e intake.Enrichment, err error) {
		err = row.Scan(&e.Key, &e.Text)
		return e, err
	}, `SELECT key, text FROM enrichment WHERE key = ANY ($1)`, store.Texts(keys))
	return store.EnrichmentTexts(found), fail("read enrichments", err)
}

// PutEnrichments stores texts; see enrich.Store.
func (s *enrichments) PutEnrichments(ctx context.Context, all []intake.Enrichment) error {
	if err := store.CheckEnrichments(all); err != nil {
		return fail("put enrichments", err)
	}
	last := make(map[int64]int, len(all)) // of duplicates, the last one counts
	for i, e := range all {
		last[e.ChunkID] = i
	}
	var chunks []int64
	var keys, texts, texted []string // texted are the keys of texts
	for i, e := range all {
		texted, texts = append(texted, store.Text(e.Key)), append(texts, store.Text(e.Text))
		if last[e.ChunkID] == i {
			chunks, keys = append(chunks, e.ChunkID), append(keys, store.Text(e.Key))
		}
	}
	return fail("put enrichments", s.write(ctx, func(tx pgx.Tx) error {
		// The documents are locked first, so that their chunks do not change.
		rows, err := tx.Query(ctx, `SELECT id FROM document WHERE id IN (SELECT document_id FROM chunk WHERE id = ANY ($1)) ORDER BY id FOR UPDATE`, chunks)
		if err != nil {
			return err
		}
		if _, err := pgx.CollectRows(rows, pgx.RowTo[int64]); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `INSERT INTO enrichment (key, text)
			SELECT DISTINCT ON (key) key, text FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS n(key, text, i) ORDER BY key, i
			ON CONFLICT (key) DO NOTHING`, texted, texts); err != nil {
			return err
		}
		rows, err = tx.Query(ctx, `WITH put AS (
				INSERT INTO chunk_enrichment (chunk_id, key)
				SELECT c.id, n.key FROM unnest($1::bigint[], $2::text[]) AS n(id, key) JOIN chunk c ON c.id = n.id
				ON CONFLICT (chunk_id) DO UPDATE SET key = excluded.key RETURNING chunk_id)
			SELECT DISTINCT c.document_id FROM put JOIN chunk c ON c.id = put.chunk_id ORDER BY c.document_id`, chunks, keys)
		if err != nil {
			return err
		}
		documents, err := pgx.CollectRows(rows, pgx.RowTo[int64])
		if err != nil {
			return err
		}
		return finish(ctx, tx, documents, nil)
	}))
}

// PruneEnrichments deletes texts without a chunk; see enrich.Store.
func (s *enrichments) PruneEnrichments(ctx context.Context) error {
	return fail("prune enrichments", s.write(ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `DELETE FROM enrichment e WHERE NOT EXISTS (SELECT FROM chunk_enrichment n WHERE n.key = e.key)`)
		return err
	}))
}

// Enriched returns a page of the enrichments of changed documents; see
// retrieve.Enrichments.
func (s *enrichments) Enriched(ctx context.Context, since, after int64, limit int) ([]corpus.Enrichment, error) {
	out, err := query(ctx, s, func(row pgx.CollectableRow) (corpus.Enrichment, error) {
		var e corpus.Enrichment
		err := row.Scan(&e.ChunkID, &e.Ordinal, &e.Document.ID, &e.Document.Collection, &e.Document.Source, &e.Document.Language, &e.Text)
		return e, err
	}, `SELECT c.id, c.ordinal, d.id, k.name, d.source, d.language, e.text
		FROM chunk_enrichment n JOIN chunk c ON c.id = n.chunk_id JOIN document d ON d.id = c.document_id
		JOIN collection k ON k.id = d.collection_id JOIN enrichment e ON e.key = n.key
		WHERE n.chunk_id > $1 AND d.version > $2 ORDER BY n.chunk_id LIMIT $3`, after, since, max(limit, 0))
	return out, fail("read enrichments", err)
}
