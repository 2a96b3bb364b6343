package session

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"docent/agent/chat"
	"docent/agent/session/journal"
	"docent/agent/session/replica"
)

// History returns the newest messages that were stored before the client joined, at most
// ReplayLimit, oldest first. Content above MaxHistoryContent bytes is nil; Record returns it.
// History waits for a running reset.
func (s *Subscription) History(ctx context.Context) ([]chat.Message, error) {
	query, err := s.Before(ctx)
	if err != nil {
		return nil, err
	}
	query.MaxContent = chat.MaxHistoryContent
	return s.c.store.Messages(ctx, query) //nolint:wrapcheck // it names the session
}

// Before selects the entries that were stored before the client joined.
func (s *Subscription) Before(ctx context.Context) (journal.MessageQuery, error) {
	c := s.c
	if s.remote != nil {
		var query journal.MessageQuery
		err := s.remote.Call(ctx, replica.OpBefore, nil, &query)
		return query, err //nolint:wrapcheck // the error is complete
	}
	if err := c.mail.ask(ctx, nil, nothing); err != nil { // waits for a reset
		return journal.MessageQuery{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return journal.MessageQuery{Last: c.rt.cfg.limits.Replay, Before: s.since + 1}, nil
}

// Record yields the newest messages and steps that were stored before the client joined, at most
// ReplayLimit of each, oldest first. It reads pages of journal.ReplayBytes. An error is the last
// value.
func (s *Subscription) Record(ctx context.Context) iter.Seq2[journal.Entry, error] {
	return func(yield func(journal.Entry, error) bool) {
		query, err := s.Before(ctx)
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

// Said returns the stored content of a user's message with an id. It only finds recent messages
// without large content. The store may have a message that Said does not find.
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

// Language returns the stored session variable user_language, or "".
func (s *Subscription) Language(ctx context.Context) (string, error) {
	c := s.c
	record, err := c.rt.cfg.Store.Session(ctx, c.key)
	if err != nil {
		return "", fmt.Errorf("language of session %s: %w", c.key.ID, err)
	}
	var language string
	if err := json.Unmarshal(record.Variables["user_language"], &language); err != nil {
		return "", nil //nolint:nilerr // a variable without text names no language
	}
	return language, nil
}

// Progress describes the work of a session.
type Progress struct {
	// Running is the running turn, or 0.
	Running int64
	// Waiting are the waiting turns, oldest first.
	Waiting []int64
}

// Progress returns the current work of the session.
func (s *Subscription) Progress() Progress {
	c := s.c
	var p Progress
	if s.remote != nil {
		return s.progress()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if t := c.current; t != nil && len(t.turns) > 0 {
		p.Running = t.turns[0]
	}
	for _, w := range c.queue.waiting() {
		p.Waiting = append(p.Waiting, w.Event.Turn)
	}
	return p
}

// Recent returns the newest current messages of the session, oldest first. It returns at most limit
// and at most ReplayLimit messages. Content above MaxHistoryContent bytes is nil.
func (s *Subscription) Recent(ctx context.Context, limit int) ([]chat.Message, error) {
	c := s.c
	if _, err := s.Before(ctx); err != nil { // waits for a reset
		return nil, err
	}
	query := journal.MessageQuery{Last: min(limit, c.rt.cfg.limits.Replay), MaxContent: chat.MaxHistoryContent}
	return c.store.Messages(ctx, query) //nolint:wrapcheck // it names the session
}
