package agent

import (
	"context"
	"time"

	"docent/internal/errlog"
	"docent/rag/talk"
)

// ChatHistory returns the conversation, oldest first. It contains the messages before this turn, the message that began
// the turn, and the turn's replies so far. It omits messages that still wait for their turn. A nonzero n limits the number
// of messages and keeps the newest. session.ReplayLimit always applies. A nonzero until excludes later messages.
// Earlier messages larger than MaxHistoryContent bytes, such as files, have nil Content.
func (s *Session) ChatHistory(ctx context.Context, n int, until time.Time) ([]ChatMessage, error) {
	out, err := s.turn.backend.History(ctx, HistoryQuery{Last: n, Until: until})
	return out, errlog.Withhold(err)
}

// Turns returns the text messages among the last n before the event, oldest first. If n is 0, it uses
// RuntimeConfig.History.
func (s *Session) Turns(ctx context.Context, n int) ([]talk.Turn, error) {
	messages, err := s.turn.backend.History(ctx, HistoryQuery{Last: n, Before: true})
	if err != nil {
		return nil, err
	}
	out := []talk.Turn{} // not nil: asked and none
	for _, m := range messages {
		if text, ok := m.Text(); ok {
			role := talk.Assistant
			if m.IsUser {
				role = talk.User
			}
			out = append(out, talk.Turn{Role: role, Text: text})
		}
	}
	return out, nil
}
