package sessiontest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"docent/agent/session/journal"
	"docent/internal/fault"
	"docent/internal/storetest"
)

var feedbackTests = map[string]func(*testing.T, Database){
	"Rows":  feedbackRows,
	"Last":  feedbackLast,
	"Reset": feedbackReset,
}

// feedbackLines describes the feedback in a session.
func feedbackLines(t *testing.T, f journal.Feedbacks, session int64) []string {
	t.Helper()
	records, err := f.Feedback(t.Context(), session)
	storetest.OK(t, err)
	return shortFeedback(records)
}

func shortFeedback(records []journal.FeedbackRecord) []string {
	out := []string{}
	for _, r := range records {
		rating := "none"
		if r.Rating != nil {
			rating = fmt.Sprint(*r.Rating)
		}
		if r.Reason != "" {
			rating += " " + r.Reason
		}
		out = append(out, fmt.Sprintf("%d %s %s", r.Turn, rating, r.Comment))
	}
	return out
}

func feedbackRows(t *testing.T, db Database) {
	s := db.Open(t)
	f, ctx := s.Feedbacks, t.Context()
	row, other := open(t, s, "x").RowID, open(t, s, "y").RowID
	good, bad := 5, -1
	at := time.Date(2026, 2, 3, 4, 5, 6, 789000, time.FixedZone("", 3600))
	storetest.OK(t, f.AddFeedback(ctx, row, journal.FeedbackRecord{Feedback: journal.Feedback{Turn: 1, Rating: &good}, Time: at}))
	storetest.OK(t,
		f.AddFeedback(ctx, row, journal.FeedbackRecord{
			Feedback: journal.Feedback{Turn: 3, Rating: &bad, Reason: "outdated", Comment: "not \x00true\xff; ' é"},
		}))
	storetest.OK(t, f.AddFeedback(ctx, other,
		journal.FeedbackRecord{Feedback: journal.Feedback{Turn: 2, Comment: strings.Repeat("x", journal.MaxCommentBytes)}}))
	storetest.Want(t, "feedback", feedbackLines(t, f, row), []string{"1 5 ", "3 -1 outdated not  true?; ' é"})
	storetest.Want(t, "another's", feedbackLines(t, f, other), []string{"2 none " + strings.Repeat("x", journal.MaxCommentBytes)})
	storetest.Want(t, "nobody's", feedbackLines(t, f, 999), []string{})
	records, err := f.Feedback(ctx, row)
	storetest.OK(t, err)
	if !records[0].Time.Equal(at) || records[0].ID == 0 || records[1].ID <= records[0].ID || time.Since(records[1].Time).Abs() > time.Minute {
		t.Errorf("stored %+v", records)
	}
	storetest.WantKind(t, "no session", f.AddFeedback(ctx, 999, journal.FeedbackRecord{Feedback: journal.Feedback{Turn: 1, Rating: &good}}),
		fault.NotFound)
	storetest.Want(t, "rows", db.Count(t, "feedback"), 3)
	storetest.OK(t, s.Directory.DeleteSession(ctx, journal.SessionKey{Agent: "a", ID: "y"}))
	storetest.Want(t, "rows of a session that is left", db.Count(t, "feedback"), 2)
}

func feedbackLast(t *testing.T, db Database) {
	s := db.Open(t)
	f, ctx := s.Feedbacks, t.Context()
	row, other := open(t, s, "x").RowID, open(t, s, "y").RowID
	good, bad := 100, -100
	for _, given := range []journal.Feedback{
		{Turn: 3, Rating: &good},
		{Turn: 1, Rating: &good},
		{Turn: 1, Rating: &bad},
		{Turn: 1, Rating: &bad, Comment: "too long"},
		{Turn: 3, Comment: "or is it"},
		{Turn: 2, Rating: &good},
		{Turn: 7, Rating: &bad},
	} {
		storetest.OK(t, f.AddFeedback(ctx, row, journal.FeedbackRecord{Feedback: given}))
	}
	storetest.OK(t, f.AddFeedback(ctx, other, journal.FeedbackRecord{Feedback: journal.Feedback{Turn: 2, Comment: "another's"}}))
	last := func(session, from, to int64) []string {
		records, err := f.LastFeedback(ctx, session, from, to)
		storetest.OK(t, err)
		for _, r := range records {
			if r.ID == 0 || r.Time.IsZero() {
				t.Errorf("stored %+v", r)
			}
		}
		return shortFeedback(records)
	}
	storetest.Want(t, "of all turns", last(row, 1, 7), []string{"1 -100 too long", "2 100 ", "3 none or is it", "7 -100 "})
	storetest.Want(t, "of some", last(row, 2, 6), []string{"2 100 ", "3 none or is it"})
	storetest.Want(t, "of none", last(row, 4, 6), []string{})
	storetest.Want(t, "nobody's", last(999, 1, 7), []string{})
}

func feedbackReset(t *testing.T, db Database) {
	s := db.Open(t)
	row, other := open(t, s, "x").RowID, open(t, s, "y").RowID
	f := s.Feedbacks
	for _, id := range []int64{row, other} {
		storetest.OK(t, f.AddFeedback(t.Context(), id, journal.FeedbackRecord{Feedback: journal.Feedback{Turn: 1, Comment: "good"}}))
	}
	reset(t, s, row)
	storetest.Want(t, "after a reset", feedbackLines(t, f, row), []string{})
	storetest.Want(t, "another's", feedbackLines(t, f, other), []string{"1 none good"})
}
