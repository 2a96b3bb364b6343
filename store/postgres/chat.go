package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"docent/agent"
	"docent/agent/session/journal"
	"docent/store"
)

// chatColumns is what scanChat reads, of chat c.
const chatColumns = `c.id, c.seq, c.turn, c.client_id, c.type, c.content, c.is_user, c.replaces, c.sender, c.sentence, c."timestamp"`

// notReplaced holds for rows of a table with session_id and turn whose turn is
// part of the conversation. What was replaced in the session is read once, from
// an index.
func notReplaced(alias, session string) string {
	return `NOT (` + alias + `.turn <@ ANY (ARRAY(SELECT int8range(r.replaces, r.turn) FROM chat r WHERE r.session_id = ` + session + ` AND r.replaces > 0)))`
}

func scanChat(row pgx.CollectableRow) (agent.ChatMessage, error) {
	var m agent.ChatMessage
	var content []byte
	err := row.Scan(&m.ID, &m.Seq, &m.Turn, &m.ClientID, &m.Type, &content, &m.IsUser, &m.Replaces, &m.Sender, &m.Sentence, &m.Time)
	m.Content, m.Time = content, m.Time.UTC()
	return m, err
}

// messages are what is kept in chat.
var messages = kept[agent.ChatMessage]{
	columns: chatColumns, table: "chat", content: "c.content", scan: scanChat,
	body: func(m *agent.ChatMessage) *json.RawMessage { return &m.Content },
}

// Messages returns a session's messages; see journal.Store.
func (s *Store) Messages(ctx context.Context, session int64, q journal.MessageQuery) ([]agent.ChatMessage, error) {
	out, err := record(ctx, s, messages, session, q)
	return out, fail(fmt.Sprintf("read messages of session %d", session), err)
}

// kept is a table c of a session's record.
type kept[T any] struct {
	columns, table string
	content        string // of the columns, the one that may be large
	scan           pgx.RowToFunc[T]
	body           func(*T) *json.RawMessage // what was read of content
}

// selection are the columns, content only if it has at most so many bytes; 0
// bounds nothing. The size in the database tells without reading it.
func (k kept[T]) selection(maxContent string) string {
	if maxContent == "" {
		return k.columns
	}
	return strings.Replace(k.columns, k.content, `CASE WHEN pg_column_size(`+k.content+`) <= `+maxContent+` THEN `+k.content+` END`, 1)
}

// collect reads rows up to as many bytes of content as were asked, and drops
// content that was larger than it is in the database.
func (k kept[T]) collect(rows pgx.Rows, q journal.MessageQuery) ([]T, error) {
	defer rows.Close()
	var out []T
	for bytes := 0; rows.Next(); {
		v, err := k.scan(rows)
		if err != nil {
			return nil, err
		}
		content := k.body(&v)
		if q.MaxContent > 0 && len(*content) > q.MaxContent {
			*content = nil
		}
		if bytes += len(*content); q.Bytes > 0 && bytes > q.Bytes && len(out) > 0 {
			break
		}
		out = append(out, v)
	}
	rows.Close()
	return out, rows.Err()
}

// recordQuery is what reads a part of a session's record, newest first, or
// oldest first if its bytes are bounded.
func (k kept[T]) recordQuery(session int64, q journal.MessageQuery) (text string, args []any) {
	arg := func(v any) string {
		args = append(args, v)
		return fmt.Sprint("$", len(args))
	}
	where := ` FROM ` + k.table + ` c WHERE c.session_id = ` + arg(session) + ` AND c.seq > ` + arg(q.After)
	if q.Before != 0 {
		where += ` AND c.seq < ` + arg(q.Before)
	}
	if !q.Until.IsZero() {
		where += ` AND c."timestamp" <= ` + arg(q.Until)
	}
	if q.Turn != 0 {
		where += ` AND c.turn = ` + arg(q.Turn)
	} else if !q.Replaced {
		where += ` AND ` + notReplaced("c", "$1")
	}
	where += ` ORDER BY c.seq DESC`
	if q.Last > 0 {
		where += ` LIMIT ` + arg(q.Last)
	}
	maxContent := ""
	if q.MaxContent > 0 {
		maxContent = arg(q.MaxContent)
	}
	if q.Bytes <= 0 {
		return `SELECT ` + k.selection(maxContent) + where, args
	}
	return `WITH p AS (SELECT c.id, c.seq, pg_column_size(` + k.content + `) AS size` + where + `),
		w AS (SELECT id, sum(size) OVER (ORDER BY seq) AS bytes, row_number() OVER (ORDER BY seq) AS n FROM p)
		SELECT ` + k.selection(maxContent) + ` FROM w JOIN ` + k.table + ` c ON c.id = w.id
		WHERE w.bytes <= ` + arg(q.Bytes) + ` OR w.n = 1 ORDER BY c.seq`, args
}

// record reads what a query selects of a session's record.
func record[T any](ctx context.Context, s *Store, k kept[T], session int64, q journal.MessageQuery) ([]T, error) {
	text, args := k.recordQuery(session, q)
	rows, err := s.pool.Query(ctx, text, args...)
	if err != nil {
		return nil, fmt.Errorf("query: %w", err)
	}
	out, err := k.collect(rows, q)
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
	if q.Bytes <= 0 {
		slices.Reverse(out)
	}
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
