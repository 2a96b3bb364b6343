package journal

import (
	"context"
	"time"

	"docent/agent"
)

// Bounds of feedback.
const (
	// MaxRating bounds a rating, and its negative from below.
	MaxRating = 100
	// MaxCommentBytes bounds what is said with it.
	MaxCommentBytes = agent.MaxTextBytes
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
