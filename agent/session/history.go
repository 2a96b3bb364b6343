package session

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"docent/agent/chat"
	"docent/agent/session/journal"
)

// History returns the messages stored before the client joined, oldest first:
// at most ReplayLimit, the newest. The Content of those with more
// than MaxHistoryContent bytes is nil; Record has it.
func (s *Subscription) History(ctx context.Context) ([]chat.Message, error) {
	query, err := s.before(ctx)
	if err != nil {
		return nil, err
	}
	query.MaxContent = chat.MaxHistoryContent
	return s.c.store.Messages(ctx, query) //nolint:wrapcheck // it names the session
}

// before selects the entries that were stored before the client joined.
func (s *Subscription) before(ctx context.Context) (journal.MessageQuery, error) {
	c := s.c
	if err := c.mail.ask(ctx, nil, nothing); err != nil { // waits for a reset
		return journal.MessageQuery{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return journal.MessageQuery{Last: c.rt.cfg.limits.Replay, Before: s.since + 1}, nil
}

// Record goes through the messages and steps stored before the client joined,
// oldest first: at most ReplayLimit of each, the newest. They are
// read in pages of journal.ReplayBytes; an error is the last.
func (s *Subscription) Record(ctx context.Context) iter.Seq2[journal.Entry, error] {
	return func(yield func(journal.Entry, error) bool) {
		query, err := s.before(ctx)
		if err != nil {
			yield(journal.Entry{}, err)
			return
		}
		s.c.store.Entries(ctx, query)(yield)
	}
}

// recentMessages bounds the messages that Subscription.Said reads. A repeated
// message is among the newest.
const recentMessages = 64

// Said returns the stored content of a user's message with that id, if it is one of
// the newest and not large. A message that is not found may be stored nevertheless.
func (s *Subscription) Said(ctx context.Context, id string) (content json.RawMessage, found bool, err error) {
	query := journal.MessageQuery{Last: recentMessages, MaxContent: chat.MaxTextBytes, Replaced: true}
	messages, err := s.c.store.Messages(ctx, query)
	if err != nil {
		return nil, false, err //nolint:wrapcheck // it names the session
	}
	for _, m := range messages {
		if m.IsUser && m.ClientID == id && m.Content != nil {
			return m.Content, true, nil
		}
	}
	return nil, false, nil
}

// Language is the session's variable user_language as it is stored; "" if there
// is none.
func (s *Subscription) Language(ctx context.Context) (string, error) {
	c := s.c
	record, err := c.rt.cfg.Store.Session(ctx, c.key)
	if err != nil {
		return "", fmt.Errorf("language of session %s: %w", c.key.ID, err)
	}
	var language string
	if err := json.Unmarshal(record.Variables["user_language"], &language); err != nil {
		return "", nil //nolint:nilerr // no text names no language
	}
	return language, nil
}

// Progress is what a session is doing.
type Progress struct {
	// Running is the turn that runs; 0 if none does.
	Running int64
	// Waiting are the turns that wait, oldest first.
	Waiting []int64
}

// Progress tells what the session is doing.
func (s *Subscription) Progress() Progress {
	c := s.c
	c.mu.Lock()
	defer c.mu.Unlock()
	var p Progress
	if t := c.current; t != nil && len(t.turns) > 0 {
		p.Running = t.turns[0]
	}
	for _, w := range c.queue.Waiting() {
		p.Waiting = append(p.Waiting, w.Event.Turn)
	}
	return p
}

// Recent returns the newest messages of the session as it is now, oldest first:
// at most limit of them, and at most ReplayLimit. Content of more
// than MaxHistoryContent is left out.
func (s *Subscription) Recent(ctx context.Context, limit int) ([]chat.Message, error) {
	c := s.c
	if err := c.mail.ask(ctx, nil, nothing); err != nil { // waits for a reset
		return nil, err
	}
	query := journal.MessageQuery{Last: min(limit, c.rt.cfg.limits.Replay), MaxContent: chat.MaxHistoryContent}
	return c.store.Messages(ctx, query) //nolint:wrapcheck // it names the session
}
