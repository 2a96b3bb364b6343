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
	unique, at := store.Unique(puts, func(p intake.Put) string { return p.Document.Collection + "\x00" + store.Text(p.Document.Source) })
	ids := make([]int64, len(unique))
	dropped := 0
	err := s.write(ctx, func(whole context.Context, w *writer) error {
		var blobs []string
		for i, p := range unique {
			if err := ctx.Err(); err != nil {
				return err
			}
			id, old, err := s.put(whole, w, p)
			if err != nil {
				return fmt.Errorf("%s: %w", p.Document.Source, err)
			}
			ids[i], blobs = id, append(blobs, old)
		}
		var err error
		if dropped, err = tell(whole, w, unique, ids, s.config.Now()); err != nil {
			return err
		}
		return finish(whole, w, ids, blobs)
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

// put stores one document. It returns the document's id and the key of its
// previous original bytes.
func (s *documents) put(ctx context.Context, w *writer, p intake.Put) (id int64, blob string, err error) {
	collection, err := s.collection(ctx, w, store.Text(p.Document.Collection))
	if err != nil {
		return 0, "", err
	}
	var before records.Earlier
	err = w.row(ctx, `SELECT d.id, coalesce(d.blob_sha256, ''), `+records.EarlierText("?1")+`
		FROM document d WHERE d.collection_id = ?2 AND d.source = ?3`,
		records.VersionHash(p), collection, store.Text(p.Document.Source)).Scan(&id, &blob, &before.Text)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return 0, "", err
	}
	before.ID = id
	if _, err := w.exec(ctx, `DELETE FROM chunk WHERE document_id = ?`, id); err != nil {
		return 0, "", err
	}
	key := store.BlobKey(p.Original)
	if key != "" {
		// An empty file has a blob too. The driver stores an empty slice as
		// NULL, so the statement casts the text ''.
		if _, err := w.exec(ctx, `INSERT INTO blob (sha256, bytes) VALUES (?, coalesce(?, CAST('' AS BLOB))) ON CONFLICT DO NOTHING`, key, p.Original); err != nil {
			return 0, "", err
		}
	}
	if id, err = s.upsert(ctx, w, collection, key, p); err != nil {
		return 0, "", err
	}
	if p.Replaces != 0 && id != p.Replaces {
		return 0, "", store.NoDocument(p.Replaces)
	}
	if err := records.AddVersion(ctx, recordTx{w}, before, p, s.config.Now()); err != nil {
		return 0, "", err
	}
	return id, blob, putChunks(ctx, w, id, p)
}

// collection returns the id of a collection and creates missing ones.
func (s *documents) collection(ctx context.Context, w *writer, name string) (id int64, err error) {
	err = w.row(ctx, `SELECT id FROM collection WHERE name = ?`, name).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		err = w.row(ctx, `INSERT INTO collection (name, created_at) VALUES (?, ?) RETURNING id`, name, s.now()).Scan(&id)
	}
	return id, err
}

func (s *documents) upsert(ctx context.Context, w *writer, collection int64, blob string, p intake.Put) (id int64, err error) {
	d := p.Document
	now := s.now()
	err = w.row(ctx, `INSERT INTO document AS d (collection_id, source, title, media_type, language, size, sha256, etag, mtime, status, error, sentence,
			pipeline, version, chunks, blob_sha256, folded, created_at, updated_at, text, date, date_from, edition, skipped, folder, tags)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, nullif(?, ''), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (collection_id, source) DO UPDATE SET media_type = excluded.media_type,
			title = CASE WHEN d.file_title IS NULL THEN excluded.title ELSE d.title END,
			folded = CASE WHEN d.file_title IS NULL THEN excluded.folded ELSE d.folded END,
			file_title = CASE WHEN d.file_title IS NOT NULL THEN excluded.title END,
			language = excluded.language, size = excluded.size, sha256 = excluded.sha256, etag = excluded.etag, mtime = excluded.mtime,
			status = excluded.status, error = excluded.error, sentence = excluded.sentence, pipeline = excluded.pipeline, chunks = excluded.chunks,
			blob_sha256 = excluded.blob_sha256, updated_at = excluded.updated_at, text = excluded.text,
			date = excluded.date, date_from = excluded.date_from, edition = excluded.edition, skipped = excluded.skipped,
			folder = excluded.folder, tags = excluded.tags
		RETURNING id`,
		collection, store.Text(d.Source), store.Text(d.Title), store.Text(d.MediaType), store.Text(d.Language), d.Size, store.Text(d.SHA256),
		store.Text(d.ETag), store.ModifiedNano(d.Modified), store.DocumentStatus(d.Status), store.Text(d.Error.Message),
		d.Error.Sentence, store.Text(d.Pipeline), len(p.Chunks), blob,
		store.Folded(d), now, now, store.Text(d.Text), d.Date.Unix(), string(d.DateFrom), store.Text(d.Version),
		d.Status == corpus.Skipped, store.Text(d.Folder), store.TagText(d.Tags)).Scan(&id)
	return id, err
}

// putChunks stores the chunks of a document that has none yet, with their
// vectors.
func putChunks(ctx context.Context, w *writer, id int64, p intake.Put) error {
	var vector []byte
	for i, c := range p.Chunks {
		path, err := headings(c.Headings)
		if err != nil {
			return err
		}
		var page any
		if c.Page != nil {
			page = *c.Page
		}
		result, err := w.exec(ctx, `INSERT INTO chunk (document_id, ordinal, kind, headings, page, page_label, start_byte, end_byte, tokens, text)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			id, i, string(c.Kind), path, page, store.Text(c.PageLabel), c.Start, c.End, c.Tokens, store.Text(c.Text))
		if err != nil {
			return err
		}
		if len(p.Vectors) == 0 {
			continue
		}
		chunk, err := result.LastInsertId()
		if err != nil {
			return err
		}
		vector = store.AppendVector(vector[:0], p.Vectors[i])
		if _, err := w.exec(ctx, `INSERT INTO embedding (chunk_id, embedder, vector) VALUES (?, ?, ?)`, chunk, store.Text(p.Embedder),
			vector); err != nil {
			return err
		}
	}
	return nil
}

// RemoveDocuments deletes documents; see ingest.Store.
func (s *documents) RemoveDocuments(ctx context.Context, ids []int64) (int, error) {
	n := 0
	err := s.write(ctx, func(ctx context.Context, w *writer) error {
		var blobs []string
		for _, id := range ids {
			var blob string
			err := w.row(ctx, `DELETE FROM document WHERE id = ? RETURNING coalesce(blob_sha256, '')`, id).Scan(&blob)
			if errors.Is(err, sql.ErrNoRows) {
				continue
			}
			if err != nil {
				return err
			}
			n, blobs = n+1, append(blobs, blob)
			_, err = w.exec(ctx, `INSERT INTO document_removal (document_id, revision) SELECT ?, revision + ? FROM corpus`, id, n)
			if err != nil {
				return err
			}
		}
		if err := dropBlobs(ctx, w, blobs); err != nil || n == 0 {
			return err
		}
		_, err := w.exec(ctx, `UPDATE corpus SET revision = revision + ?`, n)
		return err
	})
	if err != nil {
		return 0, fail(fmt.Sprintf("remove %d documents", len(ids)), err)
	}
	return n, nil
}

// MoveDocuments moves documents to a collection; see corpus.Mover.
func (s *documents) MoveDocuments(ctx context.Context, ids []int64, collection string) (int, error) {
	var moved []int64
	err := s.write(ctx, func(ctx context.Context, w *writer) (err error) {
		if moved, err = records.Move(ctx, recordTx{w}, ids, collection); err != nil {
			return err
		}
		return finish(ctx, w, moved, nil)
	})
	if err != nil {
		return 0, fail("move documents to "+collection, err)
	}
	return len(moved), nil
}

// RenameDocument changes the title of a document; see corpus.Renamer.
func (s *documents) RenameDocument(ctx context.Context, id int64, title string) error {
	err := s.write(ctx, func(ctx context.Context, w *writer) error {
		changed, err := records.Rename(ctx, recordTx{w}, id, title)
		if err != nil || !changed {
			return err
		}
		return finish(ctx, w, []int64{id}, nil)
	})
	return fail(fmt.Sprintf("rename document %d", id), err)
}

// finish ends a change of documents. It deletes bytes that no document refers
// to and gives each document a new revision.
func finish(ctx context.Context, w *writer, ids []int64, blobs []string) error {
	if err := dropBlobs(ctx, w, blobs); err != nil {
		return err
	}
	var revision int64
	if err := w.row(ctx, `UPDATE corpus SET revision = revision + ? RETURNING revision`, len(ids)).Scan(&revision); err != nil {
		return err
	}
	for i, id := range ids {
		if _, err := w.exec(ctx, `UPDATE document SET version = ? WHERE id = ?`, revision-int64(len(ids)-1-i), id); err != nil {
			return err
		}
	}
	return nil
}

// Sources returns the state of a collection's sources; see ingest.Store.
func (s *documents) Sources(ctx context.Context, collection, embedder, one string) ([]intake.SourceState, error) {
	args := []any{store.Text(embedder), store.Text(collection)}
	which := ""
	if one != "" { // the parts lie between ONE# and ONE$, because $ follows # in ASCII
		which = ` AND (d.source = ? OR d.source >= ? AND d.source < ?)`
		args = append(args, store.Text(one), store.Text(one)+"#", store.Text(one)+"$")
	}
	rows, err := s.reader.QueryContext(ctx, `SELECT d.id, d.source, d.title, d.sha256, d.size, d.mtime, d.etag, `+records.DocumentStatus+`, d.error, d.sentence,
			d.pipeline, d.chunks,
			(SELECT count(*) FROM chunk c JOIN embedding e ON e.chunk_id = c.id AND e.embedder = ? WHERE c.document_id = d.id)
		FROM document d JOIN collection k ON k.id = d.collection_id WHERE k.name = ?`+which+` ORDER BY d.source`, args...)
	if err != nil {
		return nil, fail("list sources of "+collection, err)
	}
	out, err := collect(rows, func(rows *sql.Rows) (intake.SourceState, error) {
		var st intake.SourceState
		err := rows.Scan(&st.ID, &st.Source, &st.Title, &st.SHA256, &st.Size, &st.ModifiedUnixNano, &st.ETag,
			&st.Status, &st.Error.Message, &st.Error.Sentence,
			&st.Pipeline, &st.Chunks, &st.Embedded)
		return st, err
	})
	return out, fail("list sources of "+collection, err)
}
