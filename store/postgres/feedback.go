package postgres

import (
	"context"
	"fmt"

	"docent/agent/session/journal"

	"github.com/jackc/pgx/v5"

	"docent/store"
)

// AddFeedback stores feedback; see journal.Feedbacks.
func (s *sessions) AddFeedback(ctx context.Context, session int64, r journal.FeedbackRecord) error {
	tag, err := s.pool.Exec(ctx, `INSERT INTO feedback (session_id, turn, rating, comment, "timestamp") SELECT id, $2, $3, $4, $5 FROM session WHERE id = $1`,
		session, r.Turn, r.Rating, store.Text(r.Comment), store.Time(r.Time, s.config.Now()))
	if err == nil && tag.RowsAffected() == 0 {
		err = store.NoSession()
	}
	return fail(fmt.Sprintf("store feedback of session %d", session), err)
}

// Feedback returns a session's feedback; see journal.Feedbacks.
func (s *sessions) Feedback(ctx context.Context, session int64) ([]journal.FeedbackRecord, error) {
	return s.feedback(ctx, session, `session_id = $1 ORDER BY id LIMIT $2`, store.MaxPage)
}

// LastFeedback returns the last feedback on each turn; see journal.Feedbacks.
func (s *sessions) LastFeedback(ctx context.Context, session, from, to int64) ([]journal.FeedbackRecord, error) {
	return s.feedback(ctx, session, `id IN (SELECT max(id) FROM feedback WHERE session_id = $1 AND turn BETWEEN $3 AND $4 GROUP BY turn) ORDER BY turn LIMIT $2`, store.MaxPage, from, to)
}

func (s *sessions) feedback(ctx context.Context, rowID int64, which string, more ...any) ([]journal.FeedbackRecord, error) {
	out, err := query(ctx, s, func(row pgx.CollectableRow) (journal.FeedbackRecord, error) {
		var r journal.FeedbackRecord
		err := row.Scan(&r.ID, &r.Turn, &r.Rating, &r.Comment, &r.Time)
		r.Time = r.Time.UTC()
		return r, err
	}, `SELECT id, turn, rating, comment, "timestamp" FROM feedback WHERE `+which, append([]any{rowID}, more...)...)
	return out, fail(fmt.Sprintf("read feedback of session %d", rowID), err)
}
