package store

import (
	"encoding/json"
	"fmt"
	"time"

	"docent/agent"
)

// Variables is a set of session variables as one JSON object.
func Variables(all map[string]json.RawMessage) (json.RawMessage, error) {
	clean := make(map[string]json.RawMessage, len(all))
	for name, value := range all {
		v, err := JSON(value)
		if err != nil {
			return nil, fmt.Errorf("variable %s: %w", name, err)
		}
		clean[Text(name)] = v
	}
	object, err := json.Marshal(clean)
	if err != nil {
		return nil, fmt.Errorf("variables: %w", err)
	}
	return object, nil
}

// Replies are a turn's replies as they are stored, but for id and seq.
func Replies(turn agent.TurnRecord, now time.Time) ([]agent.ChatMessage, error) {
	out := make([]agent.ChatMessage, len(turn.Replies))
	for i, m := range turn.Replies {
		content, err := JSON(m.Content)
		if err != nil {
			return nil, fmt.Errorf("reply %d: %w", i, err)
		}
		m.ID, m.Seq, m.Turn = 0, 0, turn.Turn
		m.ClientID, m.Type, m.Content, m.Time = Text(m.ClientID), Text(m.Type), content, Time(m.Time, now)
		out[i] = m
	}
	return out, nil
}

// Sessions is how many sessions a list has for the limit asked.
func Sessions(limit int) int {
	if limit <= 0 {
		return DefaultSessions
	}
	return min(limit, MaxPage)
}
