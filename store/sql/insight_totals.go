package sql

import (
	"context"
	"time"

	"docent/insight"
	"docent/payload"
	"docent/store"
)

// allAnswers is the collection_id of the totals of all questions.
const allAnswers = int64(0)

// down returns 1 for a negative rating.
func down(rating int) int64 {
	if rating < 0 {
		return 1
	}
	return 0
}

// totalsOf returns the totals of one answer.
func totalsOf(e insight.Entry) insight.Totals {
	t := insight.Totals{Questions: 1, RatedDown: down(e.Rating)}
	switch e.Outcome {
	case payload.Answered:
		t.Answered = 1
	case payload.AnswerUnsure:
		t.Unsure = 1
	case payload.AnswerNotFound:
		t.NotFound = 1
	case payload.AnswerReplied: // not stored
	}
	return t
}

// countAnswer adds to the totals of a day: those of all questions, and those of each collection.
func countAnswer(ctx context.Context, tx Tx, at time.Time, collections []int64, t insight.Totals) error {
	for _, c := range append([]int64{allAnswers}, collections...) {
		if _, err := tx.Exec(ctx, `INSERT INTO answer_day (day, collection_id, questions, answered, unsure, not_found, rated_down)
			VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (day, collection_id) DO UPDATE SET
			questions = answer_day.questions + excluded.questions, answered = answer_day.answered + excluded.answered,
			unsure = answer_day.unsure + excluded.unsure, not_found = answer_day.not_found + excluded.not_found,
			rated_down = answer_day.rated_down + excluded.rated_down`,
			at.UTC().Format(time.DateOnly), c, t.Questions, t.Answered, t.Unsure, t.NotFound, t.RatedDown); err != nil {
			return err
		}
	}
	return nil
}

// AnswerTotals implements insight.Store.
func (s insights) AnswerTotals(ctx context.Context, since string, collections []string) ([]insight.Totals, error) {
	where, args := `collection_id = 0`, []any{since}
	if collections != nil {
		if len(collections) == 0 {
			return nil, nil
		}
		args = append(args, store.Texts(collections))
		where = `collection_id IN (SELECT id FROM collection WHERE name IN (SELECT unnest($2::text[])))`
	}
	days, err := list(ctx, s.db, func(r Row) (t insight.Totals, err error) {
		err = r.Scan(&t.Day, &t.Questions, &t.Answered, &t.Unsure, &t.NotFound, &t.RatedDown)
		return t, err
	}, `SELECT day, CAST(sum(questions) AS bigint), CAST(sum(answered) AS bigint), CAST(sum(unsure) AS bigint),
		CAST(sum(not_found) AS bigint), CAST(sum(rated_down) AS bigint)
		FROM answer_day WHERE day >= $1 AND `+where+` GROUP BY day ORDER BY day`, args...)
	return days, s.db.Fail("read totals of answers", err)
}
