package ws

import (
	"context"
	"encoding/json"

	"docent/agent"
	"docent/internal/fault"
	"docent/payload"
)

// errTurn refuses numbers that no turn of a user has.
var errTurn = fault.New(fault.Invalid, "turns count from 1")

// regenerate has what the user said in a turn answered again.
func (c *connection) regenerate(ctx context.Context, frame payload.Frame) error {
	var r payload.Regenerate
	if err := json.Unmarshal(frame.Message, &r); err != nil {
		return fault.Wrap(fault.Invalid, err, "regenerate needs an object with the turn as a number")
	}
	return c.revise(ctx, agent.Revision{Turn: r.Turn, ID: frame.ID})
}

// edit has something else answered in a turn's place.
func (c *connection) edit(ctx context.Context, frame payload.Frame) error {
	var e payload.Edit
	if err := json.Unmarshal(frame.Message, &e); err != nil {
		return fault.Wrap(fault.Invalid, err, "edit needs an object with the turn as a number, and the message")
	}
	if e.Message == nil {
		return fault.New(fault.Invalid, "edit needs a message")
	}
	return c.revise(ctx, agent.Revision{Turn: e.Turn, ID: frame.ID, Content: e.Message})
}

func (c *connection) revise(ctx context.Context, r agent.Revision) error {
	if r.Turn < 1 {
		return errTurn
	}
	return c.sub.Revise(ctx, r)
}

// feedback stores what the user thinks of a turn.
func (c *connection) feedback(ctx context.Context, frame payload.Frame) error {
	var f payload.Feedback
	if err := json.Unmarshal(frame.Message, &f); err != nil {
		return fault.Wrap(fault.Invalid, err, "feedback needs an object with rating or comment, and may name a turn")
	}
	about := agent.Feedback{Rating: f.Rating, Comment: f.Comment}
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
