package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"math"

	"docent/agent/session/journal"
	"docent/store"
)

// messageCount is the column for SessionRecord.Messages.
const messageCount = `(SELECT count(*) FROM chat c WHERE c.session_id = s.id)`

// firstSaid is the column for SessionRecord.First.
var firstSaid = `CASE WHEN s.session_name IS NULL THEN coalesce((SELECT substr(c.content ->> CASE c.type WHEN 'str' THEN '$' ELSE '$.message' END, 1, 100)
	FROM chat c WHERE c.session_id = s.id AND c.is_user AND c.sender = '' AND (c.type = 'str' OR c.type = 'json' AND json_type(c.content, '$.message') = 'text') AND ` + notReplaced("c", "s.id") + `
	ORDER BY c.seq LIMIT 1), '') ELSE '' END`

// Sessions lists sessions; see journal.Directory.
func (s *sessions) Sessions(ctx context.Context, filter journal.SessionFilter) ([]journal.SessionRecord, error) {
	query, args := `SELECT `+sessionColumns+`, `+messageCount+`, `+firstSaid+` FROM session s WHERE true`, []any{}
	if filter.Agent != "" {
		query, args = query+` AND s.agent_name = ?`, append(args, store.Text(filter.Agent))
	}
	if filter.Username != "" {
		query, args = query+` AND s.username = ?`, append(args, store.Text(filter.Username))
	}
	if filter.Owner != "" {
		query, args = query+` AND s.owner = ?`, append(args, store.Text(filter.Owner))
	}
	if filter.Except != "" {
		query, args = query+` AND s.owner <> ?`, append(args, store.Text(filter.Except))
	}
	if !filter.Since.IsZero() {
		query, args = query+` AND s.updated_at >= ?`, append(args, filter.Since.UnixMicro())
	}
	if !filter.Until.IsZero() {
		query, args = query+` AND s.updated_at < ?`, append(args, filter.Until.UnixMicro())
	}
	if p := filter.Past; p != nil {
		query, args = query+` AND (s.updated_at, s.id) < (?, ?)`, append(args, p.UpdatedAt.UnixMicro(), p.RowID)
	}
	if filter.Spoken {
		query += ` AND EXISTS (SELECT 1 FROM chat c WHERE c.session_id = s.id AND c.is_user AND c.sender = '')`
	}
	if match := store.Fold(filter.Match); match != "" {
		query, args = query+` AND (instr(s.folded, ?) > 0 OR EXISTS (SELECT 1 FROM said d WHERE d.session_id = s.id AND instr(d.folded, ?) > 0
			AND `+notReplaced("d", "s.id")+`))`, append(args, match, match)
	}
	order := ` ORDER BY s.pinned DESC, `
	if filter.Latest {
		order = ` ORDER BY `
	}
	rows, err := s.reader.QueryContext(ctx, query+order+`s.updated_at DESC, s.id DESC LIMIT ?`, append(args, store.Sessions(filter.Limit))...)
	if err != nil {
		return nil, fail("list sessions", err)
	}
	out, err := collect(rows, func(rows *sql.Rows) (journal.SessionRecord, error) {
		var messages int
		var first string
		r, err := scanSession(rows, &messages, &first)
		r.Messages, r.First = messages, first
		return r, err
	})
	return out, fail("list sessions", err)
}

// Session returns a session; see journal.Directory.
func (s *sessions) Session(ctx context.Context, key journal.SessionKey) (journal.SessionRecord, error) {
	var messages int
	r, err := scanSession(s.reader.QueryRowContext(ctx,
		`SELECT `+sessionColumns+`, `+messageCount+` FROM session s WHERE s.agent_name = ? AND s.session_id = ?`,
		store.Text(key.Agent), store.Text(key.ID)), &messages)
	r.Messages = messages
	return r, fail(fmt.Sprintf("read session %s of %s", key.ID, key.Agent), err)
}

// ChangeSession names or pins a session; see journal.Directory.
func (s *sessions) ChangeSession(ctx context.Context, key journal.SessionKey, change journal.SessionChange) error {
	name, folded := store.Name(change.Name)
	return fail(fmt.Sprintf("change session %s of %s", key.ID, key.Agent),
		s.changeSession(ctx, `UPDATE session SET session_name = nullif(coalesce(?, session_name), ''), folded = coalesce(?, folded), pinned = coalesce(?, pinned)
			WHERE agent_name = ? AND session_id = ?`,
			name, folded, change.Pinned, store.Text(key.Agent), store.Text(key.ID)))
}

// DeleteSession deletes a session with all its data and makes the file smaller; see
// journal.Directory.
func (s *sessions) DeleteSession(ctx context.Context, key journal.SessionKey) error {
	err := s.changeSession(ctx, `DELETE FROM session WHERE agent_name = ? AND session_id = ?`, store.Text(key.Agent), store.Text(key.ID))
	if err == nil {
		err = s.shrink(ctx)
	}
	return fail(fmt.Sprintf("delete session %s of %s", key.ID, key.Agent), err)
}

// shrink returns unused pages of the file to the disk. It works in steps of 4 MiB,
// so that other writes need not wait for long.
func (s *database) shrink(ctx context.Context) error {
	for before := int64(math.MaxInt64); ; {
		var unused int64
		err := s.write(ctx, func(ctx context.Context, w *writer) error {
			if _, err := w.exec(ctx, `PRAGMA incremental_vacuum(1024)`); err != nil {
				return err
			}
			return w.row(ctx, `PRAGMA freelist_count`).Scan(&unused)
		})
		if err != nil || unused == 0 || unused >= before { // files of earlier versions keep their size
			return err
		}
		before = unused
	}
}

// changeSession runs a statement that changes a session. It fails if the
// session does not exist.
func (s *sessions) changeSession(ctx context.Context, query string, args ...any) error {
	return s.write(ctx, func(ctx context.Context, w *writer) error {
		result, err := w.exec(ctx, query, args...)
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); err != nil || n > 0 {
			return err
		}
		return store.NoSession()
	})
}
