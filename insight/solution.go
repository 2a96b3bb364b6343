package insight

import (
	"context"
	"encoding/json"

	"docent/payload"
)

// Solution is a question of a conversation that had no answer. Its gap has been solved since.
type Solution struct {
	// Session is the row of the session, and Turn the turn.
	Session, Turn int64
	// Document is the id of the document that answers the question, or 0 if it is unknown.
	Document int64
}

// Solutions tell people that their question has an answer now. It is safe for concurrent use.
type Solutions interface {
	// Solutions lists the questions of sessions, which their rows name, that people have not seen to be
	// solved. It leaves out replaced turns.
	Solutions(ctx context.Context, sessions []int64) ([]Solution, error)
	// SeeSolution removes a question from the list. It does nothing if it is not there.
	SeeSolution(ctx context.Context, session, turn int64) error
}

// FirstCited returns the id of the document that an answer cites first, or 0. content is a
// payload.RAGMessage.
func FirstCited(content []byte) int64 {
	var m payload.RAGMessage
	if json.Unmarshal(content, &m) != nil {
		return 0
	}
	if ids := cited(m); len(ids) > 0 {
		return ids[0]
	}
	return 0
}
