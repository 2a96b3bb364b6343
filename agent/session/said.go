package session

import (
	"context"
	"encoding/json"
	"fmt"

	"docent/agent"
	"docent/agent/session/journal"
)

// recentMessages is how many messages Subscription.Said looks at: what a client
// sends again is among the newest.
const recentMessages = 64

// Said returns what is stored of a user's message of that id, if it is one of
// the newest and not large; of one that is not found, it may be there all the
// same.
func (s *Subscription) Said(ctx context.Context, id string) (content json.RawMessage, found bool, err error) {
	c := s.c
	ctx, cancel := context.WithTimeout(ctx, c.rt.cfg.StoreTimeout)
	defer cancel()
	messages, err := c.rt.cfg.Store.Messages(ctx, c.record.RowID, journal.MessageQuery{
		Last: recentMessages, MaxContent: agent.MaxTextBytes, Replaced: true,
	})
	if err != nil {
		return nil, false, fmt.Errorf("messages of session %s: %w", c.key.ID, err)
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
	ctx, cancel := context.WithTimeout(ctx, c.rt.cfg.StoreTimeout)
	defer cancel()
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
