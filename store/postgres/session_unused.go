package postgres

import (
	"context"
	"fmt"
	"time"

	"docent/store"
)

// unused selects the sessions s that have never received an event.
const unused = `s.turn = 0 AND NOT EXISTS (SELECT FROM chat c WHERE c.session_id = s.id AND c.is_user)`

// DeleteUnused deletes a session that has received no event; see journal.Unused.
func (s *sessions) DeleteUnused(ctx context.Context, session, fence int64) error {
	return fail(fmt.Sprintf("delete session %d", session), again(ctx, func() error {
		_, err := s.pool.Exec(ctx, `DELETE FROM session s WHERE s.id = $1 AND ($2::bigint = 0 OR s.fence = $2) AND `+unused, session, fence)
		return err
	}))
}

// SweepUnused deletes old sessions that have received no event; see journal.Unused.
// Another process may open one of them meanwhile; it is then locked and skipped, or
// it has a live replica.
func (s *sessions) SweepUnused(ctx context.Context, agentName string, before time.Time, limit int) error {
	return fail("delete unused sessions of "+agentName, again(ctx, func() error {
		_, err := s.pool.Exec(ctx, `DELETE FROM session WHERE id IN (SELECT s.id FROM session s
			WHERE s.agent_name = $1 AND s.updated_at < $2 AND s.wake_at IS NULL AND `+unused+`
			AND NOT EXISTS (SELECT FROM replica r WHERE r.id = s.replica) ORDER BY s.updated_at LIMIT $3 FOR UPDATE OF s SKIP LOCKED)`,
			store.Text(agentName), before, max(limit, 0))
		return err
	}))
}
