package agent

import (
	"context"
	"encoding/json"
	"time"

	"docent/rag/talk"

	"docent/payload"
)

// ChatHistory returns the conversation, oldest first. It contains the messages before this turn, the message that began
// the turn, and the turn's replies so far. It omits messages that still wait for their turn. A nonzero n limits the number
// of messages and keeps the newest. session.ReplayLimit always applies. A nonzero until excludes later messages.
// Earlier messages larger than MaxHistoryContent bytes, such as files, have nil Content.
func (s *Session) ChatHistory(ctx context.Context, n int, until time.Time) ([]ChatMessage, error) {
	out, err := s.turn.backend.History(ctx, HistoryQuery{Last: n, Until: until})
	return out, Withhold(err)
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
		if text, ok := said(m); ok {
			role := talk.Assistant
			if m.IsUser {
				role = talk.User
			}
			out = append(out, talk.Turn{Role: role, Text: text})
		}
	}
	return out, nil
}

// Said returns the text of a message. For an object it is the string under "message". For an answer it is the text without
// the passages. For other messages it is "".
func (m ChatMessage) Said() string {
	if m.IsUser && !MessageEvent(m.Content).spoken {
		return ""
	}
	text, ok := said(m)
	if !ok {
		return ""
	}
	return text
}

// said returns the text of a stored message for a model. For an answer it is the text without the passages.
func said(m ChatMessage) (string, bool) {
	if m.ClientID == FailedID && !m.IsUser || m.Content == nil { // too large to be read
		return "", false
	}
	if m.IsUser {
		return MessageEvent(m.Content).Text, m.Type == payload.TypeStr || m.Type == payload.TypeJSON
	}
	switch m.Type {
	case payload.TypeStr, payload.TypeMarkdown:
		var text string
		err := json.Unmarshal(m.Content, &text)
		return text, err == nil
	case payload.TypeRAG:
		var answer struct {
			Answer string `json:"answer"`
		}
		err := json.Unmarshal(m.Content, &answer)
		return answer.Answer, err == nil
	default:
		return "", false
	}
}
