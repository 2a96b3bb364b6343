package postgres

import (
	"context"
	"errors"
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

// receiveMessage stores a message unless its client id is there: then, and if
// there is no session, it returns nothing.
const receiveMessage = `WITH s AS (
		UPDATE session SET seq = seq + 1, turn = turn + 1, updated_at = $2
		WHERE id = $1 AND NOT EXISTS (SELECT FROM chat WHERE session_id = $1 AND client_id = $3 AND client_id <> '' AND is_user)
		RETURNING id, seq, turn),
	e AS (INSERT INTO event (session_id, event, info, "timestamp") SELECT id, $4, $5, $6 FROM s)
	INSERT INTO chat (session_id, type, content, is_user, "timestamp", seq, turn, client_id)
	SELECT id, $7, $8, true, $6, seq, turn, $3 FROM s RETURNING id`

// receivedHistory returns the message, new or known, and those before it,
// newest first. A new one is the last that its session gave a seq to: the row
// is locked by the statement before.
const receivedHistory = `SELECT ` + chatColumns + ` FROM chat c WHERE c.session_id = $1 AND c.seq <= coalesce(
		(SELECT seq FROM chat WHERE session_id = $1 AND client_id = $2 AND client_id <> '' AND is_user),
		(SELECT seq FROM session WHERE id = $1))
	ORDER BY c.seq DESC LIMIT $3`

// Receive stores a user's message; see agent.Store.
func (s *Store) Receive(ctx context.Context, in agent.Incoming) (agent.Receipt, error) {
	var receipt agent.Receipt
	err := store.CheckClientID(in.ClientID)
	if err == nil {
		in.Content, err = store.JSON(in.Content)
	}
	if err == nil {
		err = again(ctx, func() (err error) {
			receipt, err = s.receive(ctx, in)
			return err
		})
	}
	return receipt, fail(fmt.Sprintf("receive message of session %d", in.Session), err)
}

// receive makes one round trip: a batch is one transaction.
func (s *Store) receive(ctx context.Context, in agent.Incoming) (receipt agent.Receipt, err error) {
	now, clientID := s.config.Now(), store.Text(in.ClientID)
	batch := &pgx.Batch{}
	batch.Queue(receiveMessage, in.Session, now, clientID, store.Text(in.Event.Name), store.Text(in.Event.Info), store.Time(in.Event.Time, now),
		store.Text(in.Type), in.Content)
	batch.Queue(receivedHistory, in.Session, clientID, max(in.History, 0)+1)
	results := s.pool.SendBatch(ctx, batch)
	defer func() { err = errors.Join(err, results.Close()) }()
	tag, err := results.Exec()
	if err != nil {
		return receipt, err
	}
	rows, err := results.Query()
	if err != nil {
		return receipt, err
	}
	messages, err := pgx.CollectRows(rows, scanChat)
	if err != nil {
		return receipt, err
	}
	if len(messages) == 0 {
		return receipt, store.NoSession()
	}
	slices.Reverse(messages)
	last := len(messages) - 1
	return agent.Receipt{Message: messages[last], Duplicate: tag.RowsAffected() == 0, History: messages[:last:last]}, nil
}

// lockSession makes commits of a session wait for each other, so that the
// statement after it sees what they wrote.
const lockSession = `SELECT FROM session WHERE id = $1 FOR NO KEY UPDATE`

// commitTurn writes all that a turn left behind. It returns a row per reply,
// one with nulls if there are none, and no row if the turn was committed before.
const commitTurn = `WITH s AS (
		UPDATE session SET seq = seq + $2, turn = greatest(turn, $3), done_turn = greatest(done_turn, $3), current_state = $4,
			variables = (variables || $5) - $6::text[], updated_at = $7
		WHERE id = $1 AND ($3 = 0 OR done_turn < $3 OR (SELECT c.is_user OR (c.client_id = '` + agent.FailedID + `' AND NOT $18::bool) FROM chat c
			WHERE c.session_id = $1 AND c.turn = $3 ORDER BY c.seq DESC LIMIT 1))
		RETURNING id, seq - $2 AS before),
	r AS (INSERT INTO chat (session_id, type, content, is_user, "timestamp", seq, turn, client_id)
		SELECT s.id, m.type, m.content::jsonb, m.is_user, m.at, s.before + m.n, $3, m.client_id
		FROM s, unnest($8::text[], $9::text[], $10::bool[], $11::timestamptz[], $12::text[]) WITH ORDINALITY AS m(type, content, is_user, at, client_id, n)
		ORDER BY m.n RETURNING id, seq),
	t AS (INSERT INTO transition (session_id, source_state, dest_state, event, condition, "timestamp", turn)
		SELECT s.id, m.source, m.dest, m.event, m.condition, m.at, $3
		FROM s, unnest($13::text[], $14::text[], $15::text[], $16::text[], $17::timestamptz[]) WITH ORDINALITY AS m(source, dest, event, condition, at, n)
		ORDER BY m.n)
	SELECT r.id, r.seq FROM s LEFT JOIN r ON true ORDER BY r.seq`

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
	args := []any{turn.Session, int64(len(replies)), turn.Turn, store.Text(turn.State), set, store.Texts(turn.Delete), now}
	args = append(append(args, replyColumns(replies)...), transitionColumns(turn.Transitions, now)...)
	args = append(args, turn.Failed())
	written := false
	err = again(ctx, func() error {
		written, err = s.writeTurn(ctx, replies, args)
		return err
	})
	if err != nil || written {
		return replies, err
	}
	return query(ctx, s, scanChat, `SELECT `+chatColumns+` FROM chat c WHERE c.session_id = $1 AND c.turn = $2 AND NOT c.is_user ORDER BY c.seq`,
		turn.Session, turn.Turn)
}

// writeTurn makes one round trip, and gives replies their ids and seqs; false
// if the turn was committed before.
func (s *Store) writeTurn(ctx context.Context, replies []agent.ChatMessage, args []any) (written bool, err error) {
	batch := &pgx.Batch{}
	batch.Queue(lockSession, args[0])
	batch.Queue(commitTurn, args...)
	results := s.pool.SendBatch(ctx, batch)
	defer func() { err = errors.Join(err, results.Close()) }()
	tag, err := results.Exec()
	if err != nil {
		return false, err
	}
	if tag.RowsAffected() == 0 {
		return false, store.NoSession()
	}
	rows, err := results.Query()
	if err != nil {
		return false, err
	}
	var id, seq *int64
	n := 0
	tag, err = pgx.ForEachRow(rows, []any{&id, &seq}, func() error {
		if id != nil {
			replies[n].ID, replies[n].Seq = *id, *seq
			n++
		}
		return nil
	})
	return tag.RowsAffected() > 0, err
}

// replyColumns are replies as columns, for unnest.
func replyColumns(replies []agent.ChatMessage) []any {
	n := len(replies)
	types, contents, users, times, clients := make([]string, n), make([]string, n), make([]bool, n), make([]time.Time, n), make([]string, n)
	for i, m := range replies {
		types[i], contents[i], users[i], times[i], clients[i] = m.Type, string(m.Content), m.IsUser, m.Time, m.ClientID
	}
	return []any{types, contents, users, times, clients}
}

// transitionColumns are transitions as columns, for unnest.
func transitionColumns(all []agent.TransitionRecord, now time.Time) []any {
	n := len(all)
	sources, dests, events, conditions, times := make([]string, n), make([]string, n), make([]string, n), make([]string, n), make([]time.Time, n)
	for i, t := range all {
		sources[i], dests[i], events[i], conditions[i] = store.Text(t.Source), store.Text(t.Dest), store.Text(t.Event), store.Text(t.Condition)
		times[i] = store.Time(t.Time, now)
	}
	return []any{sources, dests, events, conditions, times}
}

// Messages returns a session's messages; see agent.Store.
func (s *Store) Messages(ctx context.Context, session int64, q agent.MessageQuery) ([]agent.ChatMessage, error) {
	var until *time.Time
	if !q.Until.IsZero() {
		until = &q.Until
	}
	var last *int
	if q.Last > 0 {
		last = &q.Last
	}
	out, err := query(ctx, s, scanChat, `SELECT `+chatColumns+` FROM chat c
		WHERE c.session_id = $1 AND c.seq > $2 AND ($3::timestamptz IS NULL OR c."timestamp" <= $3) AND ($5 = 0 OR c.turn = $5)
		ORDER BY c.seq DESC LIMIT $4`, session, q.After, until, last, q.Turn)
	if err == nil && len(out) == 0 {
		var there bool
		err = s.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM session WHERE id = $1)`, session).Scan(&there)
		if err == nil && !there {
			err = store.NoSession()
		}
	}
	slices.Reverse(out)
	return out, fail(fmt.Sprintf("read messages of session %d", session), err)
}
