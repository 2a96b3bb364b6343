package session

import (
	"context"
	"fmt"
	"iter"

	"docent/agent"
	"docent/agent/session/journal"
)

// History returns the messages stored before the client joined, oldest first:
// at most RuntimeConfig.ReplayLimit, the newest. The Content of those with more
// than MaxHistoryContent bytes is nil; Record has it.
func (s *Subscription) History(ctx context.Context) ([]agent.ChatMessage, error) {
	query, err := s.before(ctx)
	if err != nil {
		return nil, err
	}
	c := s.c
	ctx, cancel := context.WithTimeout(ctx, c.rt.cfg.StoreTimeout)
	defer cancel()
	query.MaxContent = agent.MaxHistoryContent
	messages, err := c.rt.cfg.Store.Messages(ctx, c.record.RowID, query)
	if err != nil {
		return nil, fmt.Errorf("history of session %s: %w", c.key.ID, err)
	}
	return messages, nil
}

// before selects what was stored before the client joined.
func (s *Subscription) before(ctx context.Context) (journal.MessageQuery, error) {
	c := s.c
	if err := c.ask(ctx, nil, nothing); err != nil { // waits for a reset
		return journal.MessageQuery{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return journal.MessageQuery{Last: c.rt.cfg.ReplayLimit, Before: s.since + 1}, nil
}

// Record goes through the messages and steps stored before the client joined,
// oldest first: at most RuntimeConfig.ReplayLimit of each, the newest. They are
// read in pages of journal.ReplayBytes; an error is the last.
func (s *Subscription) Record(ctx context.Context) iter.Seq2[journal.Entry, error] {
	return func(yield func(journal.Entry, error) bool) {
		query, err := s.before(ctx)
		if err != nil {
			yield(journal.Entry{}, err)
			return
		}
		s.c.reader().Entries(ctx, query)(yield)
	}
}

// reader reads the session's record. The session must be loaded.
func (c *conversation) reader() journal.Reader {
	return journal.Reader{Store: c.rt.cfg.Store, Session: c.record.RowID, Name: c.key.ID, Timeout: c.rt.cfg.StoreTimeout}
}
