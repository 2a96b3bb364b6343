package agent

import (
	"context"
	"encoding/json"
	"time"

	"docent/rag/talk"

	"docent/payload"
)

// ChatHistory returns what was said in the session, oldest first: before this
// turn, the message that began it, and what it has said so far. n, if not 0,
// bounds the messages, the newest being kept; RuntimeConfig.ReplayLimit always
// does. Of those before the turn, Content is nil that has more than
// MaxHistoryContent bytes, such as of files. until, if not zero, leaves out what was said after. Messages that still
// wait for their turn are not part of it.
func (s *Session) ChatHistory(ctx context.Context, n int, until time.Time) ([]ChatMessage, error) {
	out, err := s.turn.backend.History(ctx, HistoryQuery{Last: n, Until: until})
	return out, Withhold(err)
}

// Turns returns the text messages among the last n before the event, oldest
// first. With n 0 it looks at the last RuntimeConfig.History.
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

// Said is what the message says as text: of an object the string under
// "message", of an answer its text without the passages; "" if it is something
// else.
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

// said is what was said in a stored message, for a model to read: of an
// answer its text without the passages.
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
