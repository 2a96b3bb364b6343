package sql

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"docent/agent/session/journal"
	"docent/store"
)

var (
	_ journal.Alarms    = Store{}
	_ journal.Directory = Store{}
	_ journal.Documents = Store{}
	_ journal.Unused    = Store{}
)

// sessions lists sessions, and changes them from outside of a turn.
type sessions struct{ db Database }

// SessionColumns are the columns of session s that ScanSession reads.
const SessionColumns = `s.id, s.agent_name, s.session_id, coalesce(s.session_name, ''), coalesce(s.username, ''), s.owner, s.address, s.platform_name,
	s.current_state, s.entered_at, s.wake_at, s.variables, s.seq, s.reset_seq, s.turn, s.timestamp, s.updated_at, s.pinned, s.archived, s.folder`

// ScanSession reads SessionColumns and the columns of more. Without a row, it fails with
// store.NoSession.
func ScanSession(row Row, more ...any) (journal.SessionRecord, error) {
	var r journal.SessionRecord
	var variables []byte
	err := row.Scan(append([]any{
		&r.RowID, &r.Key.Agent, &r.Key.ID, &r.Name, &r.Username, &r.Owner, &r.Address, &r.Platform,
		&r.State, Time(&r.EnteredAt), Time(&r.WakeAt), &variables, &r.Seq, &r.ResetSeq, &r.Turn,
		Time(&r.CreatedAt), Time(&r.UpdatedAt), &r.Pinned, &r.Archived, &r.Folder,
	}, more...)...)
	if errors.Is(err, sql.ErrNoRows) {
		return journal.SessionRecord{}, store.NoSession()
	}
	if err != nil {
		return journal.SessionRecord{}, err
	}
	if err := json.Unmarshal(variables, &r.Variables); err != nil {
		return journal.SessionRecord{}, fmt.Errorf("variables of session %d: %w", r.RowID, err)
	}
	return r, nil
}

// scanListed reads SessionColumns, messageCount, and the first message.
func scanListed(row Row) (journal.SessionRecord, error) {
	var messages int
	var first string
	r, err := ScanSession(row, &messages, &first)
	r.Messages, r.First = messages, first
	return r, err
}

// messageCount is the column for SessionRecord.Messages.
const messageCount = `(SELECT count(*) FROM chat c WHERE c.session_id = s.id)`

// firstSaid is the column for SessionRecord.First. Only JSON strings begin with a quotation mark.
func (s sessions) firstSaid() string {
	return `CASE WHEN s.session_name IS NULL THEN coalesce((
		SELECT substr(CASE c.type WHEN 'str' THEN c.content #>> '{}' ELSE c.content ->> 'message' END, 1, 100)
		FROM chat c WHERE c.session_id = s.id AND c.is_user AND c.sender = ''
			AND (c.type = 'str' OR c.type = 'json' AND substr(CAST(c.content -> 'message' AS text), 1, 1) = '"')
			AND ` + s.db.NotReplaced("c", "s.id") + `
		ORDER BY c.seq LIMIT 1), '') ELSE '' END`
}

// Sessions lists sessions; see journal.Directory. It checks for replaced turns only where the text
// is found.
func (s sessions) Sessions(ctx context.Context, filter journal.SessionFilter) ([]journal.SessionRecord, error) {
	var p parameters
	where := `true`
	if filter.ID != "" {
		where += ` AND s.session_id = ` + p.add(store.Text(filter.ID))
	}
	if filter.Agent != "" {
		where += ` AND s.agent_name = ` + p.add(store.Text(filter.Agent))
	}
	if filter.Username != "" {
		where += ` AND s.username = ` + p.add(store.Text(filter.Username))
	}
	if filter.Owner != "" {
		where += ` AND s.owner = ` + p.add(store.Text(filter.Owner))
	}
	if filter.Except != "" {
		where += ` AND s.owner <> ` + p.add(store.Text(filter.Except))
	}
	if !filter.Since.IsZero() {
		where += ` AND s.updated_at >= ` + p.add(filter.Since)
	}
	if !filter.Until.IsZero() {
		where += ` AND s.updated_at < ` + p.add(filter.Until)
	}
	if past := filter.Past; past != nil {
		where += ` AND (s.updated_at, s.id) < (` + p.add(past.UpdatedAt) + `, ` + p.add(past.RowID) + `)`
	}
	switch filter.Archive {
	case journal.ArchiveAny:
	case journal.ArchiveOpen:
		where += ` AND NOT s.archived`
	case journal.ArchiveOnly:
		where += ` AND s.archived`
	}
	if filter.Spoken {
		where += ` AND (` + spoken + ` OR ` + triggered + `)`
	}
	if filter.Waiting {
		where += ` AND EXISTS (SELECT 1 FROM event e WHERE e.session_id = s.id AND NOT e.handled
			AND ` + s.db.NotReplaced("e", "s.id") + `)`
	}
	if match := store.Fold(filter.Match); match != "" {
		text := p.add(match)
		where += ` AND (strpos(s.folded, ` + text + `) > 0 OR EXISTS (SELECT 1 FROM said d WHERE d.session_id = s.id
			AND strpos(d.folded, ` + text + `) > 0 AND ` + s.db.NotReplaced("d", "s.id") + `))`
	}
	order := `s.pinned DESC, `
	if filter.Latest {
		order = ``
	}
	out, err := list(ctx, s.db, scanListed, `SELECT `+SessionColumns+`, `+messageCount+`, `+s.firstSaid()+` FROM session s WHERE `+where+
		` ORDER BY `+order+`s.updated_at DESC, s.id DESC LIMIT `+p.add(store.Sessions(filter.Limit)), p...)
	if err == nil && filter.Match != "" {
		err = s.found(ctx, out, store.Fold(filter.Match))
	}
	return out, s.db.Fail("list sessions", err)
}

// Bounds of Found.Text, in characters: before the match, and in total.
const (
	foundBefore = 60
	foundLength = 240
)

// found sets Found of listed sessions. A folded text has as many characters as the text itself, so the
// place of the match is the same in both.
func (s sessions) found(ctx context.Context, listed []journal.SessionRecord, match string) error {
	ids, at := make([]int64, len(listed)), map[int64]int{}
	for i, r := range listed {
		ids[i], at[r.RowID] = r.RowID, i
	}
	if len(ids) == 0 {
		return nil
	}
	type row struct {
		session int64
		place   int
		size    int
		message journal.Found
	}
	rows, err := list(ctx, s.db, func(r Row) (f row, err error) {
		err = r.Scan(&f.session, &f.message.Seq, &f.message.Turn, &f.message.IsUser, &f.place, &f.size, &f.message.Text)
		return f, err
	}, `SELECT f.session_id, f.seq, f.turn, f.is_user, f.place, f.size,
			substr(f.said, CASE WHEN f.place > $3 THEN f.place - $3 ELSE 1 END, $4)
		FROM (SELECT c.session_id, c.seq, c.turn, c.is_user, strpos(d.folded, $1) AS place, length(d.folded) AS size,
				CASE c.type WHEN 'rag_answer' THEN c.content ->> 'answer'
					WHEN 'json' THEN c.content ->> 'message' ELSE c.content #>> '{}' END AS said
			FROM said d JOIN chat c ON c.session_id = d.session_id AND c.id = d.chat_id
			WHERE d.session_id IN (SELECT unnest($2::bigint[])) AND d.chat_id IN (
				SELECT max(m.chat_id) FROM said m WHERE m.session_id IN (SELECT unnest($2::bigint[]))
					AND strpos(m.folded, $1) > 0 AND `+s.db.NotReplaced("m", "m.session_id")+` GROUP BY m.session_id)) f`,
		match, ids, foundBefore, foundLength)
	for _, f := range rows {
		f.message.Text = excerpt(f.message.Text, f.place > foundBefore+1, f.place-foundBefore-1+foundLength < f.size)
		listed[at[f.session]].Found = &f.message
	}
	return err
}

// excerpt returns a part of a text in one line. Ellipses stand for the words that are cut off at its ends.
func excerpt(text string, cutBefore, cutAfter bool) string {
	if _, after, found := strings.Cut(text, " "); cutBefore && found && len(text)-len(after) <= foundBefore {
		text = "… " + after
	}
	words := strings.Fields(text)
	if cutAfter && len(words) > 1 {
		words[len(words)-1] = "…"
	}
	return strings.Join(words, " ")
}

// Session returns a session; see journal.Directory.
func (s sessions) Session(ctx context.Context, key journal.SessionKey) (journal.SessionRecord, error) {
	r, err := scanListed(row(ctx, s.db,
		`SELECT `+SessionColumns+`, `+messageCount+`, '' FROM session s WHERE s.agent_name = $1 AND s.session_id = $2`,
		store.Text(key.Agent), store.Text(key.ID)))
	return r, s.db.Fail(fmt.Sprintf("read session %s of %s", key.ID, key.Agent), err)
}

// ChangeSession changes how lists show a session; see journal.Directory.
func (s sessions) ChangeSession(ctx context.Context, key journal.SessionKey, c journal.SessionChange) error {
	name, folded := store.Name(c.Name)
	folder, _ := store.Name(c.Folder)
	return s.db.Fail(fmt.Sprintf("change session %s of %s", key.ID, key.Agent), change(ctx, s.db, store.NoSession(),
		`UPDATE session SET session_name = nullif(coalesce($3, session_name), ''), folded = coalesce($4, folded), pinned = coalesce($5, pinned),
				archived = coalesce($6, archived), folder = coalesce($7, folder)
			WHERE agent_name = $1 AND session_id = $2`,
		store.Text(key.Agent), store.Text(key.ID), name, folded, c.Pinned, c.Archived, folder))
}

// DeleteSession deletes a session with all its data; see journal.Directory.
func (s sessions) DeleteSession(ctx context.Context, key journal.SessionKey) error {
	return s.db.Fail(fmt.Sprintf("delete session %s of %s", key.ID, key.Agent), change(ctx, s.db, store.NoSession(),
		`DELETE FROM session WHERE agent_name = $1 AND session_id = $2`, store.Text(key.Agent), store.Text(key.ID)))
}

// ExpireSessions deletes old sessions; see journal.Directory.
func (s sessions) ExpireSessions(ctx context.Context, before time.Time, limit int) ([]journal.SessionKey, error) {
	var keys []journal.SessionKey
	err := s.db.Write(ctx, func(ctx context.Context, tx Tx) (err error) {
		keys, err = list(ctx, tx, func(r Row) (k journal.SessionKey, err error) {
			err = r.Scan(&k.Agent, &k.ID)
			return k, err
		}, `DELETE FROM session WHERE id IN (SELECT id FROM session WHERE updated_at < $1 AND NOT pinned AND folder = '' AND wake_at IS NULL
			ORDER BY updated_at LIMIT $2 FOR UPDATE SKIP LOCKED) RETURNING agent_name, session_id`, before, max(limit, 0))
		return err
	})
	return keys, s.db.Fail("delete old sessions", err)
}

// Alarms returns the sessions that wait for a time; see journal.Alarms.
func (s sessions) Alarms(ctx context.Context, agentName string, after time.Time, limit int) ([]journal.Alarm, error) {
	if after.IsZero() { // no time is after NULL
		after = time.Unix(0, 0)
	}
	out, err := list(ctx, s.db, func(row Row) (a journal.Alarm, err error) {
		err = row.Scan(&a.ID, Time(&a.At))
		return a, err
	}, `SELECT session_id, wake_at FROM session WHERE agent_name = $1 AND wake_at >= $2 ORDER BY wake_at, id LIMIT $3`,
		store.Text(agentName), after, max(limit, 0))
	return out, s.db.Fail("read alarms of "+agentName, err)
}

// unused selects the sessions s that have never received an event.
const unused = `s.turn = 0 AND NOT EXISTS (SELECT 1 FROM chat c WHERE c.session_id = s.id AND c.is_user)`

// DeleteUnused deletes a session that has received no event; see journal.Unused.
func (s sessions) DeleteUnused(ctx context.Context, session, fence int64) error {
	return s.db.Fail(fmt.Sprintf("delete session %d", session), change(ctx, s.db, nil,
		`DELETE FROM session AS s WHERE s.id = $1 AND (s.fence = $2 OR $2 = 0) AND `+unused, session, fence))
}

// SweepUnused deletes old sessions that have received no event; see journal.Unused.
// Another process may open one of them meanwhile; it is then locked and skipped, or
// it has a live replica.
func (s sessions) SweepUnused(ctx context.Context, agentName string, before time.Time, limit int) error {
	return s.db.Fail("delete unused sessions of "+agentName, change(ctx, s.db, nil,
		`DELETE FROM session WHERE id IN (SELECT s.id FROM session s
			WHERE s.agent_name = $1 AND s.updated_at < $2 AND s.wake_at IS NULL AND `+unused+`
			AND NOT EXISTS (SELECT 1 FROM replica r WHERE r.id = s.replica) ORDER BY s.updated_at LIMIT $3 FOR UPDATE SKIP LOCKED)`,
		store.Text(agentName), before, max(limit, 0)))
}
