package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"docent/agent"
	"docent/store"
)

// chatColumns is what scanChat reads, of chat c.
const chatColumns = `c.id, c.seq, c.turn, c.client_id, c.type, c.content, c.is_user, c.timestamp`

func scanChat(rows *sql.Rows) (agent.ChatMessage, error) {
	var m agent.ChatMessage
	var content []byte
	var at int64
	err := rows.Scan(&m.ID, &m.Seq, &m.Turn, &m.ClientID, &m.Type, &content, &m.IsUser, &at)
	m.Content, m.Time = content, micro(at)
	return m, err
}

func insertMessage(ctx context.Context, w *writer, session int64, m *agent.ChatMessage) error {
	result, err := w.exec(ctx, `INSERT INTO chat (session_id, type, content, is_user, timestamp, seq, turn, client_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
		session, m.Type, string(m.Content), m.IsUser, m.Time.UnixMicro(), m.Seq, m.Turn, m.ClientID)
	if err != nil {
		return err
	}
	m.ID, err = result.LastInsertId()
	return err
}

// Messages returns a session's messages; see agent.Store.
func (s *Store) Messages(ctx context.Context, session int64, q agent.MessageQuery) ([]agent.ChatMessage, error) {
	out, err := record(ctx, s, scanChat, `SELECT `+chatColumns+` FROM chat c`, session, q)
	return out, fail(fmt.Sprintf("read messages of session %d", session), err)
}

// record reads from a table c what a query selects of a session's record.
func record[T any](ctx context.Context, s *Store, scan func(*sql.Rows) (T, error), selection string, session int64, q agent.MessageQuery) ([]T, error) {
	text, args := selection+` WHERE c.session_id = ? AND c.seq > ?`, []any{session, q.After}
	if !q.Until.IsZero() {
		text, args = text+` AND c.timestamp <= ?`, append(args, q.Until.UnixMicro())
	}
	if q.Turn != 0 {
		text, args = text+` AND c.turn = ?`, append(args, q.Turn)
	}
	text += ` ORDER BY c.seq DESC`
	if q.Last > 0 {
		text, args = text+` LIMIT ?`, append(args, q.Last)
	}
	var out []T
	err := s.read(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, text, args...)
		if err != nil {
			return err
		}
		if out, err = collect(rows, scan); err != nil || len(out) > 0 {
			return err
		}
		return there(tx.QueryRowContext(ctx, sessionThere, session))
	})
	slices.Reverse(out)
	return out, err
}

// sessionThere is what there reads.
const sessionThere = `SELECT 1 FROM session WHERE id = ?`

// there fails if there is no session.
func there(row scanner) error {
	var one int
	err := row.Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return store.NoSession()
	}
	return err
}

// orNull is null for no time.
func orNull(t time.Time) *int64 {
	if t.IsZero() {
		return nil
	}
	at := t.UnixMicro()
	return &at
}

// orZero is the reverse of orNull.
func orZero(at *int64) time.Time {
	if at == nil {
		return time.Time{}
	}
	return micro(*at)
}
