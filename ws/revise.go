package ws

import (
	"context"
	"math"

	"docent/agent/session"
	"docent/agent/session/journal"
	"docent/internal/fault"
	"docent/payload"
)

// Errors of frames that name a turn.
var (
	errTurn   = fault.New(fault.Invalid, "turn_number_invalid", "turns count from 1")
	errNoTurn = fault.New(fault.Invalid, "turn_missing", "turn is missing")
)

// noTurn means that a frame names no turn.
const noTurn = math.MinInt64

// regenerate answers the user's message of a turn again.
func (t *talk) regenerate(ctx context.Context, frame payload.Frame) error {
	r := payload.Regenerate{Turn: noTurn}
	if err := payload.UnmarshalMessage(frame.Message, &r); err != nil {
		return fault.Wrap(fault.Invalid, err, "regenerate_invalid", "regenerate needs an object with the turn as a number")
	}
	return t.revise(ctx, session.Revision{Turn: r.Turn, ID: frame.ID})
}

// edit replaces the user's message of a turn and answers the new one.
func (t *talk) edit(ctx context.Context, frame payload.Frame) error {
	e := payload.Edit{Turn: noTurn}
	if err := payload.UnmarshalMessage(frame.Message, &e); err != nil {
		return fault.Wrap(fault.Invalid, err, "edit_invalid", "edit needs an object with the turn as a number, and the message")
	}
	if e.Message == nil && e.Turn != noTurn {
		return fault.New(fault.Invalid, "edit_without_message", "edit needs a message")
	}
	return t.revise(ctx, session.Revision{Turn: e.Turn, ID: frame.ID, Content: e.Message})
}

func (t *talk) revise(ctx context.Context, r session.Revision) error {
	switch {
	case r.Turn == noTurn:
		return errNoTurn
	case r.Turn < 1:
		return errTurn
	}
	return t.c.Session().Revise(ctx, r)
}

// feedback stores the user's feedback on a turn.
func (t *talk) feedback(ctx context.Context, frame payload.Frame) error {
	var f payload.Feedback
	if err := payload.UnmarshalMessage(frame.Message, &f); err != nil {
		return fault.Wrap(fault.Invalid, err, "feedback_invalid", "feedback needs an object with rating or comment, and may name a turn")
	}
	about := journal.Feedback{Rating: f.Rating, Comment: f.Comment}
	if f.Turn != nil {
		if about.Turn = *f.Turn; about.Turn < 1 {
			return errTurn
		}
	}
	turn, err := t.c.Session().Feedback(ctx, about)
	if err == nil {
		t.sendMessage(payload.FeedbackStoredAction, payload.FeedbackStored{Turn: turn}, frame.ID)
	}
	return err
}
