package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"

	"docent/store"
)

// Original returns the bytes of a document's original file; see corpus.Library.
// It reads them into memory.
func (s *documents) Original(ctx context.Context, id int64) (io.ReadCloser, error) {
	var kept sql.NullString
	var data []byte
	err := s.reader.QueryRowContext(ctx, `SELECT d.blob_sha256, b.bytes FROM document d LEFT JOIN blob b ON b.sha256 = d.blob_sha256 WHERE d.id = ?`, id).
		Scan(&kept, &data)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		err = store.NoDocument(id)
	case err == nil && !kept.Valid:
		err = store.NoOriginal(id)
	}
	if err != nil {
		return nil, fail(fmt.Sprintf("read original of document %d", id), err)
	}
	return io.NopCloser(bytes.NewReader(data)), nil
}

// dropBlobs deletes the bytes that no document refers to anymore.
func dropBlobs(ctx context.Context, w *writer, keys []string) error {
	for _, key := range keys {
		if key == "" {
			continue
		}
		if _, err := w.exec(ctx, `DELETE FROM blob WHERE sha256 = ? AND NOT EXISTS (SELECT 1 FROM document WHERE blob_sha256 = ?)`, key, key); err != nil {
			return err
		}
	}
	return nil
}
