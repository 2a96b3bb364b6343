package postgres

import (
	"context"
	"fmt"
	"time"

	"docent/agent/session/journal"

	"github.com/jackc/pgx/v5"

	"docent/store"
)

// messageCount is the column for SessionRecord.Messages.
const messageCount = `(SELECT count(*) FROM chat c WHERE c.session_id = s.id)`

// firstSaid is the column for SessionRecord.First.
var firstSaid = `CASE WHEN s.session_name IS NULL THEN coalesce((SELECT left(CASE c.type WHEN 'str' THEN c.content #>> '{}' ELSE c.content ->> 'message' END, 100)
	FROM chat c WHERE c.session_id = s.id AND c.is_user AND c.sender = '' AND (c.type = 'str' OR c.type = 'json' AND jsonb_typeof(c.content -> 'message') = 'string') AND ` + notReplaced("c", "s.id") + `
	ORDER BY c.seq LIMIT 1), '') ELSE '' END`

// matches is a condition for sessions whose names or messages contain the text
// $6. It checks for replaced turns only where the text is found.
var matches = `($6 = '' OR strpos(s.folded, $6) > 0 OR EXISTS (SELECT FROM said d WHERE d.session_id = s.id
	AND strpos(d.folded, $6) > 0 AND ` + notReplaced("d", "s.id") + `))`

// scanListed reads sessionColumns, messageCount, and firstSaid.
func scanListed(row pgx.Row) (journal.SessionRecord, error) {
	var messages int
	var first string
	r, err := scanSession(row, &messages, &first)
	r.Messages, r.First = messages, first
	return r, err
}

// Sessions lists sessions; see journal.Directory.
func (s *sessions) Sessions(ctx context.Context, filter journal.SessionFilter) ([]journal.SessionRecord, error) {
	var past *time.Time
	var pastID int64
	if p := filter.Past; p != nil {
		past, pastID = &p.UpdatedAt, p.RowID
	}
	out, err := query(ctx, s, func(row pgx.CollectableRow) (journal.SessionRecord, error) { return scanListed(row) },
		`SELECT `+sessionColumns+`, `+messageCount+`, `+firstSaid+` FROM session s
		WHERE ($1 = '' OR s.agent_name = $1) AND ($2 = '' OR s.username = $2) AND ($3 = '' OR s.owner = $3)
			AND (NOT $5::bool OR EXISTS (SELECT FROM chat c WHERE c.session_id = s.id AND c.is_user AND c.sender = ''))
			AND `+matches+`
			AND ($8 = '' OR s.owner <> $8) AND ($9::timestamptz IS NULL OR s.updated_at >= $9) AND ($10::timestamptz IS NULL OR s.updated_at < $10)
			AND ($11::timestamptz IS NULL OR (s.updated_at, s.id) < ($11, $12))
		ORDER BY (s.pinned AND NOT $7::bool) DESC, s.updated_at DESC, s.id DESC LIMIT $4`,
		store.Text(filter.Agent), store.Text(filter.Username), store.Text(filter.Owner), store.Sessions(filter.Limit), filter.Spoken,
		store.Fold(filter.Match), filter.Latest, store.Text(filter.Except), orNull(filter.Since), orNull(filter.Until), past, pastID)
	return out, fail("list sessions", err)
}

// Session returns a session; see journal.Directory.
func (s *sessions) Session(ctx context.Context, key journal.SessionKey) (journal.SessionRecord, error) {
	r, err := scanListed(s.pool.QueryRow(ctx,
		`SELECT `+sessionColumns+`, `+messageCount+`, '' FROM session s WHERE s.agent_name = $1 AND s.session_id = $2`,
		store.Text(key.Agent), store.Text(key.ID)))
	return r, fail(fmt.Sprintf("read session %s of %s", key.ID, key.Agent), err)
}

// ChangeSession names or pins a session; see journal.Directory.
func (s *sessions) ChangeSession(ctx context.Context, key journal.SessionKey, change journal.SessionChange) error {
	name, folded := store.Name(change.Name)
	return fail(fmt.Sprintf("change session %s of %s", key.ID, key.Agent),
		s.changeSession(ctx, `UPDATE session SET session_name = nullif(coalesce($3, session_name), ''), folded = coalesce($4, folded), pinned = coalesce($5, pinned)
			WHERE agent_name = $1 AND session_id = $2`,
			store.Text(key.Agent), store.Text(key.ID), name, folded, change.Pinned))
}

// DeleteSession deletes a session with all its data; see journal.Directory.
func (s *sessions) DeleteSession(ctx context.Context, key journal.SessionKey) error {
	return fail(fmt.Sprintf("delete session %s of %s", key.ID, key.Agent),
		s.changeSession(ctx, `DELETE FROM session WHERE agent_name = $1 AND session_id = $2`, store.Text(key.Agent), store.Text(key.ID)))
}

// changeSession runs a statement that changes a session. It fails if the
// session does not exist.
func (s *sessions) changeSession(ctx context.Context, sql string, args ...any) error {
	return again(ctx, func() error {
		tag, err := s.pool.Exec(ctx, sql, args...)
		if err == nil && tag.RowsAffected() == 0 {
			err = store.NoSession()
		}
		return err
	})
}
