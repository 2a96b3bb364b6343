package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"docent/agent/chat"
	"docent/agent/session/journal"

	"github.com/jackc/pgx/v5"

	"docent/store"
)

// chatColumns are the columns of chat c that scanChat reads.
const chatColumns = `c.id, c.seq, c.turn, c.client_id, c.type, c.content, c.is_user, c.replaces, c.sender, c.sentence, c."timestamp"`

// notReplaced is a condition for rows with session_id and turn: the turn is shown.
// The subquery reads the hidden turns of the session once, from an index.
func notReplaced(alias, session string) string {
	return `NOT (` + alias + `.turn <@ ANY (ARRAY(SELECT int8range(h.first, h.until) FROM hidden_turn h WHERE h.session_id = ` + session + `)))`
}

func scanChat(row pgx.CollectableRow) (chat.Message, error) {
	var m chat.Message
	var content []byte
	err := row.Scan(&m.ID, &m.Seq, &m.Turn, &m.ClientID, &m.Type, &content, &m.IsUser, &m.Replaces, &m.Sender, &m.Sentence, &m.Time)
	m.Content, m.Time = content, m.Time.UTC()
	return m, err
}

// messages describes the table chat.
var messages = kept[chat.Message]{
	columns: chatColumns, table: "chat", content: "c.content", scan: scanChat,
	body: func(m *chat.Message) *json.RawMessage { return &m.Content },
}

// Messages returns a session's messages; see journal.Store.
func (s *sessions) Messages(ctx context.Context, session int64, q journal.MessageQuery) ([]chat.Message, error) {
	out, err := record(ctx, s, messages, session, q)
	return out, fail(fmt.Sprintf("read messages of session %d", session), err)
}

// kept describes a table c of a session's record.
type kept[T any] struct {
	columns, table string
	content        string // the column that may be large
	scan           pgx.RowToFunc[T]
	body           func(*T) *json.RawMessage // the field for content
}

// selection returns the columns. It omits content that has more than maxContent
// bytes; 0 means no limit. It compares the size in the database, without
// reading the content.
func (k kept[T]) selection(maxContent string) string {
	if maxContent == "" {
		return k.columns
	}
	return strings.Replace(k.columns, k.content, `CASE WHEN pg_column_size(`+k.content+`) <= `+maxContent+` THEN `+k.content+` END`, 1)
}

// collect reads rows until their content has the requested number of bytes. It
// drops content that is too large once it is decompressed.
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

// recordQuery returns the query for a part of a session's record: newest first,
// or oldest first with a limit of bytes.
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

// record reads a part of a session's record.
func record[T any](ctx context.Context, s *sessions, k kept[T], session int64, q journal.MessageQuery) ([]T, error) {
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

// orNull returns nil for the zero time.
func orNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// orZero reverses orNull.
func orZero(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}
