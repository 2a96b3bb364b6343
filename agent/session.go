package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"docent/internal/fault"
	"docent/payload"
	"docent/rag"
)

// MaxReplies bounds what one turn may say, in messages.
const MaxReplies = 100

// Session is a conversation as a body sees it, for the length of the body. It
// is for one goroutine at a time.
type Session struct {
	conversation *conversation
	turn         *turn
}

// ID is the session's public id.
func (s *Session) ID() string { return s.conversation.key.ID }

// Username is the user named at the handshake; "" if none was.
func (s *Session) Username() string { return s.conversation.record.Username }

// SessionName is the session's display name; "" if it has none.
func (s *Session) SessionName() string { return s.conversation.record.Name }

// CurrentState is the name of the state whose body runs.
func (s *Session) CurrentState() string { return s.turn.state.name }

// Event is what the turn answers; in the greeting it is empty.
func (s *Session) Event() Event { return s.turn.event }

// Message is the text of the event; "" in the greeting.
func (s *Session) Message() string { return s.turn.event.Text }

// Reply says text. What a body says is stored and sent when the turn ends, in
// one step with all else it changed.
func (s *Session) Reply(ctx context.Context, text string) error {
	return s.reply(ctx, payload.TypeStr, text)
}

// ReplyMarkdown says Markdown text.
func (s *Session) ReplyMarkdown(ctx context.Context, text string) error {
	return s.reply(ctx, payload.TypeMarkdown, text)
}

// ReplyRAG says an answer with its evidence.
func (s *Session) ReplyRAG(ctx context.Context, message payload.RAGMessage) error {
	return s.reply(ctx, payload.TypeRAG, message)
}

func (s *Session) reply(ctx context.Context, chatType string, message any) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	if len(s.turn.replies) == MaxReplies {
		return fault.New(fault.Invalid, "a turn may have at most %d replies", MaxReplies)
	}
	content, err := payload.Marshal(message)
	if err != nil {
		return fmt.Errorf("reply %s: %w", chatType, err)
	}
	s.turn.replies = append(s.turn.replies, ChatMessage{
		Turn: s.turn.number, Type: chatType, Content: content, Time: s.conversation.rt.cfg.Now(),
	})
	return nil
}

// RAG answers questions; *rag.RAG is one.
type RAG interface {
	// Stream yields an answer in the making and, last, the whole of it.
	Stream(ctx context.Context, req rag.Request) iter.Seq2[rag.Part, error]
}

// RunRAG answers a question from the documents and returns the answer without
// saying it. Without Question it is the text of the event; without Turns they
// are what was said before it, as many as History asks. Clients that stream see
// the answer in the making.
func (s *Session) RunRAG(ctx context.Context, req rag.Request) (payload.RAGMessage, error) {
	c := s.conversation
	if c.rt.cfg.RAG == nil {
		return payload.RAGMessage{}, fault.New(fault.Unavailable, "this agent has no documents to answer from")
	}
	if req.Question == "" {
		req.Question = s.Message()
	}
	if req.History > 0 && req.Turns == nil {
		var err error
		if req.Turns, err = s.turns(ctx, req.History); err != nil {
			return payload.RAGMessage{}, fmt.Errorf("history: %w", err)
		}
	}
	for part, err := range c.rt.cfg.RAG.Stream(ctx, req) {
		switch {
		case err != nil:
			return payload.RAGMessage{}, err
		case part.Phase != "":
			c.stream(s.turn.number, payload.StatusAction, payload.Status{Phase: string(part.Phase)})
		case part.Delta != "":
			c.stream(s.turn.number, payload.DeltaAction, payload.Delta{Text: part.Delta})
		case part.Message != nil:
			s.turn.count(part.Usage)
			return *part.Message, nil
		}
	}
	return payload.RAGMessage{}, fault.New(fault.Internal, "the answer ended without a message")
}

// turns are the last n messages before the event that are text.
func (s *Session) turns(ctx context.Context, n int) ([]rag.Turn, error) {
	messages := s.turn.history
	if !s.turn.fresh || n > s.conversation.rt.cfg.History && len(messages) == s.conversation.rt.cfg.History {
		// Later messages may be stored already: ask for as many more.
		all, err := s.conversation.rt.cfg.Store.Messages(ctx, s.conversation.record.RowID,
			MessageQuery{Last: n + s.conversation.rt.cfg.MailboxSize})
		if err != nil {
			return nil, err
		}
		messages = messages[:0:0]
		for _, m := range all {
			if m.Turn < s.turn.number {
				messages = append(messages, m)
			}
		}
	}
	if len(messages) > n {
		messages = messages[len(messages)-n:]
	}
	out := []rag.Turn{} // not nil: asked and none
	for _, m := range messages {
		if text, ok := said(m); ok {
			role := rag.Assistant
			if m.IsUser {
				role = rag.User
			}
			out = append(out, rag.Turn{Role: role, Text: text})
		}
	}
	return out, nil
}

// said is what was said in a stored message, for a model to read: of an
// answer its text without the passages.
func said(m ChatMessage) (string, bool) {
	if m.ClientID == FailedID && !m.IsUser {
		return "", false
	}
	if m.IsUser {
		return messageEvent(m.Content).Text, m.Type == payload.TypeStr || m.Type == payload.TypeJSON
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
