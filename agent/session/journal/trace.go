package journal

import (
	"context"

	"docent/agent/chat"
)

// MaxTrace limits the moves and the predictions of a Trace.
const MaxTrace = 1000

// Trace is the way of a session through the states of its agent.
type Trace struct {
	// Moves are the newest moves between states, oldest first.
	Moves []TracedMove
	// Predictions are the newest recognized intents, oldest first.
	Predictions []TracedPrediction
}

// TracedMove is a move in a turn.
type TracedMove struct {
	// Turn is the turn. It is 0 for moves before the first one.
	Turn int64
	chat.Transition
}

// TracedPrediction is a recognized intent in a turn, without its parameters.
type TracedPrediction struct {
	// Turn is the turn.
	Turn int64
	chat.Prediction
}

// Traces reads the ways of sessions. It is safe for concurrent use.
type Traces interface {
	// Trace returns the newest moves and predictions of the session with that row id, at most MaxTrace of both. It leaves out
	// turns that later messages replaced.
	Trace(ctx context.Context, session int64) (Trace, error)
	// Events returns the handled events without a message of the session with that row id, after the one with an id, oldest
	// first, and at most limit. Such events come from programs and user interfaces. It leaves out turns that later messages
	// replaced.
	Events(ctx context.Context, session, after int64, limit int) ([]chat.Event, error)
}
