package agent

import (
	"context"
	"encoding/json"
	"time"

	"docent/agent/chat"
	"docent/internal/errlog"
	"docent/payload"
	"docent/rag"
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
// RuntimeConfig.History. The greeting of the agent, before the first message of the user, is not part of the conversation.
func (s *Session) Turns(ctx context.Context, n int) ([]talk.Turn, error) {
	turns, _, err := earlier(ctx, s, n)
	return turns, err
}

// earlier returns the Turns, and the last of them that is an answer with passages. A reply to a message about the last answer,
// such as "source?", is none.
func earlier(ctx context.Context, s *Session, n int) ([]talk.Turn, *rag.LastAnswer, error) {
	messages, err := s.turn.backend.History(ctx, HistoryQuery{Last: n, Before: true})
	if err != nil {
		return nil, nil, err
	}
	var last *rag.LastAnswer
	refused := map[int64]bool{} // turns whose message a guard has refused
	for _, m := range messages {
		refused[m.Turn] = refused[m.Turn] || !m.IsUser && m.ClientID == chat.GuardedID
	}
	out := []talk.Turn{} // not nil: asked and none
	for _, m := range messages {
		if !m.IsUser && m.Turn == 0 || refused[m.Turn] {
			continue
		}
		if text, ok := m.Text(); ok {
			role := talk.Assistant
			if m.IsUser {
				role = talk.User
			}
			out = append(out, talk.Turn{Role: role, Text: text})
		}
		if a := withPassages(m); a != nil {
			last = a
		}
	}
	return out, last, nil
}

// withPassages returns the answer in a message, or nil if it has no passages.
func withPassages(m ChatMessage) *rag.LastAnswer {
	var answer payload.RAGMessage
	if m.IsUser || m.Type != payload.TypeRAG || m.Content == nil || json.Unmarshal(m.Content, &answer) != nil || len(answer.Docs) == 0 ||
		talk.AsksNothing(answer.Question) {
		return nil
	}
	out := &rag.LastAnswer{Text: answer.Answer}
	for _, d := range answer.Docs {
		out.Passages = append(out.Passages, passageOf(d))
	}
	return out
}
