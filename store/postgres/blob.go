package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5"

	"docent/store"
)

// Original returns the bytes of a document's original file; see corpus.Library.
// It reads them into memory.
func (s *documents) Original(ctx context.Context, id int64) (io.ReadCloser, error) {
	var kept bool
	var data []byte
	err := s.pool.QueryRow(ctx, `SELECT d.blob_sha256 IS NOT NULL, b.bytes FROM document d LEFT JOIN blob b ON b.sha256 = d.blob_sha256 WHERE d.id = $1`, id).
		Scan(&kept, &data)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		err = store.NoDocument(id)
	case err == nil && !kept:
		err = store.NoOriginal(id)
	}
	if err != nil {
		return nil, fail(fmt.Sprintf("read original of document %d", id), err)
	}
	return io.NopCloser(bytes.NewReader(data)), nil
}
