package sqlite

import "context"

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
