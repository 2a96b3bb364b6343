package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"docent/agent/chat"
	"docent/agent/session/journal"
	"docent/internal/fault"
	"docent/store"
	records "docent/store/sql"
)

// claimSession makes a replica run a session that no other live replica runs.
const claimSession = `UPDATE session s SET replica = $3, fence = fence + 1 WHERE agent_name = $1 AND session_id = $2
	AND (replica IN ('', $3) OR NOT EXISTS (SELECT FROM replica r WHERE r.id = s.replica))`

// openAttempts bounds the attempts to open a session that others delete meanwhile.
const openAttempts = 5

// OpenSession returns a session, and creates it if necessary; see
// journal.Store.
func (s *sessions) OpenSession(ctx context.Context, record journal.SessionRecord) (journal.SessionRecord, bool, error) {
	var session journal.SessionRecord
	var created bool
	var err error
	for range openAttempts {
		if session, created, err = s.openSession(ctx, record); fault.KindOf(err) != fault.NotFound {
			break
		}
	}
	return session, created, fail(fmt.Sprintf("open session %s of %s", record.Key.ID, record.Key.Agent), err)
}

func (s *sessions) openSession(ctx context.Context, record journal.SessionRecord) (stored journal.SessionRecord, created bool, err error) {
	if err := store.CheckSession(record); err != nil {
		return journal.SessionRecord{}, false, err
	}
	variables, err := store.Variables(record.Variables)
	if err != nil {
		return journal.SessionRecord{}, false, err
	}
	agentName, id, now := store.Text(record.Key.Agent), store.Text(record.Key.ID), s.config.Now()
	// A batch is one transaction and one round trip. Each of its statements
	// sees the data that was committed before the statement began.
	batch := &pgx.Batch{}
	batch.Queue(`INSERT INTO session (agent_name, session_id, session_name, username, owner, address, platform_name, current_state, variables, "timestamp", updated_at,
			entered_at, wake_at, folded, channel)
		SELECT $1, $2, nullif($3, ''), nullif($4, ''), $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15
		WHERE NOT EXISTS (SELECT FROM session WHERE agent_name = $1 AND session_id = $2) ON CONFLICT DO NOTHING`,
		agentName, id, store.SessionName(record.Name), store.Text(record.Username),
		store.Text(record.Owner), store.Text(record.Address), store.Text(record.Platform),
		store.Text(record.State), variables, store.Time(record.CreatedAt, now), store.Time(record.UpdatedAt, now),
		orNull(record.EnteredAt), orNull(record.WakeAt), store.Fold(store.SessionName(record.Name)), store.Text(record.Channel))
	if record.Replica != "" {
		batch.Queue(claimSession, agentName, id, record.Replica)
	}
	batch.Queue(`SELECT `+records.SessionColumns+`, s.replica, s.fence FROM session s WHERE s.agent_name = $1 AND s.session_id = $2`, agentName, id)
	batch.Queue(pendingEvents, agentName, id)
	batch.Queue(lastEvent, agentName, id, chat.MaxHistoryContent)
	batch.Queue(hiddenTurns, agentName, id)
	results := s.pool.SendBatch(ctx, batch)
	defer func() { err = errors.Join(err, results.Close()) }()
	tag, err := results.Exec()
	if err != nil {
		return journal.SessionRecord{}, false, err
	}
	if record.Replica != "" {
		if _, err := results.Exec(); err != nil {
			return journal.SessionRecord{}, false, err
		}
	}
	var replica string
	var fence int64
	if stored, err = records.ScanSession(results.QueryRow(), &replica, &fence); err != nil {
		return journal.SessionRecord{}, false, err
	}
	if record.Replica != "" {
		if stored.Replica, stored.Fence = replica, fence; replica != record.Replica {
			return stored, false, journal.Held(stored.RowID, replica)
		}
	}
	rows, err := results.Query()
	if err != nil {
		return journal.SessionRecord{}, false, err
	}
	stored.Pending, err = pgx.CollectRows(rows, scanPending)
	if len(stored.Pending) == 0 {
		stored.Pending = nil
	}
	if err == nil {
		stored.Last, err = scanLast(results)
	}
	if err == nil {
		stored.Hidden, err = scanHidden(results)
	}
	return stored, tag.RowsAffected() == 1, err
}

// ResetSession empties a session; see journal.Store.
func (s *sessions) ResetSession(ctx context.Context, session, fence int64) (seq int64, err error) {
	batch := &pgx.Batch{}
	batch.Queue(`UPDATE session SET current_state = '', variables = '{}', entered_at = NULL, wake_at = NULL, last_event = NULL, reset_seq = seq,
			updated_at = $2 WHERE id = $1 AND ($3::bigint = 0 OR fence = $3) RETURNING seq`, session, s.config.Now(), fence).
		QueryRow(func(row pgx.Row) error { return row.Scan(&seq) })
	for _, table := range []string{
		"event", "reasoning_step", "said", "chat", "transition", "intent_prediction", "feedback", "session_document",
		"hidden_turn", "branch",
	} {
		batch.Queue(`DELETE FROM `+table+` WHERE session_id = $1 AND ($2::bigint = 0 OR EXISTS (SELECT FROM session WHERE id = $1 AND fence = $2))`,
			session, fence)
	}
	err = s.pool.SendBatch(ctx, batch).Close()
	if errors.Is(err, pgx.ErrNoRows) {
		err = s.notWritten(ctx, session)
	}
	return seq, fail(fmt.Sprintf("reset session %d", session), err)
}

// notWritten returns the reason why a session was not written.
func (s *sessions) notWritten(ctx context.Context, session int64) error {
	var there bool
	err := s.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM session WHERE id = $1)`, session).Scan(&there)
	switch {
	case err != nil:
		return err
	case there:
		return journal.Stale()
	}
	return store.NoSession()
}
