package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"docent/agent"
	"docent/store"
)

// chatColumns is what scanChat reads, of chat c.
const chatColumns = `c.id, c.seq, c.turn, c.client_id, c.type, c.content, c.is_user, c.timestamp`

func scanChat(rows *sql.Rows) (agent.ChatMessage, error) { return scanMessage(rows) }

func scanMessage(row scanner) (agent.ChatMessage, error) {
	var m agent.ChatMessage
	var content []byte
	var at int64
	err := row.Scan(&m.ID, &m.Seq, &m.Turn, &m.ClientID, &m.Type, &content, &m.IsUser, &at)
	m.Content, m.Time = content, micro(at)
	return m, err
}

// Receive stores a user's message; see agent.Store.
func (s *Store) Receive(ctx context.Context, in agent.Incoming) (agent.Receipt, error) {
	receipt, err := s.receive(ctx, in)
	return receipt, fail(fmt.Sprintf("receive message of session %d", in.Session), err)
}

func (s *Store) receive(ctx context.Context, in agent.Incoming) (receipt agent.Receipt, err error) {
	if err := store.CheckClientID(in.ClientID); err != nil {
		return receipt, err
	}
	content, err := store.JSON(in.Content)
	if err != nil {
		return receipt, err
	}
	clientID := store.Text(in.ClientID)
	err = s.write(ctx, func(ctx context.Context, w *writer) error {
		receipt.Message, err = scanMessage(w.row(ctx, `SELECT `+chatColumns+` FROM chat c
			WHERE c.session_id = ? AND c.client_id = ? AND c.client_id <> '' AND c.is_user`, in.Session, clientID))
		receipt.Duplicate = err == nil
		if errors.Is(err, sql.ErrNoRows) {
			receipt.Message, err = s.addMessage(ctx, w, in, clientID, content)
		}
		if err != nil || in.History <= 0 {
			return err
		}
		rows, err := w.query(ctx, `SELECT `+chatColumns+` FROM chat c WHERE c.session_id = ? AND c.seq < ? ORDER BY c.seq DESC LIMIT ?`,
			in.Session, receipt.Message.Seq, in.History)
		if err != nil {
			return err
		}
		receipt.History, err = collect(rows, scanChat)
		slices.Reverse(receipt.History)
		return err
	})
	return receipt, err
}

// addMessage stores a message that is not there yet, with its event.
func (s *Store) addMessage(ctx context.Context, w *writer, in agent.Incoming, clientID string, content json.RawMessage) (agent.ChatMessage, error) {
	now := s.config.Now()
	m := agent.ChatMessage{ClientID: clientID, Type: store.Text(in.Type), Content: content, IsUser: true, Time: store.Time(in.Event.Time, now)}
	err := w.row(ctx, `UPDATE session SET seq = seq + 1, turn = turn + 1, updated_at = ? WHERE id = ? RETURNING seq, turn`,
		now.UnixMicro(), in.Session).Scan(&m.Seq, &m.Turn)
	if errors.Is(err, sql.ErrNoRows) {
		return m, store.NoSession()
	}
	if err != nil {
		return m, err
	}
	if m.ID, err = insertMessage(ctx, w, in.Session, m); err != nil {
		return m, err
	}
	_, err = w.exec(ctx, `INSERT INTO event (session_id, event, info, timestamp) VALUES (?, ?, ?, ?)`,
		in.Session, store.Text(in.Event.Name), store.Text(in.Event.Info), m.Time.UnixMicro())
	return m, err
}

func insertMessage(ctx context.Context, w *writer, session int64, m agent.ChatMessage) (id int64, err error) {
	result, err := w.exec(ctx, `INSERT INTO chat (session_id, type, content, is_user, timestamp, seq, turn, client_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
		session, m.Type, string(m.Content), m.IsUser, m.Time.UnixMicro(), m.Seq, m.Turn, m.ClientID)
	if err != nil {
		return 0, err
	}
	return result.LastInsertId()
}

// CommitTurn writes a turn's outcome; see agent.Store.
func (s *Store) CommitTurn(ctx context.Context, turn agent.TurnRecord) ([]agent.ChatMessage, error) {
	replies, err := s.commitTurn(ctx, turn)
	return replies, fail(fmt.Sprintf("commit turn %d of session %d", turn.Turn, turn.Session), err)
}

func (s *Store) commitTurn(ctx context.Context, turn agent.TurnRecord) ([]agent.ChatMessage, error) {
	now := s.config.Now()
	replies, err := store.Replies(turn, now)
	if err != nil {
		return nil, err
	}
	set, err := store.Variables(turn.Set)
	if err != nil {
		return nil, err
	}
	err = s.write(ctx, func(ctx context.Context, w *writer) error {
		var seq int64
		var stored []byte
		err := w.row(ctx, `UPDATE session SET seq = seq + ?1, turn = max(turn, ?2), done_turn = max(done_turn, ?2), current_state = ?3, updated_at = ?4
			WHERE id = ?5 AND (?2 = 0 OR done_turn < ?2 OR (SELECT c.is_user OR (c.client_id = ?6 AND NOT ?7) FROM chat c
				WHERE c.session_id = ?5 AND c.turn = ?2 ORDER BY c.seq DESC LIMIT 1))
			RETURNING seq, variables`,
			len(replies), turn.Turn, store.Text(turn.State), now.UnixMicro(), turn.Session, agent.FailedID, turn.Failed()).Scan(&seq, &stored)
		if errors.Is(err, sql.ErrNoRows) {
			replies, err = storedReplies(ctx, w, turn)
			return err
		}
		if err != nil {
			return err
		}
		if err := setVariables(ctx, w, turn, stored, set); err != nil {
			return err
		}
		for i := range replies {
			m := &replies[i]
			m.Seq = seq - int64(len(replies)-1-i)
			if m.ID, err = insertMessage(ctx, w, turn.Session, *m); err != nil {
				return err
			}
		}
		for _, t := range turn.Transitions {
			if _, err := w.exec(ctx, `INSERT INTO transition (session_id, source_state, dest_state, event, condition, timestamp, turn) VALUES (?, ?, ?, ?, ?, ?, ?)`,
				turn.Session, store.Text(t.Source), store.Text(t.Dest), store.Text(t.Event), store.Text(t.Condition), store.Time(t.Time, now).UnixMicro(), turn.Turn); err != nil {
				return err
			}
		}
		return nil
	})
	return replies, err
}

// storedReplies are those of a turn that was committed before.
func storedReplies(ctx context.Context, w *writer, turn agent.TurnRecord) ([]agent.ChatMessage, error) {
	var there int
	err := w.row(ctx, `SELECT 1 FROM session WHERE id = ?`, turn.Session).Scan(&there)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, store.NoSession()
	}
	if err != nil {
		return nil, err
	}
	rows, err := w.query(ctx, `SELECT `+chatColumns+` FROM chat c WHERE c.session_id = ? AND c.turn = ? AND NOT c.is_user ORDER BY c.seq`,
		turn.Session, turn.Turn)
	if err != nil {
		return nil, err
	}
	return collect(rows, scanChat)
}

// setVariables changes a session's variables, if the turn did.
func setVariables(ctx context.Context, w *writer, turn agent.TurnRecord, stored, set []byte) error {
	if len(turn.Set) == 0 && len(turn.Delete) == 0 {
		return nil
	}
	all := map[string]json.RawMessage{}
	for _, object := range [][]byte{stored, set} { // the later wins
		if err := json.Unmarshal(object, &all); err != nil {
			return fmt.Errorf("variables: %w", err)
		}
	}
	for _, name := range turn.Delete {
		delete(all, store.Text(name))
	}
	object, err := json.Marshal(all)
	if err != nil {
		return fmt.Errorf("variables: %w", err)
	}
	_, err = w.exec(ctx, `UPDATE session SET variables = ? WHERE id = ?`, string(object), turn.Session)
	return err
}

// Messages returns a session's messages; see agent.Store.
func (s *Store) Messages(ctx context.Context, session int64, query agent.MessageQuery) ([]agent.ChatMessage, error) {
	text, args := `SELECT `+chatColumns+` FROM chat c WHERE c.session_id = ? AND c.seq > ?`, []any{session, query.After}
	if !query.Until.IsZero() {
		text, args = text+` AND c.timestamp <= ?`, append(args, query.Until.UnixMicro())
	}
	if query.Turn != 0 {
		text, args = text+` AND c.turn = ?`, append(args, query.Turn)
	}
	text += ` ORDER BY c.seq DESC`
	if query.Last > 0 {
		text, args = text+` LIMIT ?`, append(args, query.Last)
	}
	var out []agent.ChatMessage
	err := s.read(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, text, args...)
		if err != nil {
			return err
		}
		if out, err = collect(rows, scanChat); err != nil || len(out) > 0 {
			return err
		}
		var there int
		err = tx.QueryRowContext(ctx, `SELECT 1 FROM session WHERE id = ?`, session).Scan(&there)
		if errors.Is(err, sql.ErrNoRows) {
			return store.NoSession()
		}
		return err
	})
	slices.Reverse(out)
	return out, fail(fmt.Sprintf("read messages of session %d", session), err)
}
