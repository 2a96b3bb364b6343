package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"docent/agent"
	"docent/store"
)

// lockSession makes commits of a session wait for each other, so that the
// statement after it sees what they wrote.
const lockSession = `SELECT FROM session WHERE id = $1 FOR NO KEY UPDATE`

// A commit is one statement made of these parts. It returns, by seq, a row for
// the session and one per entry; and no row if the turn may not be written.
const (
	// turnEvent is the event that began the turn.
	turnEvent = `WITH b AS (SELECT id, handled FROM event WHERE session_id = $1 AND turn = $3 AND $3 > 0),`
	// mayWrite holds for a turn that no event began, that was not committed,
	// or that had failed and now has not.
	mayWrite = `id = $1 AND ($3 = 0 OR EXISTS (SELECT FROM b WHERE NOT b.handled OR NOT $22::bool AND (
			SELECT c.client_id = '` + agent.FailedID + `' FROM chat c WHERE c.session_id = $1 AND c.turn = $3 AND NOT c.is_user ORDER BY c.seq DESC LIMIT 1)))
		RETURNING id, seq - $2 AS before),`
	// writeEntries writes messages (m), steps with the message they belong to
	// (r), and which one earlier steps belong to (l): those that the statement
	// finds, as it does not see the steps it writes itself.
	writeEntries = `m AS (INSERT INTO chat (session_id, type, content, is_user, "timestamp", seq, turn, client_id)
		SELECT s.id, v.type, v.content::jsonb, v.is_user, v.at, s.before + v.n, $3, v.client_id
		FROM s, unnest($5::bigint[], $6::text[], $7::text[], $8::bool[], $9::timestamptz[], $10::text[]) AS v(n, type, content, is_user, at, client_id)
		ORDER BY v.n RETURNING id, seq),
	r AS (INSERT INTO reasoning_step (session_id, chat_id, kind, step_kind, step, summary, payload, "timestamp", seq, turn)
		SELECT s.id, coalesce(m.id, (SELECT c.id FROM chat c WHERE c.id = v.chat AND c.session_id = $1)), v.kind, nullif(v.step_kind, ''), CASE v.step_kind WHEN '' THEN NULL ELSE v.step END, nullif(v.summary, ''), v.payload::jsonb, v.at,
			s.before + v.n, $3
		FROM s CROSS JOIN unnest($11::bigint[], $12::bigint[], $13::bigint[], $14::text[], $15::text[], $16::int[], $17::text[], $18::text[], $19::timestamptz[])
			AS v(n, answer, chat, kind, step_kind, step, summary, payload, at) LEFT JOIN m ON v.answer > 0 AND m.seq = s.before + v.answer
		ORDER BY v.n RETURNING id, seq, chat_id),
	l AS (UPDATE reasoning_step e SET chat_id = v.id
		FROM s, (SELECT m.id FROM s, m WHERE m.seq = s.before + $20 UNION ALL SELECT c.id FROM chat c WHERE $20::bigint = 0 AND c.id = $21 AND c.session_id = $1) v
		WHERE e.session_id = $1 AND e.turn = $3 AND e.chat_id IS NULL)`
	// result is what is returned.
	result = ` SELECT 0::bigint, before, NULL::bigint FROM s UNION ALL SELECT id, seq, NULL FROM m UNION ALL SELECT id, seq, chat_id FROM r ORDER BY 2`

	// commitPartial writes entries only. A failed turn that runs again is open
	// again from then on.
	commitPartial = turnEvent + ` s AS (UPDATE session SET seq = seq + $2, updated_at = $4 WHERE ` + mayWrite + writeEntries + `,
	h AS (UPDATE event e SET handled = false FROM s, b WHERE e.id = b.id AND b.handled)` + result

	// commitTurn writes all that a turn left behind.
	commitTurn = turnEvent + ` s AS (
		UPDATE session SET seq = seq + $2, current_state = $23, entered_at = $24, wake_at = $25, variables = (variables || $26) - $27::text[], updated_at = $4
		WHERE ` + mayWrite + writeEntries + `,
	h AS (UPDATE event e SET handled = true FROM s WHERE e.session_id = s.id AND NOT e.handled AND e.id = ANY($28::bigint[])),
	t AS (INSERT INTO transition (session_id, source_state, dest_state, event, condition, "timestamp", turn)
		SELECT s.id, v.source, v.dest, v.event, v.condition, v.at, $3
		FROM s, unnest($29::text[], $30::text[], $31::text[], $32::text[], $33::timestamptz[]) WITH ORDINALITY AS v(source, dest, event, condition, at, n)
		ORDER BY v.n),
	p AS (INSERT INTO intent_prediction (session_id, message, intent_classifier, intent, score, "timestamp", turn)
		SELECT s.id, v.message, v.classifier, v.intent, v.score, v.at, $3
		FROM s, unnest($34::text[], $35::text[], $36::text[], $37::float8[], $38::timestamptz[]) WITH ORDINALITY AS v(message, classifier, intent, score, at, n)
		ORDER BY v.n RETURNING id),
	q AS (INSERT INTO parameter (intent_prediction_id, name, value, info)
		SELECT p.id, v.name, v.value, nullif(v.info, '')
		FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM p) p
			JOIN unnest($39::bigint[], $40::text[], $41::text[], $42::text[]) WITH ORDINALITY AS v(of, name, value, info, n) ON v.of = p.n
		ORDER BY v.n)` + result
)

// CommitTurn writes a turn's outcome; see agent.Store.
func (s *Store) CommitTurn(ctx context.Context, turn agent.TurnRecord) (agent.Written, error) {
	written, err := s.commitTurn(ctx, turn)
	return written, fail(fmt.Sprintf("commit turn %d of session %d", turn.Turn, turn.Session), err)
}

func (s *Store) commitTurn(ctx context.Context, turn agent.TurnRecord) (agent.Written, error) {
	now := s.config.Now()
	entries, err := store.Entries(turn, now)
	if err != nil {
		return agent.Written{}, err
	}
	text, args := commitPartial, entryArguments(turn, entries, now)
	if !turn.Partial {
		set, err := store.Variables(turn.Set)
		if err != nil {
			return agent.Written{}, err
		}
		handled := turn.Handled
		if handled == nil {
			handled = []int64{}
		}
		text = commitTurn
		args = append(args, store.Text(turn.State), orNull(turn.EnteredAt), orNull(turn.WakeAt), set, store.Texts(turn.Delete), handled)
		args = append(append(args, transitionColumns(turn.Transitions, now)...), predictionColumns(store.Predictions(turn, now))...)
	}
	written := false
	err = again(ctx, func() error {
		written, err = s.writeTurn(ctx, entries, text, args)
		return err
	})
	if err != nil || written {
		return agent.Written{Entries: entries}, err
	}
	return s.turnEntries(ctx, turn)
}

// writeTurn makes one round trip, and gives entries their ids and seqs; false
// if the turn may not be written.
func (s *Store) writeTurn(ctx context.Context, entries []agent.Entry, text string, args []any) (written bool, err error) {
	batch := &pgx.Batch{}
	batch.Queue(lockSession, args[0])
	batch.Queue(text, args...)
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
	var id, seq int64
	var chat *int64
	n := -1 // the first row is the session's
	tag, err = pgx.ForEachRow(rows, []any{&id, &seq, &chat}, func() error {
		if n >= 0 {
			number(entries[n], id, seq, chat)
		}
		n++
		return nil
	})
	return tag.RowsAffected() > 0, err
}

// number gives an entry what the database gave it.
func number(e agent.Entry, id, seq int64, chat *int64) {
	if e.Message != nil {
		e.Message.ID, e.Message.Seq = id, seq
		return
	}
	e.Step.ID, e.Step.Seq, e.Step.ChatID = id, seq, 0
	if chat != nil {
		e.Step.ChatID = *chat
	}
}

// turnEntries returns what is stored of a turn.
func (s *Store) turnEntries(ctx context.Context, turn agent.TurnRecord) (out agent.Written, err error) {
	batch := &pgx.Batch{}
	batch.Queue(`SELECT `+chatColumns+` FROM chat c WHERE c.session_id = $1 AND c.turn = $2 AND NOT c.is_user ORDER BY c.seq`, turn.Session, turn.Turn)
	batch.Queue(`SELECT `+stepColumns+` FROM reasoning_step c WHERE c.session_id = $1 AND c.turn = $2 ORDER BY c.seq`, turn.Session, turn.Turn)
	results := s.pool.SendBatch(ctx, batch)
	defer func() { err = errors.Join(err, results.Close()) }()
	rows, err := results.Query()
	if err != nil {
		return out, err
	}
	messages, err := pgx.CollectRows(rows, scanChat)
	if err != nil {
		return out, err
	}
	if rows, err = results.Query(); err != nil {
		return out, err
	}
	steps, err := pgx.CollectRows(rows, scanStep)
	return agent.Written{Entries: store.Merge(messages, steps), Repeated: true}, err
}
