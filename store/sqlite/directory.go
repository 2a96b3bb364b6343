package sqlite

import (
	"context"
	"math"
	"time"

	"docent/agent/session/journal"
)

// DeleteSession deletes a session with all its data and makes the file smaller; see
// journal.Directory.
func (s *Store) DeleteSession(ctx context.Context, key journal.SessionKey) error {
	if err := s.Store.DeleteSession(ctx, key); err != nil {
		return err
	}
	return fail("shrink the database", s.shrink(ctx))
}

// ExpireSessions deletes old sessions and makes the file smaller; see journal.Directory.
func (s *Store) ExpireSessions(ctx context.Context, before time.Time, limit int) ([]journal.SessionKey, error) {
	keys, err := s.Store.ExpireSessions(ctx, before, limit)
	if err != nil || len(keys) == 0 {
		return keys, err
	}
	return keys, fail("shrink the database", s.shrink(ctx))
}

// shrink returns unused pages of the file to the disk. It works in steps of 4 MiB,
// so that other writes need not wait for long.
func (s *database) shrink(ctx context.Context) error {
	for before := int64(math.MaxInt64); ; {
		var unused int64
		err := s.write(ctx, func(ctx context.Context, w *writer) error {
			if _, err := w.exec(ctx, `PRAGMA incremental_vacuum(1024)`); err != nil {
				return err
			}
			return w.row(ctx, `PRAGMA freelist_count`).Scan(&unused)
		})
		if err != nil || unused == 0 || unused >= before { // files of earlier versions keep their size
			return err
		}
		before = unused
	}
}
