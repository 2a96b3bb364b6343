package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"docent/agent/session/journal"
	"docent/payload"
	"docent/store"
)

// addDocuments removes and adds documents of a session.
func addDocuments(ctx context.Context, w *writer, turn journal.TurnRecord, documents []string) error {
	if !turn.Forget && len(documents) == 0 {
		return nil
	}
	_, err := w.exec(ctx, `DELETE FROM session_document WHERE session_id = ?1 AND (?2 OR turn = ?3 AND turn > 0)`,
		turn.Session, turn.Forget, turn.Turn)
	for _, content := range documents {
		if err == nil {
			_, err = w.exec(ctx, `INSERT INTO session_document (session_id, turn, content) VALUES (?, ?, ?)`, turn.Session, turn.Turn, content)
		}
	}
	return err
}

// SessionDocuments returns the documents of a session; see journal.Documents.
func (s *sessions) SessionDocuments(ctx context.Context, session int64) ([]journal.Document, error) {
	operation := fmt.Sprintf("read documents of session %d", session)
	rows, err := s.reader.QueryContext(ctx, `SELECT d.id, d.turn, d.content FROM session_document d WHERE d.session_id = ?1
		AND `+notReplaced("d", "?1")+` ORDER BY d.id`, session)
	if err != nil {
		return nil, fail(operation, err)
	}
	out, err := collect(rows, func(rows *sql.Rows) (journal.Document, error) {
		var d journal.Document
		var content []byte
		err := rows.Scan(&d.ID, &d.Turn, &content)
		d.Content = content
		return d, err
	})
	return out, fail(operation, err)
}

// RemoveFile removes a file from a session; see journal.Directory.
func (s *sessions) RemoveFile(ctx context.Context, session, turn int64, left json.RawMessage) error {
	err := s.write(ctx, func(ctx context.Context, w *writer) error {
		result, err := w.exec(ctx, `UPDATE chat SET content = ? WHERE session_id = ? AND turn = ? AND type = ? AND is_user`,
			string(left), session, turn, payload.TypeFile)
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); err != nil || n == 0 {
			return orNoFile(err)
		}
		pending, err := w.query(ctx, `SELECT 1 FROM event WHERE session_id = ? AND turn = ? AND NOT handled`, session, turn)
		if err != nil {
			return err
		}
		if n, err := collect(pending, func(rows *sql.Rows) (n int, err error) { return n, rows.Scan(&n) }); err != nil || len(n) > 0 {
			return orBeingRead(err)
		}
		_, err = w.exec(ctx, `DELETE FROM session_document WHERE session_id = ? AND turn = ?`, session, turn)
		return err
	})
	return fail(fmt.Sprintf("remove the file of turn %d from session %d", turn, session), err)
}

func orBeingRead(err error) error {
	if err == nil {
		err = store.FileBeingRead()
	}
	return err
}

func orNoFile(err error) error {
	if err == nil {
		err = store.NoFile()
	}
	return err
}
