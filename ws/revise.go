package ws

import (
	"context"
	"math"

	"docent/agent/session"
	"docent/internal/fault"
	"docent/payload"
)

// Why what is said of a turn is refused.
var (
	errTurn   = fault.New(fault.Invalid, "turns count from 1")
	errNoTurn = fault.New(fault.Invalid, "turn is missing")
)

// noTurn stands for the turn where none is named.
const noTurn = math.MinInt64

// regenerate has what the user said in a turn answered again.
func (c *connection) regenerate(ctx context.Context, frame payload.Frame) error {
	r := payload.Regenerate{Turn: noTurn}
	if err := payload.UnmarshalMessage(frame.Message, &r); err != nil {
		return fault.Wrap(fault.Invalid, err, "regenerate needs an object with the turn as a number")
	}
	return c.revise(ctx, session.Revision{Turn: r.Turn, ID: frame.ID})
}

// edit has something else answered in a turn's place.
func (c *connection) edit(ctx context.Context, frame payload.Frame) error {
	e := payload.Edit{Turn: noTurn}
	if err := payload.UnmarshalMessage(frame.Message, &e); err != nil {
		return fault.Wrap(fault.Invalid, err, "edit needs an object with the turn as a number, and the message")
	}
	if e.Message == nil && e.Turn != noTurn {
		return fault.New(fault.Invalid, "edit needs a message")
	}
	return c.revise(ctx, session.Revision{Turn: e.Turn, ID: frame.ID, Content: e.Message})
}

func (c *connection) revise(ctx context.Context, r session.Revision) error {
	switch {
	case r.Turn == noTurn:
		return errNoTurn
	case r.Turn < 1:
		return errTurn
	}
	return c.sub.Revise(ctx, r)
}

// feedback stores what the user thinks of a turn.
func (c *connection) feedback(ctx context.Context, frame payload.Frame) error {
	var f payload.Feedback
	if err := payload.UnmarshalMessage(frame.Message, &f); err != nil {
		return fault.Wrap(fault.Invalid, err, "feedback needs an object with rating or comment, and may name a turn")
	}
	about := session.Feedback{Rating: f.Rating, Comment: f.Comment}
	if f.Turn != nil {
		if about.Turn = *f.Turn; about.Turn < 1 {
			return errTurn
		}
	}
	turn, err := c.sub.Feedback(ctx, about)
	if err == nil {
		c.sendMessage(payload.FeedbackStoredAction, payload.FeedbackStored{Turn: turn}, frame.ID)
	}
	return err
}
