package sql

import (
	"context"
	"fmt"

	"docent/agent/session/journal"
	"docent/store"
)

var _ journal.Feedbacks = Store{}

// feedback stores what users say about answers.
type feedback struct{ db Database }

// AddFeedback stores feedback; see journal.Feedbacks.
func (s feedback) AddFeedback(ctx context.Context, session int64, r journal.FeedbackRecord) error {
	err := change(ctx, s.db, store.NoSession(),
		`INSERT INTO feedback (session_id, turn, rating, reason, comment, timestamp) SELECT id, $2, $3, $4, $5, $6 FROM session WHERE id = $1`,
		session, r.Turn, r.Rating, r.Reason, store.Text(r.Comment), store.Time(r.Time, s.db.Now()))
	return s.db.Fail(fmt.Sprintf("store feedback of session %d", session), err)
}

// Feedback returns a session's feedback; see journal.Feedbacks.
func (s feedback) Feedback(ctx context.Context, session int64) ([]journal.FeedbackRecord, error) {
	return s.find(ctx, session, `session_id = $1 ORDER BY id LIMIT $2`, store.MaxPage)
}

// LastFeedback returns the last feedback on each turn; see journal.Feedbacks.
func (s feedback) LastFeedback(ctx context.Context, session, from, to int64) ([]journal.FeedbackRecord, error) {
	return s.find(ctx, session,
		`id IN (SELECT max(id) FROM feedback WHERE session_id = $1 AND turn BETWEEN $2 AND $3 GROUP BY turn) ORDER BY turn LIMIT $4`,
		from, to, store.MaxPage)
}

func (s feedback) find(ctx context.Context, session int64, which string, more ...any) ([]journal.FeedbackRecord, error) {
	out, err := list(ctx, s.db, func(row Row) (journal.FeedbackRecord, error) {
		var r journal.FeedbackRecord
		err := row.Scan(&r.ID, &r.Turn, &r.Rating, &r.Reason, &r.Comment, Time(&r.Time))
		return r, err
	}, `SELECT id, turn, rating, reason, comment, timestamp FROM feedback WHERE `+which, append([]any{session}, more...)...)
	return out, s.db.Fail(fmt.Sprintf("read feedback of session %d", session), err)
}
