package sql

import (
	"context"

	"docent/agent/session/journal"
	"docent/store"
)

var _ journal.Memories = Store{}

// memories stores facts about users.
type memories struct{ db Database }

// Remember stores a fact; see journal.Memories. Concurrent calls may add a few too many. It also
// deletes expired facts.
func (s memories) Remember(ctx context.Context, m journal.Memory) error {
	content, err := store.JSON(m.Content)
	if err != nil {
		return s.db.Fail("remember a fact", err)
	}
	return s.db.Fail("remember a fact", s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		if _, err := tx.Exec(ctx, `DELETE FROM memory WHERE expires_at <= $1`, s.db.Now()); err != nil {
			return err
		}
		owner, agent, key := store.Text(m.Owner), store.Text(m.Agent), store.Text(m.Key)
		var count int
		if err := row(ctx, tx, `SELECT count(*) FROM memory WHERE owner = $1 AND agent_name = $2 AND key <> $3`,
			owner, agent, key).Scan(&count); err != nil {
			return err
		}
		if count >= journal.MaxMemories {
			return journal.MemoryFull()
		}
		_, err := tx.Exec(ctx, `INSERT INTO memory (owner, agent_name, key, content, updated_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6)
			ON CONFLICT (owner, agent_name, key) DO UPDATE
			SET content = excluded.content, updated_at = excluded.updated_at, expires_at = excluded.expires_at`,
			owner, agent, key, string(content), m.UpdatedAt, m.ExpiresAt)
		return err
	}))
}

// Memories returns facts; see journal.Memories.
func (s memories) Memories(ctx context.Context, owner, agent string) ([]journal.Memory, error) {
	all, err := list(ctx, s.db, func(row Row) (journal.Memory, error) {
		var m journal.Memory
		var content []byte
		err := row.Scan(&m.Owner, &m.Agent, &m.Key, &content, Time(&m.UpdatedAt), Time(&m.ExpiresAt))
		m.Content = content
		return m, err
	}, `SELECT owner, agent_name, key, content, updated_at, expires_at FROM memory
		WHERE owner = $1 AND (agent_name = $2 OR $2 = '') AND (expires_at IS NULL OR expires_at > $3) ORDER BY agent_name, key`,
		store.Text(owner), store.Text(agent), s.db.Now())
	return all, s.db.Fail("read facts", err)
}

// Forget removes facts; see journal.Memories.
func (s memories) Forget(ctx context.Context, owner, agent, key string) (int, error) {
	n, err := s.db.Exec(ctx, `DELETE FROM memory WHERE owner = $1 AND (agent_name = $2 OR $2 = '') AND (key = $3 OR $3 = '')`,
		store.Text(owner), store.Text(agent), store.Text(key))
	return int(n), s.db.Fail("forget facts", err)
}
