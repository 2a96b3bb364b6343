package session

import (
	"context"
	"errors"

	"docent/agent/session/journal"
	"docent/agent/session/replica"
	"docent/internal/fault"
	"docent/payload"
)

// Show asks for the branch of a version of a question.
type Show struct {
	// Turn is the turn of the version.
	Turn int64
	// ID is the client's id of the request, or "". The frame for all clients has it.
	ID string
}

// Show shows the newest branch with a turn. Turns of other branches that run or wait stop. The state
// and the variables of the session do not change. All clients receive payload.TurnsShown. Show fails
// like journal.Versions.ShowTurn, and with fault.Unavailable if the agent stores no versions.
func (s *Subscription) Show(ctx context.Context, show Show) error {
	if s.remote != nil {
		return s.remote.Call(ctx, replica.OpShow, show, nil) //nolint:wrapcheck // the error is complete
	}
	c := s.c
	if show.Turn < 1 {
		return fault.New(fault.Invalid, "turn_number_missing", "the number of the turn is missing; turns count from 1")
	}
	if c.rt.cfg.Versions == nil {
		return fault.New(fault.Unavailable, "versions_off", "this agent does not store versions of answers")
	}
	if err := c.rt.cfg.Quotas.Receive(ctx, false, journal.FeedbackBytes); err != nil {
		return err
	}
	within, cancel := withIntakeWait(ctx)
	defer cancel()
	return c.mail.ask(within, nil, func(ctx context.Context) error {
		hidden, err := c.store.Show(context.WithoutCancel(ctx), c.rt.cfg.Versions, show.Turn)
		if err != nil {
			switch kind := fault.KindOf(err); {
			case kind == fault.NotFound && !errors.Is(err, journal.ErrNoTurn):
				c.lose(err, s)
			case kind.Retryable(): // the outcome is unknown
				c.abandon(ctx, err)
			}
			return err
		}
		c.shown(hidden, show.ID)
		return nil
	})
}

// shown takes over the hidden turns and tells the clients.
func (c *conversation) shown(hidden []payload.TurnRange, id string) {
	gone := func(turn int64) bool { return payload.InTurns(hidden, turn) }
	if c.event != nil && gone(c.event.Turn) {
		c.event = nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clients.hidden = hidden
	frame := c.rt.sessionFrame(payload.TurnsShownAction, payload.TurnsShown{Hidden: append([]payload.TurnRange{}, hidden...)})
	frame.Frame.ID = id
	c.clients.deliverLocked(frame)
	c.stopTurnsLocked(gone)
}
