package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"docent/agent/session/journal"
	"docent/store"
)

var _ journal.Leases = (*Store)(nil)

// claimSession makes a replica run a session that no other live replica runs.
const claimSession = `UPDATE session SET replica = ?1, fence = fence + 1 WHERE agent_name = ?2 AND session_id = ?3
	AND (replica IN ('', ?1) OR NOT EXISTS (SELECT 1 FROM replica r WHERE r.id = session.replica))`

// checkFence fails for an old fence of a session. 0 is never old.
func checkFence(ctx context.Context, w *writer, session, fence int64) error {
	if fence == 0 {
		return nil
	}
	var current int64
	err := w.row(ctx, `SELECT fence FROM session WHERE id = ?`, session).Scan(&current)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return store.NoSession()
	case err == nil && current != fence:
		return journal.Stale()
	}
	return err
}

// JoinReplicas adds a replica; see journal.Leases.
func (s *sessions) JoinReplicas(ctx context.Context, id string, ttl time.Duration) error {
	return s.lease(ctx, "join the replicas", `INSERT INTO replica (id, expires_at) VALUES (?, ?)`, id, time.Now().Add(ttl).UnixMicro())
}

// RenewReplica keeps a replica alive; see journal.Leases.
func (s *sessions) RenewReplica(ctx context.Context, id string, ttl time.Duration) (others []string, renewed bool, err error) {
	err = s.write(ctx, func(ctx context.Context, w *writer) error {
		now := time.Now()
		if _, err := w.exec(ctx, `DELETE FROM replica WHERE expires_at < ? AND id <> ?`, now.UnixMicro(), id); err != nil {
			return err
		}
		result, err := w.exec(ctx, `UPDATE replica SET expires_at = ? WHERE id = ?`, now.Add(ttl).UnixMicro(), id)
		if err != nil {
			return err
		}
		n, err := result.RowsAffected()
		if err != nil {
			return err
		}
		renewed = n == 1
		rows, err := w.query(ctx, `SELECT id FROM replica WHERE id <> ? ORDER BY id`, id)
		if err != nil {
			return err
		}
		others, err = collect(rows, func(rows *sql.Rows) (id string, err error) { return id, rows.Scan(&id) })
		return err
	})
	return others, renewed, fail("renew the lease of a replica", err)
}

// LeaveReplicas removes a replica; see journal.Leases.
func (s *sessions) LeaveReplicas(ctx context.Context, id string) error {
	return s.lease(ctx, "leave the replicas", `DELETE FROM replica WHERE id = ?`, id)
}

// ReleaseSession makes a session free; see journal.Leases.
func (s *sessions) ReleaseSession(ctx context.Context, key journal.SessionKey, replica string) error {
	return s.lease(ctx, "release session "+key.ID, `UPDATE session SET replica = '' WHERE agent_name = ? AND session_id = ? AND replica = ?`,
		store.Text(key.Agent), store.Text(key.ID), replica)
}

// lease runs one statement.
func (s *sessions) lease(ctx context.Context, what, query string, args ...any) error {
	err := s.write(ctx, func(ctx context.Context, w *writer) error {
		_, err := w.exec(ctx, query, args...)
		return err
	})
	return fail(what, err)
}
