package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"docent/agent/chat"
	"docent/agent/session/journal"

	"docent/store"
)

// chatColumns are the columns of chat c that scanChat reads.
const chatColumns = `c.id, c.seq, c.turn, c.client_id, c.type, c.content, c.is_user, c.replaces, c.sender, c.sentence, c.timestamp`

// notReplaced is a condition on rows with session_id and turn. It holds if the
// turn is shown. For sessions without hidden turns, SQLite reads no rows.
func notReplaced(alias, session string) string {
	return `(NOT EXISTS (SELECT 1 FROM hidden_turn h WHERE h.session_id = ` + session + `)
		OR NOT EXISTS (SELECT 1 FROM hidden_turn h WHERE h.session_id = ` + session + ` AND h.first <= ` + alias + `.turn AND h.until > ` + alias + `.turn))`
}

func scanChat(rows *sql.Rows) (chat.Message, error) {
	var m chat.Message
	var content []byte
	var at int64
	err := rows.Scan(&m.ID, &m.Seq, &m.Turn, &m.ClientID, &m.Type, &content, &m.IsUser, &m.Replaces, &m.Sender, &m.Sentence, &at)
	m.Content, m.Time = content, micro(at)
	return m, err
}

func insertMessage(ctx context.Context, w *writer, session int64, m *chat.Message) error {
	result, err := w.exec(ctx, `INSERT INTO chat (session_id, type, content, is_user, replaces, sender, sentence, timestamp, seq, turn, client_id)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		session, m.Type, string(m.Content), m.IsUser, m.Replaces, m.Sender, m.Sentence, m.Time.UnixMicro(), m.Seq, m.Turn, m.ClientID)
	if err != nil {
		return err
	}
	if m.ID, err = result.LastInsertId(); err != nil {
		return err
	}
	if said := store.Said(*m); said != "" {
		_, err = w.exec(ctx, `INSERT INTO said (session_id, chat_id, turn, folded) VALUES (?, ?, ?, ?)`, session, m.ID, m.Turn, said)
	}
	return err
}

// messages describes the table chat.
var messages = kept[chat.Message]{columns: chatColumns, table: "chat", content: "c.content", scan: scanChat}

// Messages returns a session's messages; see journal.Store.
func (s *sessions) Messages(ctx context.Context, session int64, q journal.MessageQuery) ([]chat.Message, error) {
	out, err := record(ctx, s, messages, session, q)
	return out, fail(fmt.Sprintf("read messages of session %d", session), err)
}

// kept describes a table of a session's record. Queries name the table c.
type kept[T any] struct {
	columns, table string
	content        string // the column that may be large
	scan           func(*sql.Rows) (T, error)
}

// bounded returns the columns, with NULL for content that has more bytes than a
// query argument. SQLite knows the size without reading the content.
func bounded(columns, content string) string {
	return strings.Replace(columns, content, `CASE WHEN octet_length(`+content+`) <= ? THEN `+content+` END`, 1)
}

// recordQuery returns the query for a part of a session's record, newest first.
func (k kept[T]) recordQuery(session int64, q journal.MessageQuery) (text string, args []any) {
	columns := k.columns
	if q.MaxContent > 0 {
		columns, args = bounded(columns, k.content), append(args, q.MaxContent)
	}
	where := ` FROM ` + k.table + ` c WHERE c.session_id = ? AND c.seq > ?`
	args = append(args, session, q.After)
	if q.Before != 0 {
		where, args = where+` AND c.seq < ?`, append(args, q.Before)
	}
	if !q.Until.IsZero() {
		where, args = where+` AND c.timestamp <= ?`, append(args, q.Until.UnixMicro())
	}
	if q.Turn != 0 {
		where, args = where+` AND c.turn = ?`, append(args, q.Turn)
	} else if !q.Replaced {
		where, args = where+` AND `+notReplaced("c", "?"), append(args, session, session)
	}
	where += ` ORDER BY c.seq DESC`
	if q.Last > 0 {
		where, args = where+` LIMIT ?`, append(args, q.Last)
	}
	if q.Bytes <= 0 {
		return `SELECT ` + columns + where, args
	}
	return `SELECT ` + columns + ` FROM (SELECT id, sum(size) OVER (ORDER BY seq) AS bytes, row_number() OVER (ORDER BY seq) AS n
			FROM (SELECT c.id, c.seq, octet_length(` + k.content + `) AS size` + where + `)) w
		JOIN ` + k.table + ` c ON c.id = w.id WHERE w.bytes <= ? OR w.n = 1 ORDER BY c.seq DESC`, append(args, q.Bytes)
}

// record reads a part of a session's record.
func record[T any](ctx context.Context, s *sessions, k kept[T], session int64, q journal.MessageQuery) ([]T, error) {
	text, args := k.recordQuery(session, q)
	var out []T
	err := s.read(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, text, args...)
		if err != nil {
			return err
		}
		if out, err = collect(rows, k.scan); err != nil || len(out) > 0 {
			return err
		}
		return there(tx.QueryRowContext(ctx, sessionThere, session))
	})
	slices.Reverse(out)
	return out, err
}

// sessionThere finds out whether a session exists.
const sessionThere = `SELECT 1 FROM session WHERE id = ?`

// there fails if the session does not exist.
func there(row scanner) error {
	var one int
	err := row.Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return store.NoSession()
	}
	return err
}

// orNull returns nil for the zero time.
func orNull(t time.Time) *int64 {
	if t.IsZero() {
		return nil
	}
	at := t.UnixMicro()
	return &at
}
