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

// decodeRegenerate reads the request to answer the user's message of a turn again.
func decodeRegenerate(t *talk, r request) (task, error) {
	m := payload.Regenerate{Turn: noTurn}
	if err := payload.UnmarshalMessage(r.Message, &m); err != nil {
		return task{}, fault.Wrap(fault.Invalid, err, "regenerate_invalid", "regenerate needs an object with the turn as a number")
	}
	return t.revise(session.Revision{Turn: m.Turn, ID: r.ID})
}

// decodeEdit reads the request to replace the user's message of a turn, and to answer the new one.
func decodeEdit(t *talk, r request) (task, error) {
	m := payload.Edit{Turn: noTurn}
	if err := payload.UnmarshalMessage(r.Message, &m); err != nil {
		return task{}, fault.Wrap(fault.Invalid, err, "edit_invalid", "edit needs an object with the turn as a number, and the message")
	}
	if m.Message == nil && m.Turn != noTurn {
		return task{}, fault.New(fault.Invalid, "edit_without_message", "edit needs a message")
	}
	return t.revise(session.Revision{Turn: m.Turn, ID: r.ID, Content: m.Message})
}

func (t *talk) revise(v session.Revision) (task, error) {
	switch {
	case v.Turn == noTurn:
		return task{}, errNoTurn
	case v.Turn < 1:
		return task{}, errTurn
	}
	return task{do: func(ctx context.Context) error { return t.c.Session().Revise(ctx, v) }}, nil
}

// decodeShow reads the request to show a version of a question.
func decodeShow(t *talk, r request) (task, error) {
	m := payload.Show{Turn: noTurn}
	if err := payload.UnmarshalMessage(r.Message, &m); err != nil {
		return task{}, fault.Wrap(fault.Invalid, err, "show_invalid", "show needs an object with the turn as a number")
	}
	switch {
	case m.Turn == noTurn:
		return task{}, errNoTurn
	case m.Turn < 1:
		return task{}, errTurn
	}
	return task{do: func(ctx context.Context) error {
		return t.c.Session().Show(ctx, session.Show{Turn: m.Turn, ID: r.ID})
	}}, nil
}

// decodeFeedback reads the user's feedback on a turn.
func decodeFeedback(t *talk, r request) (task, error) {
	var f payload.Feedback
	if err := payload.UnmarshalMessage(r.Message, &f); err != nil {
		return task{}, fault.Wrap(fault.Invalid, err, "feedback_invalid", "feedback needs an object with rating or comment, and may name a turn")
	}
	about := journal.Feedback{Rating: f.Rating, Reason: f.Reason, Comment: f.Comment}
	if f.Turn != nil {
		if about.Turn = *f.Turn; about.Turn < 1 {
			return task{}, errTurn
		}
	}
	return task{do: func(ctx context.Context) error {
		turn, err := t.c.Session().Feedback(ctx, about)
		if err == nil {
			t.sendMessage(payload.FeedbackStoredAction, payload.FeedbackStored{Turn: turn}, r.ID)
		}
		return err
	}}, nil
}
