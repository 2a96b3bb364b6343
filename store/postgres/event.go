package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"docent/agent/chat"
	"docent/agent/session/journal"
	"docent/payload"
	"docent/store"
)

// eventColumns are the columns of event e that scanEvent reads.
const eventColumns = `e.id, e.turn, e.event, coalesce(e.info, ''), e.human, e.data, e.origin, e."timestamp"`

// scanEvent reads eventColumns and the columns of more.
func scanEvent(row pgx.CollectableRow, more ...any) (journal.EventRecord, error) {
	var e journal.EventRecord
	var data, origin []byte
	err := row.Scan(append([]any{&e.ID, &e.Turn, &e.Name, &e.Info, &e.Human, &data, &origin, &e.Time}, more...)...)
	e.Data, e.Origin, e.Time = data, origin, e.Time.UTC()
	return e, err
}

// receiveEvent stores an event with its message, if any, and returns it. If the
// client id is known, it returns the stored event. Without a session it returns
// no row.
var receiveEvent = receiving("")

// reviseEvent is receiveEvent for a message that replaces a turn. It stores the
// event only if the turn can be replaced.
var reviseEvent = receiving(` AND ` + spokenTurn("$1", "$13::bigint") + ` AND NOT EXISTS (SELECT FROM hidden_turn h
			WHERE h.session_id = $1 AND h.first <= $13::bigint AND h.until > $13::bigint)`)

// spokenTurn is a condition: the turn began with a user's message.
func spokenTurn(session, turn string) string {
	return `EXISTS (SELECT FROM event e WHERE e.session_id = ` + session + ` AND e.turn = ` + turn + ` AND e.human AND e.chat_id IS NOT NULL)`
}

func receiving(condition string) string {
	return `WITH s AS (
		UPDATE session SET seq = seq + CASE $7::text WHEN '' THEN 0 ELSE 1 END, turn = turn + 1, updated_at = $2, archived = archived AND $7::text = ''
		WHERE id = $1 AND ($15::bigint = 0 OR fence = $15)
			AND NOT EXISTS (SELECT FROM chat WHERE session_id = $1 AND $7::text <> '' AND client_id = $3 AND client_id <> '' AND is_user)
			AND NOT EXISTS (SELECT FROM event WHERE session_id = $1 AND $7::text = '' AND client_id = $3 AND client_id <> '')` + condition + `
		RETURNING id, seq, turn),
	c AS (INSERT INTO chat (session_id, type, content, is_user, sender, "timestamp", seq, turn, client_id, replaces)
		SELECT id, $7, $8, true, $12, $6, seq, turn, $3, $13 FROM s WHERE $7::text <> '' RETURNING id),
	h AS (INSERT INTO hidden_turn (session_id, first, until) SELECT id, $13::bigint, turn FROM s WHERE $13::bigint > 0),
	d AS (INSERT INTO said (session_id, chat_id, turn, folded) SELECT s.id, c.id, s.turn, $14 FROM s, c WHERE $14::text <> ''),
	e AS (INSERT INTO event (session_id, event, info, "timestamp", turn, human, data, origin, chat_id, client_id, handled)
		SELECT id, $4, $5, $6, turn, $9, $10, $11, (SELECT id FROM c), CASE $7::text WHEN '' THEN $3 ELSE '' END, false FROM s RETURNING *)
	SELECT ` + eventColumns + `, false, false FROM e
	UNION ALL SELECT ` + eventColumns + `, e.handled, true FROM event e JOIN chat c ON c.id = e.chat_id
	WHERE c.session_id = $1 AND $7::text <> '' AND c.client_id = $3 AND c.client_id <> '' AND c.is_user
	UNION ALL SELECT ` + eventColumns + `, e.handled, true FROM event e
	WHERE e.session_id = $1 AND $7::text = '' AND e.client_id = $3 AND e.client_id <> ''`
}

// receivedSeq is the sequence number of the received message. For an event
// without a message, it is that of the last message or step. A new message has
// the session's last number, because the previous statement locks the row.
const receivedSeq = `coalesce((SELECT seq FROM chat WHERE session_id = $1 AND client_id = $2 AND client_id <> '' AND is_user),
		(SELECT seq FROM session WHERE id = $1))`

// receivedHistory returns the received message, if there is one ($5), and
// earlier messages, newest first. It omits large contents and replaced
// messages.
var receivedHistory = `SELECT ` + strings.Replace(chatColumns, "c.content",
	`CASE WHEN pg_column_size(c.content) <= $4 OR $5::bool AND c.seq = `+receivedSeq+` THEN c.content END`, 1) +
	` FROM chat c WHERE c.session_id = $1 AND c.seq <= ` + receivedSeq + `
		AND (` + notReplaced("c", "$1") + ` OR $5::bool AND c.seq = ` + receivedSeq + `) ORDER BY c.seq DESC LIMIT $3`

// Receive stores an event; see journal.Store.
func (s *sessions) Receive(ctx context.Context, in journal.Incoming) (journal.Receipt, error) {
	var receipt journal.Receipt
	now := s.config.Now()
	in, err := store.Incoming(in, now)
	if err == nil {
		err = again(ctx, func() (err error) {
			receipt, err = s.receive(ctx, in, now)
			return err
		})
	}
	if errors.Is(err, errNotReceived) {
		err = s.notReceived(ctx, in)
	}
	return receipt, fail(fmt.Sprintf("receive event of session %d", in.Session), err)
}

// errNotReceived means that an event was not stored: the session does not
// exist, or the message cannot replace its turn.
var errNotReceived = errors.New("not received")

// notReceived returns the reason why an event was not stored.
func (s *sessions) notReceived(ctx context.Context, in journal.Incoming) error {
	var there, current, begun, spoken bool
	err := s.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM session WHERE id = $1), EXISTS (SELECT FROM session WHERE id = $1 AND fence = $3), EXISTS (SELECT FROM event WHERE session_id = $1 AND turn = $2), `+
		spokenTurn("$1", "$2"), in.Session, in.Replaces, in.Fence).Scan(&there, &current, &begun, &spoken)
	switch {
	case err != nil:
		return err
	case !there:
		return store.NoSession()
	case in.Fence != 0 && !current:
		return journal.Stale()
	}
	return store.CannotReplace(in.Replaces, begun, spoken)
}

// receive makes one round trip: the batch is one transaction.
func (s *sessions) receive(ctx context.Context, in journal.Incoming, now time.Time) (receipt journal.Receipt, err error) {
	said, messageID := 0, ""
	if in.Type != "" {
		said, messageID = 1, in.ClientID
	}
	batch := &pgx.Batch{}
	text := receiveEvent
	if in.Replaces > 0 {
		text = reviseEvent
	}
	batch.Queue(text, in.Session, now, in.ClientID, in.Event.Name, in.Event.Info, in.Event.Time, in.Type, in.Content,
		in.Event.Human, in.Event.Data, in.Event.Origin, in.Sender, in.Replaces,
		store.Said(chat.Message{Type: in.Type, Content: in.Content, IsUser: true}), in.Fence)
	batch.Queue(receivedHistory, in.Session, messageID, max(in.History, 0)+said, chat.MaxHistoryContent, said == 1)
	results := s.pool.SendBatch(ctx, batch)
	defer func() { err = errors.Join(err, results.Close()) }()
	rows, err := results.Query()
	if err != nil {
		return receipt, err
	}
	receipt.Event, err = pgx.CollectExactlyOneRow(rows, func(row pgx.CollectableRow) (journal.EventRecord, error) {
		var handled bool
		e, err := scanEvent(row, &handled, &receipt.Duplicate)
		e.Handled = handled
		return e, err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return receipt, errNotReceived
	}
	if err != nil {
		return receipt, err
	}
	if rows, err = results.Query(); err != nil {
		return receipt, err
	}
	read := 0
	receipt.History, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (chat.Message, error) {
		m, err := scanChat(row)
		if read++; read > said && len(m.Content) > chat.MaxHistoryContent { // its stored form was compressed
			m.Content = nil
		}
		return m, err
	})
	if err != nil {
		return receipt, err
	}
	if said == 1 && len(receipt.History) > 0 {
		receipt.Event.Message, receipt.History = receipt.History[0], receipt.History[1:]
	}
	slices.Reverse(receipt.History)
	receipt.Event.Data = store.EventData(receipt.Event.Data, receipt.Event.Message)
	return receipt, nil
}

// messageColumns are the columns of an event's chat c, which may be missing.
const messageColumns = `coalesce(c.id, 0), coalesce(c.seq, 0), coalesce(c.client_id, ''), coalesce(c.type, ''), c.content,
	coalesce(c.is_user, false), coalesce(c.replaces, 0), coalesce(c.sender, ''), c."timestamp"`

// lastEvent returns the last event that a turn of a session handled, without
// large contents.
var lastEvent = strings.NewReplacer("e.data", lightColumn("e.data"), "c.content", lightColumn("c.content")).
	Replace(`SELECT `+eventColumns+`, `+messageColumns+`, false`) + `
	FROM session s JOIN event e ON e.id = s.last_event AND e.session_id = s.id LEFT JOIN chat c ON c.id = e.chat_id
	WHERE s.agent_name = $1 AND s.session_id = $2 AND ` + notReplaced("e", "s.id")

// lightColumn selects a column's value only if its size in the database is
// small.
func lightColumn(name string) string {
	return `CASE WHEN pg_column_size(` + name + `) <= $3 THEN ` + name + ` END`
}

// hiddenTurns returns the turns of a session that are not shown.
const hiddenTurns = `SELECT h.first, h.until FROM session s JOIN hidden_turn h ON h.session_id = s.id
	WHERE s.agent_name = $1 AND s.session_id = $2 ORDER BY h.first, h.until`

// scanHidden reads the rows of hiddenTurns.
func scanHidden(results pgx.BatchResults) ([]payload.TurnRange, error) {
	rows, err := results.Query()
	if err != nil {
		return nil, err
	}
	var out []payload.TurnRange
	var r payload.TurnRange
	_, err = pgx.ForEachRow(rows, []any{&r.First, &r.Until}, func() error {
		out = append(out, r)
		return nil
	})
	return out, err
}

// scanLast reads the rows of lastEvent.
func scanLast(results pgx.BatchResults) (journal.EventRecord, error) {
	rows, err := results.Query()
	if err != nil {
		return journal.EventRecord{}, err
	}
	e, err := pgx.CollectExactlyOneRow(rows, scanPending)
	if errors.Is(err, pgx.ErrNoRows) {
		return journal.EventRecord{}, nil
	}
	for _, content := range []*json.RawMessage{&e.Data, &e.Message.Content} {
		if len(*content) > chat.MaxHistoryContent { // its stored form was compressed
			*content = nil
		}
	}
	return e, err
}

// pendingEvents returns the unhandled events of a session that were not
// replaced.
var pendingEvents = `SELECT ` + eventColumns + `, ` + messageColumns + `,
		EXISTS (SELECT FROM chat r WHERE r.session_id = e.session_id AND r.turn = e.turn AND NOT r.is_user)
			OR EXISTS (SELECT FROM reasoning_step r WHERE r.session_id = e.session_id AND r.turn = e.turn)
	FROM session s JOIN event e ON e.session_id = s.id AND NOT e.handled LEFT JOIN chat c ON c.id = e.chat_id
	WHERE s.agent_name = $1 AND s.session_id = $2 AND ` + notReplaced("e", "s.id") + ` ORDER BY e.turn`

func scanPending(row pgx.CollectableRow) (journal.EventRecord, error) {
	var m chat.Message
	var content []byte
	var at *time.Time
	var begun bool
	e, err := scanEvent(row, &m.ID, &m.Seq, &m.ClientID, &m.Type, &content, &m.IsUser, &m.Replaces, &m.Sender, &at, &begun)
	if m.ID != 0 {
		m.Turn, m.Content, m.Time = e.Turn, content, orZero(at)
	}
	e.Message, e.Begun = m, begun
	e.Data = store.EventData(e.Data, m)
	return e, err
}
