package session

import (
	"context"
	"fmt"
	"strings"

	"docent/agent/session/journal"
	"docent/agent/session/replica"
	"docent/internal/fault"
)

// Feedback stores the user's feedback on a turn and returns the number of the turn. Without
// Feedback.Turn, it selects the last finished turn. It fails with fault.Invalid if the feedback is
// empty or too large. It fails with fault.NotFound if the turn does not exist or has no messages,
// and with fault.Conflict if the turn has not finished.
func (s *Subscription) Feedback(ctx context.Context, f journal.Feedback) (turn int64, err error) {
	if s.remote != nil {
		err = s.remote.Call(ctx, replica.OpFeedback, f, &turn)
		return turn, err //nolint:wrapcheck // the error is complete
	}
	c := s.c
	f.Comment = strings.TrimSpace(f.Comment)
	store, ok := c.rt.cfg.Store.(journal.Feedbacks)
	if !ok {
		return 0, fault.New(fault.Unavailable, "feedback_off", "this agent does not store feedback")
	}
	if err := f.Check(); err != nil {
		return 0, err //nolint:wrapcheck // the error is complete
	}
	if err := c.rt.cfg.Quotas.Receive(ctx, false, journal.FeedbackBytes+len(f.Comment)); err != nil {
		return 0, err
	}
	err = c.mail.ask(ctx, nil, func(ctx context.Context) error { // otherwise a reset might come between
		ctx, cancel := context.WithTimeout(ctx, storeTimeout)
		defer cancel()
		if turn, err = s.turnOver(ctx, f.Turn); err != nil {
			return err
		}
		f.Turn = turn
		if err := store.AddFeedback(ctx, c.store.Session, journal.FeedbackRecord{Feedback: f, Time: c.rt.cfg.Now(), Key: c.key}); err != nil {
			return fmt.Errorf("store feedback of session %s: %w", c.key.ID, err)
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return turn, nil
}

// turnOver returns the number of a finished turn that has messages. turn 0 selects the last turn
// that was not replaced.
func (s *Subscription) turnOver(ctx context.Context, turn int64) (int64, error) {
	c := s.c
	c.mu.Lock()
	open := map[int64]bool{0: true}
	for _, o := range c.openLocked() {
		open[o.Turn] = true
	}
	gone := c.mail.gone
	c.mu.Unlock()
	switch {
	case gone != nil:
		return 0, gone
	case turn < 0:
		return 0, fault.Wrap(fault.NotFound, journal.ErrNoTurn, "no_turn", "there is no turn %d", turn)
	case turn == 0:
		return c.store.LastTurn(ctx, open) //nolint:wrapcheck // the error is complete
	case open[turn]:
		return 0, fault.New(fault.Conflict, "turn_running", "turn %d is still running", turn)
	}
	return turn, c.store.CheckSaid(ctx, turn) //nolint:wrapcheck // it names the session
}
