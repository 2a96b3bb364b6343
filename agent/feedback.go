package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"docent/internal/fault"
)

// Bounds of feedback.
const (
	// MaxRating bounds a rating, and its negative from below.
	MaxRating = 100
	// MaxCommentBytes bounds what is said with it.
	MaxCommentBytes = MaxTextBytes
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
	// Turn is the turn it is about.
	Turn int64
	// Feedback is what the user thinks of it.
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
}

// Feedback stores what the user thinks of the last turn that is over, and
// returns the turn. It fails with fault.Invalid if it says nothing or too much,
// and with fault.Conflict if there was no turn.
func (s *Subscription) Feedback(ctx context.Context, f Feedback) (turn int64, err error) {
	c := s.c
	f.Comment = strings.TrimSpace(f.Comment)
	store, ok := c.rt.cfg.Store.(Feedbacks)
	switch {
	case !ok:
		return 0, fault.New(fault.Unavailable, "feedback is not kept here")
	case f.Rating == nil && f.Comment == "":
		return 0, fault.New(fault.Invalid, "feedback needs a rating or a comment")
	case f.Rating != nil && (*f.Rating < -MaxRating || *f.Rating > MaxRating):
		return 0, fault.New(fault.Invalid, "a rating is a whole number from %d to %d", -MaxRating, MaxRating)
	case len(f.Comment) > MaxCommentBytes:
		return 0, fault.Wrap(fault.Invalid, ErrTooLong, "a comment may have at most %d bytes", MaxCommentBytes)
	}
	if err := c.lock(ctx); err != nil { // or a reset might come between
		return 0, err
	}
	defer func() { <-c.intake }()
	ctx, cancel := context.WithTimeout(ctx, c.rt.cfg.StoreTimeout)
	defer cancel()
	if turn, err = c.lastTurn(ctx); err != nil {
		return 0, err
	}
	if err := store.AddFeedback(ctx, c.record.RowID, FeedbackRecord{Turn: turn, Feedback: f, Time: c.rt.cfg.Now()}); err != nil {
		return 0, fmt.Errorf("store feedback of session %s: %w", c.key.ID, err)
	}
	return turn, nil
}

// silentTurns bounds how many turns in which nothing was said are passed over
// to find the last one.
const silentTurns = 16

// lastTurn is the latest turn in which something was said and which neither
// waits nor runs.
func (c *conversation) lastTurn(ctx context.Context) (int64, error) {
	c.mu.Lock()
	open, turn := slices.Clone(c.turns), c.latest
	for _, p := range c.waitingLocked() {
		open = append(open, p.event.Turn)
	}
	gone, reason := c.gone, c.err
	c.mu.Unlock()
	if gone {
		return 0, reason
	}
	for range silentTurns {
		for slices.Contains(open, turn) {
			turn--
		}
		if turn < 1 {
			break
		}
		said, err := c.rt.cfg.Store.Messages(ctx, c.record.RowID, MessageQuery{Turn: turn, Last: 1, MaxContent: NoContent})
		if err != nil {
			return 0, fmt.Errorf("last turn of session %s: %w", c.key.ID, err)
		}
		if len(said) > 0 {
			return turn, nil
		}
		turn--
	}
	return 0, fault.New(fault.Conflict, "there is no answer yet that feedback could be about")
}
