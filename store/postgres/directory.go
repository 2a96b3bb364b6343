package postgres

import (
	"context"
	"fmt"

	"docent/agent/session/journal"
	"docent/store"
)

// DeleteSession deletes a session with all its data; see journal.Directory.
func (s *sessions) DeleteSession(ctx context.Context, key journal.SessionKey) error {
	return fail(fmt.Sprintf("delete session %s of %s", key.ID, key.Agent), s.alter(ctx, store.NoSession(),
		`DELETE FROM session WHERE agent_name = $1 AND session_id = $2`, store.Text(key.Agent), store.Text(key.ID)))
}
