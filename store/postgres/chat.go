package postgres

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"docent/agent"
	"docent/store"
)

// chatColumns is what scanChat reads, of chat c.
const chatColumns = `c.id, c.seq, c.turn, c.client_id, c.type, c.content, c.is_user, c."timestamp"`

func scanChat(row pgx.CollectableRow) (agent.ChatMessage, error) {
	var m agent.ChatMessage
	var content []byte
	err := row.Scan(&m.ID, &m.Seq, &m.Turn, &m.ClientID, &m.Type, &content, &m.IsUser, &m.Time)
	m.Content, m.Time = content, m.Time.UTC()
	return m, err
}

// Messages returns a session's messages; see agent.Store.
func (s *Store) Messages(ctx context.Context, session int64, q agent.MessageQuery) ([]agent.ChatMessage, error) {
	out, err := record(ctx, s, scanChat, `SELECT `+chatColumns+` FROM chat c`, session, q)
	return out, fail(fmt.Sprintf("read messages of session %d", session), err)
}

// record reads from a table c what a query selects of a session's record.
func record[T any](ctx context.Context, s *Store, scan pgx.RowToFunc[T], selection string, session int64, q agent.MessageQuery) ([]T, error) {
	text, args := selection+` WHERE c.session_id = $1 AND c.seq > $2 AND ($3::timestamptz IS NULL OR c."timestamp" <= $3)`, []any{session, q.After, orNull(q.Until), nil}
	if q.Last > 0 {
		args[3] = q.Last
	}
	if q.Turn != 0 { // an index finds it
		text, args = text+` AND c.turn = $5`, append(args, q.Turn)
	}
	out, err := query(ctx, s, scan, text+` ORDER BY c.seq DESC LIMIT $4`, args...)
	if err != nil {
		return nil, err
	}
	if len(out) == 0 {
		var there bool
		if err := s.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM session WHERE id = $1)`, session).Scan(&there); err != nil {
			return nil, err
		}
		if !there {
			return nil, store.NoSession()
		}
	}
	slices.Reverse(out)
	return out, nil
}

// orNull is null for no time.
func orNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// orZero is the reverse of orNull.
func orZero(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}
