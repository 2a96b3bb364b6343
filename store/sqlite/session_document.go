package sqlite

import (
	"context"

	"docent/agent/session/journal"
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
