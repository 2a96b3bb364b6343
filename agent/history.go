package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"docent/payload"
	"docent/rag"
)

// ChatHistory returns what was said in the session, oldest first: before this
// turn, the message that began it, and what it has said so far. n, if not 0,
// bounds the messages, the newest being kept; RuntimeConfig.ReplayLimit always
// does. Of those before the turn, Content is nil that has more than
// MaxHistoryContent bytes, such as of files. until, if not zero, leaves out what was said after. Messages that still
// wait for their turn are not part of it.
func (s *Session) ChatHistory(ctx context.Context, n int, until time.Time) ([]ChatMessage, error) {
	limit := s.conversation.rt.cfg.ReplayLimit
	if n > 0 {
		limit = min(limit, n)
	}
	s.turn.mu.Lock()
	own := make([]ChatMessage, len(s.turn.record.talk))
	for i, m := range s.turn.record.talk {
		own[i] = *m
	}
	s.turn.mu.Unlock()
	var out []ChatMessage
	missing := limit - len(own)
	if !until.IsZero() { // own ones may be left out
		missing = limit
	}
	if missing > 0 {
		var err error
		if out, err = s.before(ctx, missing, own, until); err != nil {
			return nil, Withhold(fmt.Errorf("history of session %s: %w", s.conversation.key.ID, err))
		}
	}
	for _, m := range own {
		if until.IsZero() || !m.Time.After(until) {
			out = append(out, m)
		}
	}
	return out[max(0, len(out)-limit):], nil
}

// before returns the last n messages before the turn. own are the turn's.
func (s *Session) before(ctx context.Context, n int, own []ChatMessage, until time.Time) ([]ChatMessage, error) {
	c, t := s.conversation, s.turn
	skip := map[int64]bool{} // turns of messages that wait
	c.mu.Lock()
	for _, p := range c.pending {
		skip[p.event.Turn] = true
	}
	for _, w := range c.inbox {
		if w.arrived != nil {
			skip[w.arrived.event.Turn] = true
		}
	}
	latest := c.latest // what is stored from now on comes after this turn
	c.mu.Unlock()
	if known := t.known(); known != nil && len(skip) == 0 && until.IsZero() && (n <= len(known) || len(known) < c.rt.cfg.History) {
		return slices.Clone(known[max(0, len(known)-n):]), nil
	}
	ctx, cancel := context.WithTimeout(ctx, c.rt.cfg.StoreTimeout)
	defer cancel()
	ids := map[int64]bool{}
	for _, m := range own {
		ids[m.ID] = true
	}
	arriving := cap(c.slots)
	all, err := c.rt.cfg.Store.Messages(ctx, c.record.RowID, MessageQuery{
		Last: n + len(skip) + len(own) + arriving, Until: until, MaxContent: MaxHistoryContent,
	})
	if err != nil {
		return nil, err
	}
	out := all[:0]
	for _, m := range all {
		if !skip[m.Turn] && !ids[m.ID] && m.Turn <= latest {
			out = append(out, m)
		}
	}
	return out[max(0, len(out)-n):], nil
}

// known are the messages before the turn if they were read along with its own,
// and nothing was written between; nil otherwise.
func (t *turn) known() []ChatMessage {
	if t.began == nil || t.began.mark != t.commits {
		return nil
	}
	if t.began.history == nil {
		return []ChatMessage{}
	}
	return t.began.history
}

// Turns returns the text messages among the last n before the event, oldest
// first. With n 0 it looks at the last RuntimeConfig.History.
func (s *Session) Turns(ctx context.Context, n int) ([]rag.Turn, error) {
	if n == 0 {
		n = s.conversation.rt.cfg.History
	}
	s.turn.mu.Lock()
	own := make([]ChatMessage, len(s.turn.record.talk))
	for i, m := range s.turn.record.talk {
		own[i] = *m
	}
	s.turn.mu.Unlock()
	messages, err := s.before(ctx, n, own, time.Time{})
	if err != nil {
		return nil, err
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

// Said is what the message says as text: of an object the string under
// "message", of an answer its text without the passages; "" if it is something
// else.
func (m ChatMessage) Said() string {
	if m.IsUser && !messageEvent(m.Content).spoken {
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
