package journal

import (
	"context"
	"slices"
	"time"

	"docent/agent/chat"
	"docent/internal/fault"
)

// Bounds of feedback.
const (
	// MaxRating bounds a rating, and its negative from below.
	MaxRating = 100
	// MaxCommentBytes bounds what is said with it.
	MaxCommentBytes = chat.MaxTextBytes
)

// Feedback is what a user thinks of a turn.
type Feedback struct {
	// Turn is the one that it is about; 0 for the last that is over.
	Turn int64
	// Rating is from -MaxRating to MaxRating, the scale being the client's; nil
	// if none was given.
	Rating *int
	// Comment is in words; "" if none.
	Comment string
}

// FeedbackRecord is feedback as stored, a row of the table feedback.
type FeedbackRecord struct {
	// ID is the row's id.
	ID int64
	// Feedback is what the user thinks of its Turn, which is never 0.
	Feedback
	// Time is when it was given.
	Time time.Time
}

// Feedbacks is what a Store is that keeps feedback as well. It is safe for
// concurrent use.
type Feedbacks interface {
	// AddFeedback stores feedback in the session of that row id; fault.NotFound
	// if there is none.
	AddFeedback(ctx context.Context, session int64, record FeedbackRecord) error
	// Feedback returns that of a session, oldest first, at most the first 1,000;
	// of one that is not there none.
	Feedback(ctx context.Context, session int64) ([]FeedbackRecord, error)
	// LastFeedback returns what was said last of each of a session's turns from
	// from to to, by turn, at most the first 1,000.
	LastFeedback(ctx context.Context, session, from, to int64) ([]FeedbackRecord, error)
}

// Bounds of the search for the last finished turn.
const (
	lastPage  = 100 // messages that are read at once
	lastPages = 20
)

// CheckSaid returns a fault.NotFound if the turn has no messages.
func (r Reader) CheckSaid(ctx context.Context, turn int64) error {
	said, err := r.Messages(ctx, MessageQuery{Turn: turn, Last: 1, MaxContent: NoContent})
	if err != nil {
		return err
	}
	if len(said) == 0 {
		return fault.Wrap(fault.NotFound, ErrNoTurn, "turn_empty", "nothing was said in turn %d", turn)
	}
	return nil
}

// LastTurn returns the newest turn that has messages and is not open. It fails
// with fault.Conflict if there is none.
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
	return 0, fault.New(fault.Conflict, "no_answer_to_rate", "there is no answer yet that feedback could be about")
}
