package sqlite

import (
	"context"
	"fmt"
	"time"

	"docent/store"
)

// unused selects the sessions s that have never received an event.
const unused = `s.turn = 0 AND NOT EXISTS (SELECT 1 FROM chat c WHERE c.session_id = s.id AND c.is_user)`

// DeleteUnused deletes a session that has received no event; see journal.Unused.
func (s *sessions) DeleteUnused(ctx context.Context, session, _ int64) error {
	return fail(fmt.Sprintf("delete session %d", session), s.write(ctx, func(ctx context.Context, w *writer) error {
		_, err := w.exec(ctx, `DELETE FROM session AS s WHERE s.id = ? AND `+unused, session)
		return err
	}))
}

// SweepUnused deletes old sessions that have received no event; see journal.Unused.
func (s *sessions) SweepUnused(ctx context.Context, agentName string, before time.Time, limit int) error {
	return fail("delete unused sessions of "+agentName, s.write(ctx, func(ctx context.Context, w *writer) error {
		_, err := w.exec(ctx, `DELETE FROM session WHERE id IN (SELECT s.id FROM session s
			WHERE s.agent_name = ? AND s.updated_at < ? AND s.wake_at IS NULL AND `+unused+` ORDER BY s.updated_at LIMIT ?)`,
			store.Text(agentName), before.UnixMicro(), max(limit, 0))
		return err
	}))
}
