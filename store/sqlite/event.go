package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"docent/agent/chat"
	"docent/agent/session/journal"
	"docent/store"
)

// eventColumns are the columns of event e that scanEvent reads, and those of
// its chat c, which may be missing.
const eventColumns = `e.id, e.turn, e.event, coalesce(e.info, ''), e.human, e.data, e.origin, e.timestamp,
	coalesce(c.id, 0), coalesce(c.seq, 0), coalesce(c.client_id, ''), coalesce(c.type, ''), c.content,
	coalesce(c.is_user, 0), coalesce(c.replaces, 0), coalesce(c.sender, ''), coalesce(c.timestamp, 0)`

// scanEvent reads eventColumns and the columns of more.
func scanEvent(row scanner, more ...any) (journal.EventRecord, error) {
	var e journal.EventRecord
	var m chat.Message
	var data, origin, content []byte
	var at, said int64
	err := row.Scan(append([]any{
		&e.ID, &e.Turn, &e.Name, &e.Info, &e.Human, &data, &origin, &at,
		&m.ID, &m.Seq, &m.ClientID, &m.Type, &content, &m.IsUser, &m.Replaces, &m.Sender, &said,
	}, more...)...)
	if m.ID != 0 {
		m.Turn, m.Content, m.Time = e.Turn, content, micro(said)
	}
	e.Origin, e.Time, e.Message = origin, micro(at), m
	e.Data = store.EventData(data, m)
	return e, err
}

// Receive stores an event; see journal.Store.
func (s *sessions) Receive(ctx context.Context, in journal.Incoming) (receipt journal.Receipt, err error) {
	defer func() { err = fail(fmt.Sprintf("receive event of session %d", in.Session), err) }()
	if in, err = store.Incoming(in, s.config.Now()); err != nil {
		return receipt, err
	}
	err = s.write(ctx, func(ctx context.Context, w *writer) error {
		err := sql.ErrNoRows
		if in.ClientID != "" {
			var handled bool
			query := messageEvent
			if in.Type == "" {
				query = bareEvent
			}
			receipt.Event, err = scanEvent(w.row(ctx, query, in.Session, in.ClientID), &handled)
			receipt.Event.Handled = handled
		}
		receipt.Duplicate = err == nil
		before := receipt.Event.Message.Seq
		if errors.Is(err, sql.ErrNoRows) {
			receipt.Event, before, err = s.addEvent(ctx, w, in)
		}
		if err != nil || in.History <= 0 {
			return err
		}
		rows, err := w.query(ctx, historyQuery, chat.MaxHistoryContent, in.Session, before, in.History)
		if err != nil {
			return err
		}
		receipt.History, err = collect(rows, scanChat)
		slices.Reverse(receipt.History)
		return err
	})
	return receipt, err
}

// messageEvent and bareEvent return a stored event by its client id, with and
// without a message.
const (
	messageEvent = `SELECT ` + eventColumns + `, e.handled FROM chat c JOIN event e ON e.chat_id = c.id
		WHERE c.session_id = ? AND c.client_id = ? AND c.client_id <> '' AND c.is_user`
	bareEvent = `SELECT ` + eventColumns + `, e.handled FROM event e LEFT JOIN chat c ON c.id = e.chat_id
		WHERE e.session_id = ? AND e.client_id = ? AND e.client_id <> ''`
)

// historyQuery returns messages, newest first. It omits large contents and
// replaced messages.
var historyQuery = `SELECT ` + bounded(chatColumns, "c.content") + ` FROM chat c WHERE c.session_id = ?2 AND c.seq < ?3
	AND ` + notReplaced("c", "?2") + ` ORDER BY c.seq DESC LIMIT ?4`

// addEvent stores a new event with its message. next is the sequence number
// after the history.
func (s *sessions) addEvent(ctx context.Context, w *writer, in journal.Incoming) (e journal.EventRecord, next int64, err error) {
	if err := replaceable(ctx, w, in); err != nil {
		return e, 0, err
	}
	e = in.Event
	said := 0
	if in.Type != "" {
		said = 1
	}
	err = w.row(ctx, `UPDATE session SET seq = seq + ?, turn = turn + 1, updated_at = ?, archived = archived AND ? = 0 WHERE id = ? RETURNING seq, turn`,
		said, s.now(), said, in.Session).Scan(&next, &e.Turn)
	if errors.Is(err, sql.ErrNoRows) {
		return e, 0, store.NoSession()
	}
	if err != nil {
		return e, 0, err
	}
	var chatID *int64
	if said == 0 {
		next++
	} else {
		e.Message = chat.Message{
			Seq: next, Turn: e.Turn, ClientID: in.ClientID, Type: in.Type, Content: in.Content, IsUser: true,
			Replaces: in.Replaces, Sender: in.Sender, Time: e.Time,
		}
		if err := insertMessage(ctx, w, in.Session, &e.Message); err != nil {
			return e, 0, err
		}
		chatID = &e.Message.ID
	}
	if in.Replaces > 0 {
		_, err := w.exec(ctx, `INSERT INTO hidden_turn (session_id, first, until) VALUES (?, ?, ?)`, in.Session, in.Replaces, e.Turn)
		if err != nil {
			return e, 0, err
		}
	}
	clientID := in.ClientID
	if chatID != nil {
		clientID = "" // the message has it
	}
	result, err := w.exec(ctx, `INSERT INTO event (session_id, event, info, timestamp, turn, human, data, origin, chat_id, client_id, handled)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)`,
		in.Session, e.Name, e.Info, e.Time.UnixMicro(), e.Turn, e.Human, jsonText(e.Data), jsonText(e.Origin), chatID, clientID)
	if err != nil {
		return e, 0, err
	}
	e.Data = store.EventData(e.Data, e.Message)
	e.ID, err = result.LastInsertId()
	return e, next, err
}

// replaceable fails if a message cannot replace its turn.
func replaceable(ctx context.Context, w *writer, in journal.Incoming) error {
	if in.Replaces == 0 {
		return nil
	}
	var begun, spoken, free bool
	err := w.row(ctx, `SELECT EXISTS (SELECT 1 FROM event e WHERE e.session_id = s.id AND e.turn = ?2),
			EXISTS (SELECT 1 FROM event e WHERE e.session_id = s.id AND e.turn = ?2 AND e.human AND e.chat_id IS NOT NULL),
			NOT EXISTS (SELECT 1 FROM hidden_turn h WHERE h.session_id = s.id AND h.first <= ?2 AND h.until > ?2)
		FROM session s WHERE s.id = ?1`, in.Session, in.Replaces).Scan(&begun, &spoken, &free)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return store.NoSession()
	case err != nil || spoken && free:
		return err
	}
	return store.CannotReplace(in.Replaces, begun, spoken)
}

// jsonText returns the stored form of JSON.
func jsonText(raw json.RawMessage) *string {
	if raw == nil {
		return nil
	}
	s := string(raw)
	return &s
}

// pendingEvents returns the unhandled events of a session that were not
// replaced.
var pendingEvents = `SELECT ` + eventColumns + `,
		EXISTS (SELECT 1 FROM chat r WHERE r.session_id = e.session_id AND r.turn = e.turn AND NOT r.is_user)
			OR EXISTS (SELECT 1 FROM reasoning_step r WHERE r.session_id = e.session_id AND r.turn = e.turn)
	FROM event e LEFT JOIN chat c ON c.id = e.chat_id WHERE e.session_id = ?1 AND NOT e.handled
		AND ` + notReplaced("e", "?1") + ` ORDER BY e.turn`

// lastEvent returns the last event that a turn of a session handled.
var lastEvent = `SELECT ` + bounded(bounded(eventColumns, "e.data"), "c.content") + `
	FROM session s JOIN event e ON e.id = s.last_event AND e.session_id = s.id LEFT JOIN chat c ON c.id = e.chat_id WHERE s.id = ?3
		AND ` + notReplaced("e", "s.id")

func scanPending(rows *sql.Rows) (journal.EventRecord, error) {
	var begun bool
	e, err := scanEvent(rows, &begun)
	e.Begun = begun
	return e, err
}
