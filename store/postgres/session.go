package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"docent/agent"
	"docent/store"
)

// sessionColumns is what scanSession reads, of session s.
const sessionColumns = `s.id, s.agent_name, s.session_id, coalesce(s.session_name, ''), coalesce(s.username, ''), s.owner, s.platform_name,
	s.current_state, s.variables, s.seq, s.turn, s."timestamp", s.updated_at`

// scanSession reads sessionColumns and what more is asked for.
func scanSession(row pgx.Row, more ...any) (agent.SessionRecord, error) {
	var r agent.SessionRecord
	var variables []byte
	err := row.Scan(append([]any{
		&r.RowID, &r.Key.Agent, &r.Key.ID, &r.Name, &r.Username, &r.Owner, &r.Platform,
		&r.State, &variables, &r.Seq, &r.Turn, &r.CreatedAt, &r.UpdatedAt,
	}, more...)...)
	if errors.Is(err, pgx.ErrNoRows) {
		return agent.SessionRecord{}, store.NoSession()
	}
	if err != nil {
		return agent.SessionRecord{}, err
	}
	if err := json.Unmarshal(variables, &r.Variables); err != nil {
		return agent.SessionRecord{}, fmt.Errorf("variables of session %d: %w", r.RowID, err)
	}
	r.CreatedAt, r.UpdatedAt = r.CreatedAt.UTC(), r.UpdatedAt.UTC()
	return r, nil
}

// OpenSession returns or makes a session; see agent.Store.
func (s *Store) OpenSession(ctx context.Context, record agent.SessionRecord) (agent.SessionRecord, bool, error) {
	session, created, err := s.openSession(ctx, record)
	return session, created, fail(fmt.Sprintf("open session %s of %s", record.Key.ID, record.Key.Agent), err)
}

func (s *Store) openSession(ctx context.Context, record agent.SessionRecord) (session agent.SessionRecord, created bool, err error) {
	if err := store.CheckSession(record); err != nil {
		return agent.SessionRecord{}, false, err
	}
	variables, err := store.Variables(record.Variables)
	if err != nil {
		return agent.SessionRecord{}, false, err
	}
	agentName, id, now := store.Text(record.Key.Agent), store.Text(record.Key.ID), s.config.Now()
	// A batch is one transaction and one round trip; each of its statements
	// sees what was committed when it began.
	batch := &pgx.Batch{}
	batch.Queue(`INSERT INTO session (agent_name, session_id, session_name, username, owner, platform_name, current_state, variables, "timestamp", updated_at)
		SELECT $1, $2, nullif($3, ''), nullif($4, ''), $5, $6, $7, $8, $9, $10
		WHERE NOT EXISTS (SELECT FROM session WHERE agent_name = $1 AND session_id = $2) ON CONFLICT DO NOTHING`,
		agentName, id, store.Text(record.Name), store.Text(record.Username), store.Text(record.Owner), store.Text(record.Platform),
		store.Text(record.State), variables, store.Time(record.CreatedAt, now), store.Time(record.UpdatedAt, now))
	batch.Queue(`SELECT `+sessionColumns+` FROM session s WHERE s.agent_name = $1 AND s.session_id = $2`, agentName, id)
	batch.Queue(`SELECT `+chatColumns+` FROM chat c JOIN session s ON s.id = c.session_id
		WHERE s.agent_name = $1 AND s.session_id = $2 AND c.is_user AND c.turn > s.done_turn ORDER BY c.turn`, agentName, id)
	results := s.pool.SendBatch(ctx, batch)
	defer func() { err = errors.Join(err, results.Close()) }()
	tag, err := results.Exec()
	if err != nil {
		return agent.SessionRecord{}, false, err
	}
	if session, err = scanSession(results.QueryRow()); err != nil {
		return agent.SessionRecord{}, false, err
	}
	rows, err := results.Query()
	if err != nil {
		return agent.SessionRecord{}, false, err
	}
	session.Pending, err = pgx.CollectRows(rows, scanChat)
	if len(session.Pending) == 0 {
		session.Pending = nil
	}
	return session, tag.RowsAffected() == 1, err
}

// ResetSession empties a session; see agent.Store.
func (s *Store) ResetSession(ctx context.Context, session int64) error {
	batch := &pgx.Batch{}
	var found int64
	batch.Queue(`UPDATE session SET current_state = '', variables = '{}', done_turn = turn, updated_at = $2 WHERE id = $1`, session, s.config.Now()).
		Exec(func(tag pgconn.CommandTag) error {
			found = tag.RowsAffected()
			return nil
		})
	for _, table := range []string{"reasoning_step", "chat", "event", "transition", "intent_prediction", "feedback"} {
		batch.Queue(`DELETE FROM `+table+` WHERE session_id = $1`, session)
	}
	err := s.pool.SendBatch(ctx, batch).Close()
	if err == nil && found == 0 {
		err = store.NoSession()
	}
	return fail(fmt.Sprintf("reset session %d", session), err)
}
