package sql

import (
	"context"
	"encoding/json"
	"fmt"

	"docent/agent/session/journal"
	"docent/payload"
	"docent/store"
)

// SessionDocuments returns the documents of a session; see journal.Documents.
func (s sessions) SessionDocuments(ctx context.Context, session int64) ([]journal.Document, error) {
	out, err := list(ctx, s.db, func(row Row) (journal.Document, error) {
		var d journal.Document
		var content []byte
		err := row.Scan(&d.ID, &d.Turn, &content)
		d.Content = content
		return d, err
	}, `SELECT d.id, d.turn, d.content FROM session_document d WHERE d.session_id = $1 AND `+s.db.NotReplaced("d", "$1")+` ORDER BY d.id`, session)
	return out, s.db.Fail(fmt.Sprintf("read documents of session %d", session), err)
}

// RemoveFile removes a file from a session; see journal.Directory.
func (s sessions) RemoveFile(ctx context.Context, session, turn int64, left json.RawMessage) error {
	err := s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		err := change(ctx, tx, store.NoFile(), `UPDATE chat SET content = $3 WHERE session_id = $1 AND turn = $2 AND type = $4 AND is_user`,
			session, turn, string(left), payload.TypeFile)
		if err != nil {
			return err
		}
		var pending bool
		err = row(ctx, tx, `SELECT EXISTS (SELECT 1 FROM event WHERE session_id = $1 AND turn = $2 AND NOT handled)`, session, turn).Scan(&pending)
		switch {
		case err != nil:
			return err
		case pending:
			return store.FileBeingRead()
		}
		return change(ctx, tx, nil, `DELETE FROM session_document WHERE session_id = $1 AND turn = $2`, session, turn)
	})
	return s.db.Fail(fmt.Sprintf("remove the file of turn %d from session %d", turn, session), err)
}
