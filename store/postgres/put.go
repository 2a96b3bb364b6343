package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"docent/ingest/intake"
	"docent/rag/corpus"
	"docent/store"
	records "docent/store/sql"
	"docent/webhook"
)

// PutDocuments stores documents in one transaction; see ingest.Store.
func (s *documents) PutDocuments(ctx context.Context, puts []intake.Put) ([]int64, error) {
	for _, p := range puts {
		if err := store.CheckPut(p); err != nil {
			return nil, fail("put "+p.Document.Source, err)
		}
	}
	if len(puts) == 0 {
		return nil, nil
	}
	unique, at := store.Unique(puts, func(p intake.Put) string {
		return store.Text(p.Document.Collection) + "\x00" + store.Text(p.Document.Source)
	})
	var ids []int64
	dropped := 0
	err := s.write(ctx, func(tx pgx.Tx) error {
		p := &putting{puts: unique, now: s.config.Now()}
		err := p.run(ctx, tx)
		ids, dropped = p.ids, p.dropped
		return err
	})
	if err != nil {
		return nil, fail(fmt.Sprintf("put %d documents from %s", len(unique), unique[0].Document.Source), err)
	}
	if dropped > 0 {
		s.config.Dropped(ctx, dropped)
	}
	out := make([]int64, len(puts))
	for i, n := range at {
		out[i] = ids[n]
	}
	return out, nil
}

// putting is the transaction of one PutDocuments. It takes four round trips
// between BEGIN and COMMIT, whatever the number of documents, and two more with webhooks.
type putting struct {
	puts []intake.Put
	now  time.Time
	// old are the replaced documents. blobs are the keys of their
	// original bytes.
	old   []records.Earlier
	blobs []string
	// ids are the ids of the documents, in the order of puts. chunks are the
	// ids of their chunks in the same order.
	ids, chunks []int64
	// webhooks are the receivers of messages about the documents.
	webhooks []webhook.Webhook
	// dropped counts the messages for which a webhook has no room.
	dropped int
}

func (p *putting) run(ctx context.Context, tx pgx.Tx) error {
	if err := p.documents(ctx, tx); err != nil {
		return err
	}
	if len(p.chunks) > 0 {
		if err := p.copyChunks(ctx, tx); err != nil {
			return err
		}
		if err := p.copyVectors(ctx, tx); err != nil {
			return err
		}
	}
	if err := p.compare(ctx, tx); err != nil {
		return err
	}
	if err := p.tell(ctx, tx); err != nil {
		return err
	}
	return finish(ctx, tx, p.ids, p.blobs)
}

// compare stores the changes of replaced documents. Only changed documents cost a round trip.
func (p *putting) compare(ctx context.Context, tx pgx.Tx) error {
	for _, before := range p.old {
		if before.Text == "" {
			continue
		}
		for _, put := range p.puts {
			if store.Text(put.Document.Source) != before.Source || store.Text(put.Document.Collection) != before.Collection {
				continue
			}
			if err := records.AddVersion(ctx, recordTx{tx}, before, put, p.now); err != nil {
				return fmt.Errorf("%s: %w", before.Source, err)
			}
		}
	}
	return nil
}

// tell stores the messages about the documents. A message then exists if and only if the
// version of its document does.
func (p *putting) tell(ctx context.Context, tx pgx.Tx) error {
	messages, err := store.DocumentMessages(p.webhooks, p.puts, p.ids, p.now)
	if err != nil || len(messages) == 0 {
		return err
	}
	stored, err := records.AddDeliveries(ctx, recordTx{tx}, messages)
	p.dropped = len(messages) - stored
	return err
}

// documents replaces the rows of documents and deletes their chunks. It first
// locks the old rows by id, so that processes that replace the same documents
// wait for each other.
func (p *putting) documents(ctx context.Context, tx pgx.Tx) error {
	var collections, sources, hashes []string
	chunks := 0
	for _, put := range p.puts {
		collections, sources = append(collections, store.Text(put.Document.Collection)), append(sources, store.Text(put.Document.Source))
		hashes = append(hashes, records.VersionHash(put))
		chunks += len(put.Chunks)
	}
	batch := &pgx.Batch{}
	batch.Queue(`INSERT INTO collection (name, created_at) SELECT DISTINCT n, $2::timestamptz FROM unnest($1::text[]) n
		WHERE NOT EXISTS (SELECT FROM collection WHERE name = n) ON CONFLICT DO NOTHING`, collections, p.now)
	const named = ` FROM document d JOIN collection k ON k.id = d.collection_id
		JOIN unnest($1::text[], $2::text[], $3::text[]) AS n(collection, source, sha256) ON n.collection = k.name AND n.source = d.source`
	batch.Queue(`SELECT d.id, coalesce(d.blob_sha256, ''), k.name, d.source, `+records.EarlierText("n.sha256")+named+
		` ORDER BY d.id FOR UPDATE OF d`, collections, sources, hashes).
		Query(func(rows pgx.Rows) error {
			var before records.Earlier
			var blob string
			_, err := pgx.ForEachRow(rows, []any{&before.ID, &blob, &before.Collection, &before.Source, &before.Text}, func() error {
				p.old, p.blobs = append(p.old, before), append(p.blobs, blob)
				return nil
			})
			return err
		})
	batch.Queue(`DELETE FROM chunk WHERE document_id IN (SELECT d.id `+named+`)`, collections, sources, hashes)
	for _, put := range p.puts {
		p.queueDocument(batch, put)
	}
	batch.Queue(records.AllWebhooks).Query(func(rows pgx.Rows) (err error) {
		p.webhooks, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (webhook.Webhook, error) { return records.ScanWebhook(row) })
		return err
	})
	if chunks > 0 {
		batch.Queue(`SELECT nextval('chunk_id_seq') FROM generate_series(1, $1)`, chunks).Query(func(rows pgx.Rows) (err error) {
			p.chunks, err = pgx.CollectRows(rows, pgx.RowTo[int64])
			return err
		})
	}
	return tx.SendBatch(ctx, batch).Close()
}

func (p *putting) queueDocument(batch *pgx.Batch, put intake.Put) {
	d, blob := put.Document, store.BlobKey(put.Original)
	if blob != "" {
		batch.Queue(`INSERT INTO blob (sha256, bytes) VALUES ($1, $2) ON CONFLICT DO NOTHING`, blob, put.Original)
	}
	batch.Queue(`INSERT INTO document AS d (collection_id, source, title, media_type, language, size, sha256, etag, mtime, status, error, sentence,
			pipeline, version, chunks, blob_sha256, folded, created_at, updated_at, text, date, date_from, edition, skipped, folder, tags)
		SELECT id, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $18, $12, 0, $13, nullif($14, ''), $15, $16, $16, $17, $19, $20, $21, $22, $23, $24
		FROM collection WHERE name = $1
		ON CONFLICT (collection_id, source) DO UPDATE SET media_type = excluded.media_type,
			title = CASE WHEN d.file_title IS NULL THEN excluded.title ELSE d.title END,
			folded = CASE WHEN d.file_title IS NULL THEN excluded.folded ELSE d.folded END,
			file_title = CASE WHEN d.file_title IS NOT NULL THEN excluded.title END,
			language = excluded.language, size = excluded.size, sha256 = excluded.sha256, etag = excluded.etag, mtime = excluded.mtime,
			status = excluded.status, error = excluded.error, sentence = excluded.sentence, pipeline = excluded.pipeline, chunks = excluded.chunks,
			blob_sha256 = excluded.blob_sha256, updated_at = excluded.updated_at, text = excluded.text,
			date = excluded.date, date_from = excluded.date_from, edition = excluded.edition, skipped = excluded.skipped,
			folder = excluded.folder, tags = excluded.tags
		RETURNING d.id`,
		store.Text(d.Collection), store.Text(d.Source), store.Text(d.Title), store.Text(d.MediaType), store.Text(d.Language), d.Size,
		store.Text(d.SHA256), store.Text(d.ETag), store.ModifiedNano(d.Modified), store.DocumentStatus(d.Status),
		store.Text(d.Error.Message), store.Text(d.Pipeline),
		len(put.Chunks), blob, store.Folded(d), p.now, store.Text(d.Text), d.Error.Sentence,
		d.Date.Unix(), string(d.DateFrom), store.Text(d.Version), d.Status == corpus.Skipped,
		store.Text(d.Folder), store.TagText(d.Tags)).
		QueryRow(func(row pgx.Row) error {
			var id int64
			if err := row.Scan(&id); err != nil {
				return fmt.Errorf("%s: %w", d.Source, err)
			}
			if put.Replaces != 0 && id != put.Replaces {
				return store.NoDocument(put.Replaces)
			}
			p.ids = append(p.ids, id)
			return nil
		})
}

// each calls f for every chunk of all puts, with a running number.
func (p *putting) each(f func(n int, document int64, put *intake.Put, i int) bool) {
	n := 0
	for at := range p.puts {
		for i := range p.puts[at].Chunks {
			if !f(n, p.ids[at], &p.puts[at], i) {
				return
			}
			n++
		}
	}
}

func (p *putting) copyChunks(ctx context.Context, tx pgx.Tx) error {
	columns := []string{"id", "document_id", "ordinal", "kind", "headings", "page", "page_label", "start_byte", "end_byte", "tokens", "text"}
	return copyRows(ctx, tx, "chunk", columns, func(yield func([]any) bool) {
		row := make([]any, len(columns))
		p.each(func(n int, document int64, put *intake.Put, i int) bool {
			c := &put.Chunks[i]
			row = append(row[:0], p.chunks[n], document, i, string(c.Kind), store.Texts(c.Headings), c.Page, store.Text(c.PageLabel),
				c.Start, c.End, c.Tokens, store.Text(c.Text))
			return yield(row)
		})
	})
}

func (p *putting) copyVectors(ctx context.Context, tx pgx.Tx) error {
	return copyRows(ctx, tx, "embedding", []string{"chunk_id", "embedder", "vector"}, func(yield func([]any) bool) {
		row := make([]any, 0, 3)
		var vector []byte
		p.each(func(n int, _ int64, put *intake.Put, i int) bool {
			if len(put.Vectors) == 0 {
				return true
			}
			vector = store.AppendVector(vector[:0], put.Vectors[i])
			row = append(row[:0], p.chunks[n], store.Text(put.Embedder), vector)
			return yield(row)
		})
	})
}
