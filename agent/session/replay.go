package session

import (
	"cmp"
	"context"
	"fmt"
	"iter"

	"docent/agent"
)

// ReplayBytes bounds what Subscription.Record holds at once of the contents of
// messages and as much of the payloads of steps; only one that alone has more is
// held whole. It is far above what a conversation without files has, so that
// most need one page.
const ReplayBytes = 4 << 20

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
func (s *Subscription) before(ctx context.Context) (MessageQuery, error) {
	c := s.c
	if err := c.ask(ctx, nil, nothing); err != nil { // waits for a reset
		return MessageQuery{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return MessageQuery{Last: c.rt.cfg.ReplayLimit, Before: s.since + 1}, nil
}

// Record goes through the messages and steps stored before the client joined,
// oldest first: at most RuntimeConfig.ReplayLimit of each, the newest. They are
// read in pages of ReplayBytes; an error is the last.
func (s *Subscription) Record(ctx context.Context) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		query, err := s.before(ctx)
		if err != nil {
			yield(Entry{}, err)
			return
		}
		s.c.entries(ctx, query)(yield)
	}
}

// entries goes through a part of the session's record, oldest first, in pages of
// ReplayBytes. An error is the last.
func (c *conversation) entries(ctx context.Context, query MessageQuery) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		query.Bytes = ReplayBytes
		store, row := c.rt.cfg.Store, c.record.RowID
		messages := &pages[agent.ChatMessage]{c: c, query: query, read: store.Messages, seq: func(m *agent.ChatMessage) int64 { return m.Seq }}
		steps := &pages[agent.ReasoningRecord]{c: c, query: query, read: store.Steps, seq: func(r *agent.ReasoningRecord) int64 { return r.Seq }}
		for at := query.After; at < query.Before-1; {
			// Seqs have no gaps but where a reset was: mostly what comes next is
			// known without asking for the next page of the other.
			if !messages.seqs(at+1) && !steps.seqs(at+1) {
				if err := cmp.Or(messages.fill(ctx, row), steps.fill(ctx, row)); err != nil {
					yield(Entry{}, err)
					return
				}
			}
			e := Entry{}
			switch {
			case len(messages.page) == 0 && len(steps.page) == 0:
				return
			case len(steps.page) == 0, len(messages.page) > 0 && messages.page[0].Seq < steps.page[0].Seq:
				e.Message = messages.take()
			default:
				e.Step = steps.take()
			}
			at = e.Seq()
			if !yield(e, nil) {
				return
			}
		}
	}
}

// pages reads a table of a session's record page by page.
type pages[T any] struct {
	c     *conversation
	query MessageQuery
	read  func(ctx context.Context, session int64, query MessageQuery) ([]T, error)
	seq   func(*T) int64
	page  []T // what is left of it
	done  bool
}

// seqs reports whether the next of the page has that seq.
func (p *pages[T]) seqs(seq int64) bool { return len(p.page) > 0 && p.seq(&p.page[0]) == seq }

// fill reads the next page if nothing is left of the one before.
func (p *pages[T]) fill(ctx context.Context, session int64) error {
	if len(p.page) > 0 || p.done {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, p.c.rt.cfg.StoreTimeout)
	defer cancel()
	page, err := p.read(ctx, session, p.query)
	if err != nil {
		return fmt.Errorf("record of session %s: %w", p.c.key.ID, err)
	}
	p.page = page
	p.query.Last -= len(page)
	if p.done = len(page) == 0 || p.query.Last <= 0; len(page) > 0 {
		p.query.After = p.seq(&page[len(page)-1])
	}
	return nil
}

// take returns the next of the page, and lets it go.
func (p *pages[T]) take() *T {
	first := p.page[0]
	var none T
	p.page[0] = none
	p.page = p.page[1:]
	return &first
}
