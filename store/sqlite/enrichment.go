package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"docent/ingest/intake"
	"docent/rag/corpus"
	"docent/store"
	records "docent/store/sql"
)

// Enrichable returns a page of chunks with their keys; see enrich.Store.
func (s *enrichments) Enrichable(ctx context.Context, after int64, limit int) ([]intake.Enrichable, error) {
	rows, err := s.reader.QueryContext(ctx, `SELECT `+chunkColumns+`, `+records.DocumentColumns+`, coalesce(n.key, '')
		FROM chunk c CROSS JOIN document d ON d.id = c.document_id JOIN collection k ON k.id = d.collection_id
		LEFT JOIN chunk_enrichment n ON n.chunk_id = c.id WHERE c.id > ? ORDER BY c.id LIMIT ?`, after, max(limit, 0))
	if err != nil {
		return nil, fail("list chunks to enrich", err)
	}
	var chunk chunkScan
	var doc records.DocumentScan
	var key string
	dest := append(append(chunk.dest(), doc.Dest()...), &key)
	out, err := collect(rows, func(rows *sql.Rows) (intake.Enrichable, error) {
		if err := rows.Scan(dest...); err != nil {
			return intake.Enrichable{}, err
		}
		c, err := chunk.read()
		return intake.Enrichable{Passage: corpus.Passage{Chunk: c, Document: doc.Document()}, Key: key}, err
	})
	return out, fail("list chunks to enrich", err)
}

// Enrichments returns stored texts by key; see enrich.Store.
func (s *enrichments) Enrichments(ctx context.Context, keys []string) (map[string]string, error) {
	list, err := json.Marshal(keys)
	if err != nil {
		return nil, fail("read enrichments", err)
	}
	rows, err := s.reader.QueryContext(ctx, `SELECT key, text FROM enrichment WHERE key IN (SELECT value FROM json_each(?))`, string(list))
	if err != nil {
		return nil, fail("read enrichments", err)
	}
	found, err := collect(rows, func(rows *sql.Rows) (e intake.Enrichment, err error) {
		err = rows.Scan(&e.Key, &e.Text)
		return e, err
	})
	return store.EnrichmentTexts(found), fail("read enrichments", err)
}

// PutEnrichments stores texts; see enrich.Store.
func (s *enrichments) PutEnrichments(ctx context.Context, all []intake.Enrichment) error {
	if err := store.CheckEnrichments(all); err != nil {
		return fail("put enrichments", err)
	}
	return fail("put enrichments", s.write(ctx, func(ctx context.Context, w *writer) error {
		var documents []int64
		known := map[int64]bool{}
		for _, e := range all {
			if _, err := w.exec(ctx, `INSERT INTO enrichment (key, text) VALUES (?, ?) ON CONFLICT (key) DO NOTHING`,
				store.Text(e.Key), store.Text(e.Text)); err != nil {
				return err
			}
			var document int64
			err := w.row(ctx, `SELECT document_id FROM chunk WHERE id = ?`, e.ChunkID).Scan(&document)
			if errors.Is(err, sql.ErrNoRows) {
				continue
			}
			if err != nil {
				return err
			}
			if _, err := w.exec(ctx, `INSERT INTO chunk_enrichment (chunk_id, key) VALUES (?, ?)
				ON CONFLICT (chunk_id) DO UPDATE SET key = excluded.key`, e.ChunkID, store.Text(e.Key)); err != nil {
				return err
			}
			if !known[document] {
				known[document] = true
				documents = append(documents, document)
			}
		}
		return finish(ctx, w, documents, nil)
	}))
}

// PruneEnrichments deletes texts without a chunk; see enrich.Store.
func (s *enrichments) PruneEnrichments(ctx context.Context) error {
	return fail("prune enrichments", s.write(ctx, func(ctx context.Context, w *writer) error {
		_, err := w.exec(ctx, `DELETE FROM enrichment WHERE NOT EXISTS (SELECT 1 FROM chunk_enrichment n WHERE n.key = enrichment.key)`)
		return err
	}))
}

// Enriched returns a page of the enrichments of changed documents; see
// retrieve.Enrichments.
func (s *enrichments) Enriched(ctx context.Context, since, after int64, limit int) ([]corpus.Enrichment, error) {
	rows, err := s.reader.QueryContext(ctx, `SELECT c.id, c.ordinal, d.id, k.name, d.source, d.language, e.text
		FROM chunk_enrichment n CROSS JOIN chunk c ON c.id = n.chunk_id JOIN document d ON d.id = c.document_id
		JOIN collection k ON k.id = d.collection_id JOIN enrichment e ON e.key = n.key
		WHERE n.chunk_id > ? AND d.version > ? ORDER BY n.chunk_id LIMIT ?`, after, since, max(limit, 0))
	if err != nil {
		return nil, fail("read enrichments", err)
	}
	out, err := collect(rows, func(rows *sql.Rows) (corpus.Enrichment, error) {
		var e corpus.Enrichment
		err := rows.Scan(&e.ChunkID, &e.Ordinal, &e.Document.ID, &e.Document.Collection, &e.Document.Source, &e.Document.Language, &e.Text)
		return e, err
	})
	return out, fail("read enrichments", err)
}
