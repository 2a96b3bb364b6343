package postgres

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"docent/agent/session/journal"
	"docent/payload"
	"docent/store"
)

// SessionDocuments returns the documents of a session; see journal.Documents.
func (s *sessions) SessionDocuments(ctx context.Context, session int64) ([]journal.Document, error) {
	out, err := query(ctx, s, func(row pgx.CollectableRow) (journal.Document, error) {
		var d journal.Document
		var content []byte
		err := row.Scan(&d.ID, &d.Turn, &content)
		d.Content = content
		return d, err
	}, `SELECT d.id, d.turn, d.content FROM session_document d WHERE d.session_id = $1 AND `+notReplaced("d", "$1")+` ORDER BY d.id`, session)
	return out, fail(fmt.Sprintf("read documents of session %d", session), err)
}

// RemoveFile removes a file from a session; see journal.Directory.
func (s *sessions) RemoveFile(ctx context.Context, session, turn int64, left json.RawMessage) error {
	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `UPDATE chat SET content = $3 WHERE session_id = $1 AND turn = $2 AND type = $4 AND is_user`,
			session, turn, left, payload.TypeFile)
		switch {
		case err != nil:
			return err
		case tag.RowsAffected() == 0:
			return store.NoFile()
		}
		var pending bool
		err = tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM event WHERE session_id = $1 AND turn = $2 AND NOT handled)`, session, turn).Scan(&pending)
		switch {
		case err != nil:
			return err
		case pending:
			return store.FileBeingRead()
		}
		_, err = tx.Exec(ctx, `DELETE FROM session_document WHERE session_id = $1 AND turn = $2`, session, turn)
		return err
	})
	return fail(fmt.Sprintf("remove the file of turn %d from session %d", turn, session), err)
}
