package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"docent/agent/session/journal"
	"docent/store"
)

// AddFeedback stores feedback; see journal.Feedbacks.
func (s *sessions) AddFeedback(ctx context.Context, session int64, r journal.FeedbackRecord) error {
	err := s.write(ctx, func(ctx context.Context, w *writer) error {
		result, err := w.exec(ctx, `INSERT INTO feedback (session_id, turn, rating, comment, timestamp) SELECT id, ?, ?, ?, ? FROM session WHERE id = ?`,
			r.Turn, r.Rating, store.Text(r.Comment), store.Time(r.Time, s.config.Now()).UnixMicro(), session)
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); err != nil || n > 0 {
			return err
		}
		return store.NoSession()
	})
	return fail(fmt.Sprintf("store feedback of session %d", session), err)
}

// Feedback returns a session's feedback; see journal.Feedbacks.
func (s *sessions) Feedback(ctx context.Context, session int64) ([]journal.FeedbackRecord, error) {
	return s.feedback(ctx, session, `session_id = ? ORDER BY id LIMIT ?`, store.MaxPage)
}

// LastFeedback returns the last feedback on each turn; see journal.Feedbacks.
func (s *sessions) LastFeedback(ctx context.Context, session, from, to int64) ([]journal.FeedbackRecord, error) {
	return s.feedback(ctx, session, `id IN (SELECT max(id) FROM feedback WHERE session_id = ? AND turn BETWEEN ? AND ? GROUP BY turn) ORDER BY turn LIMIT ?`, from, to, store.MaxPage)
}

func (s *sessions) feedback(ctx context.Context, row int64, which string, more ...any) ([]journal.FeedbackRecord, error) {
	operation := fmt.Sprintf("read feedback of session %d", row)
	rows, err := s.reader.QueryContext(ctx,
		`SELECT id, turn, rating, comment, timestamp FROM feedback WHERE `+which, append([]any{row}, more...)...)
	if err != nil {
		return nil, fail(operation, err)
	}
	out, err := collect(rows, func(rows *sql.Rows) (journal.FeedbackRecord, error) {
		var r journal.FeedbackRecord
		var at int64
		err := rows.Scan(&r.ID, &r.Turn, &r.Rating, &r.Comment, &at)
		r.Time = micro(at)
		return r, err
	})
	return out, fail(operation, err)
}
