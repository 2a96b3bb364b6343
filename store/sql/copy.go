package sql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"docent/agent/session/journal"
	"docent/store"
)

// copied selects the entries of session $2 for its copy, session $1: the turns in the list $3, and
// messages outside of turns up to the sequence number $4. n has the new sequence numbers, and t the
// new turns.
const copied = `WITH o AS (
		SELECT seq, turn FROM chat WHERE session_id = $2 AND (turn IN (SELECT unnest($3::bigint[])) OR turn = 0 AND seq <= $4)
		UNION ALL SELECT seq, turn FROM reasoning_step WHERE session_id = $2 AND (turn IN (SELECT unnest($3::bigint[])) OR turn = 0 AND seq <= $4)),
	n AS (SELECT seq, row_number() OVER (ORDER BY seq) AS place FROM o),
	t AS (SELECT turn, row_number() OVER (ORDER BY turn) AS place FROM (SELECT DISTINCT turn FROM o WHERE turn > 0) d) `

// copies are the statements that copy the rows of a session.
var copies = []string{
	`INSERT INTO chat (session_id, type, content, is_user, "timestamp", seq, turn, client_id, sender, sentence)
		SELECT CAST($1 AS bigint), c.type, c.content, c.is_user, c."timestamp", n.place, coalesce(t.place, 0),
			CASE WHEN c.is_user THEN '' ELSE c.client_id END, c.sender, c.sentence
		FROM chat c JOIN n ON n.seq = c.seq LEFT JOIN t ON t.turn = c.turn WHERE c.session_id = $2 ORDER BY n.place`,
	`INSERT INTO said (session_id, chat_id, turn, folded)
		SELECT c.session_id, c.id, c.turn, d.folded FROM said d JOIN chat s ON s.id = d.chat_id JOIN n ON n.seq = s.seq
		JOIN chat c ON c.session_id = $1 AND c.seq = n.place WHERE d.session_id = $2`,
	`INSERT INTO event (session_id, event, info, "timestamp", turn, human, data, chat_id, handled)
		SELECT c.session_id, e.event, e.info, e."timestamp", c.turn, e.human, e.data, c.id, true
		FROM event e JOIN chat s ON s.id = e.chat_id JOIN n ON n.seq = s.seq
		JOIN chat c ON c.session_id = $1 AND c.seq = n.place WHERE e.session_id = $2 ORDER BY e.id`,
	`INSERT INTO reasoning_step (session_id, chat_id, kind, step_kind, step, summary, payload, "timestamp", seq, turn)
		SELECT CAST($1 AS bigint), c.id, r.kind, r.step_kind, r.step, r.summary, r.payload, r."timestamp", n.place, coalesce(t.place, 0)
		FROM reasoning_step r JOIN n ON n.seq = r.seq LEFT JOIN t ON t.turn = r.turn
		LEFT JOIN chat s ON s.id = r.chat_id LEFT JOIN n m ON m.seq = s.seq
		LEFT JOIN chat c ON c.session_id = $1 AND c.seq = m.place WHERE r.session_id = $2 ORDER BY n.place`,
	`INSERT INTO session_document (session_id, turn, content)
		SELECT CAST($1 AS bigint), coalesce(t.place, 0), d.content FROM session_document d LEFT JOIN t ON t.turn = d.turn
		WHERE d.session_id = $2 AND (d.turn = 0 OR t.place > 0) AND $4 > 0 ORDER BY d.id`,
	`UPDATE session SET seq = (SELECT count(*) FROM n), turn = (SELECT count(*) FROM t), copied = (SELECT count(*) FROM t)
		WHERE id = $1 AND $4 > 0`,
}

// CopySession copies a session up to a turn; see journal.Versions.
func (s sessions) CopySession(ctx context.Context, session, turn int64, to journal.SessionRecord, allow func(bytes int) error) error {
	variables, err := store.Variables(to.Variables)
	if err != nil {
		return err
	}
	fail := func(err error) error { return s.db.Fail(fmt.Sprintf("copy session %d", session), err) }
	_, _, bytes, err := s.copyable(ctx, s.db, session, turn)
	if err != nil {
		return fail(err)
	}
	if err := allow(bytes); err != nil {
		return fail(err)
	}
	return fail(s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		path, last, _, err := s.copyable(ctx, tx, session, turn)
		if err != nil {
			return err
		}
		name, now := store.SessionName(to.Name), s.db.Now()
		var id int64
		err = row(ctx, tx, `INSERT INTO session (agent_name, session_id, session_name, username, owner, address, platform_name, current_state,
				variables, "timestamp", updated_at, entered_at, folded, channel, folder)
			VALUES ($1, $2, nullif($3, ''), nullif($4, ''), $5, $6, $7, $8, $9, $10, $10, $10, $11, $12, $13) RETURNING id`,
			store.Text(to.Key.Agent), store.Text(to.Key.ID), name, store.Text(to.Username), store.Text(to.Owner), store.Text(to.Address),
			store.Text(to.Platform), store.Text(to.State), string(variables), now, store.Fold(name),
			store.Text(to.Channel), store.Text(to.Folder)).Scan(&id)
		if err != nil {
			return err
		}
		for _, statement := range copies {
			if _, err := tx.Exec(ctx, copied+statement, id, session, path, last); err != nil {
				return err
			}
		}
		return nil
	}))
}

// copyable returns the turns to copy, the sequence number of the last message, and the bytes of the messages.
func (s sessions) copyable(ctx context.Context, tx querier, session, turn int64) (path []int64, last int64, bytes int, err error) {
	var begun, spoken, open bool
	err = row(ctx, tx, `SELECT EXISTS (SELECT 1 FROM event e WHERE e.session_id = s.id AND e.turn = $2),
			EXISTS (SELECT 1 FROM event e WHERE e.session_id = s.id AND e.turn = $2 AND e.human AND e.chat_id IS NOT NULL),
			EXISTS (SELECT 1 FROM event e WHERE e.session_id = s.id AND e.turn = $2 AND NOT e.handled),
			coalesce((SELECT max(c.seq) FROM chat c WHERE c.session_id = s.id AND c.turn = $2), 0)
		FROM session s WHERE s.id = $1`, session, turn).Scan(&begun, &spoken, &open, &last)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, 0, 0, store.NoSession()
	case err != nil:
		return nil, 0, 0, err
	case !spoken:
		return nil, 0, 0, store.NotSpoken(turn, begun)
	case open:
		return nil, 0, 0, store.TurnRunning(turn)
	}
	b, err := branches(ctx, tx, session)
	if err != nil {
		return nil, 0, 0, err
	}
	path = b.To(turn)
	if err := row(ctx, tx, `SELECT coalesce(sum(length(CAST(c.content AS text))), 0) FROM chat c
		WHERE c.session_id = $1 AND c.turn IN (SELECT unnest($2::bigint[]))`, session, path).Scan(&bytes); err != nil {
		return nil, 0, 0, err
	}
	if bytes > journal.MaxCopy {
		return nil, 0, 0, store.CopyTooLong()
	}
	return path, last, bytes, nil
}
