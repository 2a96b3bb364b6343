package journal

import (
	"context"
	"slices"
	"strings"
	"time"

	"docent/agent/chat"
	"docent/internal/fault"
)

// Bounds of feedback.
const (
	// MaxRating bounds the absolute value of a rating.
	MaxRating = 100
	// MaxCommentBytes bounds a comment.
	MaxCommentBytes = chat.MaxTextBytes
	// FeedbackBytes is about the size of stored feedback without its comment.
	FeedbackBytes = 100
)

// Feedback is a user's feedback on a turn.
type Feedback struct {
	// Turn is the number of the turn. 0 means the last finished turn.
	Turn int64
	// Rating is a number from -MaxRating to MaxRating, on a scale of the client's choice, or nil.
	Rating *int
	// Reason is one of Reasons, or "".
	Reason string
	// Comment is a text, or "".
	Comment string
}

// Reasons are the reasons of ratings.
var Reasons = []string{"wrong", "outdated", "incomplete", "wrong_source", "unclear", "other"}

// Check fails with fault.Invalid if the feedback is empty or too large.
func (f Feedback) Check() error {
	switch {
	case f.Rating == nil && f.Comment == "":
		return fault.New(fault.Invalid, "feedback_empty", "feedback needs a rating or a comment")
	case f.Rating != nil && (*f.Rating < -MaxRating || *f.Rating > MaxRating):
		return fault.New(fault.Invalid, "rating_out_of_range", "a rating is a whole number from %d to %d", -MaxRating, MaxRating)
	case f.Reason != "" && !slices.Contains(Reasons, f.Reason):
		return fault.New(fault.Invalid, "feedback_reason_unknown", "the reason of a rating is one of %s", strings.Join(Reasons, ", "))
	case len(f.Comment) > MaxCommentBytes:
		return fault.Wrap(fault.Invalid, ErrTooLong, "comment_too_long", "a comment may have at most %d bytes", MaxCommentBytes)
	}
	return nil
}

// FeedbackRecord is stored feedback, a row of the table feedback.
type FeedbackRecord struct {
	// ID is the id of the row.
	ID int64
	// Feedback is the feedback. Its Turn is never 0.
	Feedback
	// Time is the time of the feedback.
	Time time.Time
	// Key names the session. Only AddFeedback gets it.
	Key SessionKey
}

// Feedbacks is a Store that also keeps feedback. It is safe for concurrent use.
type Feedbacks interface {
	// AddFeedback stores feedback in a session. It fails with fault.NotFound if the session does
	// not exist.
	AddFeedback(ctx context.Context, session int64, record FeedbackRecord) error
	// Feedback returns the feedback in a session, oldest first, at most 1,000 records. It returns
	// none for a missing session.
	Feedback(ctx context.Context, session int64) ([]FeedbackRecord, error)
	// LastFeedback returns the latest feedback on each of the turns from from to to, by turn, at
	// most 1,000 records.
	LastFeedback(ctx context.Context, session, from, to int64) ([]FeedbackRecord, error)
}

// Bounds of the search for the last finished turn.
const (
	lastPage  = 100 // messages in one read
	lastPages = 20
)

// CheckSaid fails with fault.NotFound if the turn has no messages.
func (r Reader) CheckSaid(ctx context.Context, turn int64) error {
	said, err := r.Messages(ctx, MessageQuery{Turn: turn, Last: 1, MaxContent: NoContent})
	if err != nil {
		return err
	}
	if len(said) == 0 {
		return fault.Wrap(fault.NotFound, ErrNoTurn, "turn_empty", "turn %d has no messages", turn)
	}
	return nil
}

// LastTurn returns the newest turn that has messages and is not open. It fails with fault.Conflict
// without such a turn.
func (r Reader) LastTurn(ctx context.Context, open map[int64]bool) (int64, error) {
	query := MessageQuery{Last: lastPage, MaxContent: NoContent}
	for range lastPages {
		said, err := r.Messages(ctx, query)
		if err != nil {
			return 0, err
		}
		for _, m := range slices.Backward(said) {
			if !open[m.Turn] {
				return m.Turn, nil
			}
		}
		if len(said) < lastPage {
			break
		}
		query.Before = said[0].Seq
	}
	return 0, fault.New(fault.Conflict, "no_answer_to_rate", "there is no answer yet; send feedback after an answer")
}
