package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"docent/agent/chat"
	"docent/agent/session/journal"
	"docent/payload"
	"docent/store"
	records "docent/store/sql"
)

// OpenSession returns a session, and creates it if necessary; see
// journal.Store.
func (s *sessions) OpenSession(ctx context.Context, record journal.SessionRecord) (journal.SessionRecord, bool, error) {
	session, created, err := s.openSession(ctx, record)
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
	agentName, id := store.Text(record.Key.Agent), store.Text(record.Key.ID)
	err = s.write(ctx, func(ctx context.Context, w *writer) error {
		now := s.config.Now()
		result, err := w.exec(ctx, `INSERT INTO session (agent_name, session_id, session_name, username, owner, address, platform_name, current_state, variables,
				timestamp, updated_at, entered_at, wake_at, folded, channel)
			VALUES (?, ?, nullif(?, ''), nullif(?, ''), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
			agentName, id, store.SessionName(record.Name), store.Text(record.Username),
			store.Text(record.Owner), store.Text(record.Address), store.Text(record.Platform),
			store.Text(record.State), string(variables),
			store.Time(record.CreatedAt, now).UnixMicro(), store.Time(record.UpdatedAt, now).UnixMicro(),
			orNull(record.EnteredAt), orNull(record.WakeAt), store.Fold(store.SessionName(record.Name)), store.Text(record.Channel))
		if err != nil {
			return err
		}
		n, err := result.RowsAffected()
		if err != nil {
			return err
		}
		created = n == 1
		stored, err = records.ScanSession(w.row(ctx,
			`SELECT `+records.SessionColumns+` FROM session s WHERE s.agent_name = ? AND s.session_id = ?`, agentName, id))
		if err != nil || created {
			return err
		}
		rows, err := w.query(ctx, pendingEvents, stored.RowID)
		if err != nil {
			return err
		}
		if stored.Pending, err = collect(rows, scanPending); err != nil {
			return err
		}
		stored.Last, err = scanEvent(w.row(ctx, lastEvent, chat.MaxHistoryContent, chat.MaxHistoryContent, stored.RowID))
		if errors.Is(err, sql.ErrNoRows) {
			stored.Last, err = journal.EventRecord{}, nil
		}
		if err != nil {
			return err
		}
		if rows, err = w.query(ctx, records.HiddenTurns, stored.RowID); err != nil {
			return err
		}
		stored.Hidden, err = collect(rows, func(rows *sql.Rows) (payload.TurnRange, error) { return records.ScanTurnRange(rows) })
		return err
	})
	return stored, created, err
}

// ResetSession empties a session; see journal.Store.
func (s *sessions) ResetSession(ctx context.Context, session, _ int64) (seq int64, err error) {
	err = s.write(ctx, func(ctx context.Context, w *writer) error {
		err := w.row(ctx, `UPDATE session SET current_state = '', variables = '{}', entered_at = NULL, wake_at = NULL, last_event = NULL, reset_seq = seq,
			updated_at = ? WHERE id = ? RETURNING seq`, s.now(), session).Scan(&seq)
		if errors.Is(err, sql.ErrNoRows) {
			return store.NoSession()
		}
		if err != nil {
			return err
		}
		for _, query := range []string{
			`DELETE FROM event WHERE session_id = ?`, `DELETE FROM reasoning_step WHERE session_id = ?`, `DELETE FROM said WHERE session_id = ?`,
			`DELETE FROM chat WHERE session_id = ?`, `DELETE FROM transition WHERE session_id = ?`,
			`DELETE FROM intent_prediction WHERE session_id = ?`, `DELETE FROM feedback WHERE session_id = ?`,
			`DELETE FROM session_document WHERE session_id = ?`,
			`DELETE FROM hidden_turn WHERE session_id = ?`, `DELETE FROM branch WHERE session_id = ?`,
		} {
			if _, err := w.exec(ctx, query, session); err != nil {
				return err
			}
		}
		return nil
	})
	return seq, fail(fmt.Sprintf("reset session %d", session), err)
}
