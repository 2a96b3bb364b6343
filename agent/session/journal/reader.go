package journal

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"docent/agent/chat"
	"docent/internal/fault"
	"docent/payload"
)

// ReplayBytes bounds the content of messages that a Reader holds at once. It bounds the payloads of
// steps separately. A larger single entry is read as a whole. Sessions without files rarely need
// more than one page.
const ReplayBytes = 4 << 20

// maxPage bounds the entries of one page of Reader.After.
const maxPage = 1000

// Reader reads the record of one session in pages of ReplayBytes.
type Reader struct {
	// Store has the session.
	Store Store
	// Session is the session's row id.
	Session int64
	// Name is the session's public id, for errors.
	Name string
	// Timeout bounds each call of the store.
	Timeout time.Duration
}

// Messages returns the selected messages, oldest first.
func (r Reader) Messages(ctx context.Context, query MessageQuery) ([]chat.Message, error) {
	ctx, cancel := context.WithTimeout(ctx, r.Timeout)
	defer cancel()
	messages, err := r.Store.Messages(ctx, r.Session, query)
	if err != nil {
		return nil, fmt.Errorf("messages of session %s: %w", r.Name, err)
	}
	return messages, nil
}

// Documents returns the documents of the session, oldest first.
func (r Reader) Documents(ctx context.Context) ([]Document, error) {
	ctx, cancel := context.WithTimeout(ctx, r.Timeout)
	defer cancel()
	documents, err := r.Store.SessionDocuments(ctx, r.Session)
	if err != nil {
		return nil, fmt.Errorf("documents of session %s: %w", r.Name, err)
	}
	return documents, nil
}

// maxAfterOptions bounds the messages between options and their answer.
const maxAfterOptions = 1000

// CheckAnswers fails with fault.Conflict unless the options with a sequence number are the open
// question of the session: no message of a user and no other options follow. It accepts 0.
func (r Reader) CheckAnswers(ctx context.Context, options int64) error {
	if options == 0 {
		return nil
	}
	messages, err := r.Messages(ctx, MessageQuery{After: options - 1, Last: maxAfterOptions, MaxContent: NoContent})
	if err != nil {
		return err
	}
	closes := func(m chat.Message) bool { return m.IsUser || m.Type == payload.TypeOptions }
	if len(messages) == 0 || messages[0].Seq != options || messages[0].IsUser || messages[0].Type != payload.TypeOptions ||
		slices.ContainsFunc(messages[1:], closes) {
		return fault.New(fault.Conflict, "options_closed",
			"the conversation has gone on since these options; choose from the newest ones, or send another message")
	}
	return nil
}

// After yields all entries after a sequence number up to another, oldest first. An
// error is the last value.
func (r Reader) After(ctx context.Context, after, last int64) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		for ; after < last; after += maxPage {
			query := MessageQuery{After: after, Before: min(last, after+maxPage) + 1, Replaced: true, Last: maxPage}
			for e, err := range r.Entries(ctx, query) {
				if !yield(e, err) || err != nil {
					return
				}
			}
		}
	}
}

// Entries yields the selected messages and steps, oldest first. An error is the
// last value.
func (r Reader) Entries(ctx context.Context, query MessageQuery) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		query.Bytes = ReplayBytes
		messages := &pages[chat.Message]{Reader: r, query: query, read: r.Store.Messages}
		messages.seq = func(m *chat.Message) int64 { return m.Seq }
		steps := &pages[chat.Reasoning]{Reader: r, query: query, read: r.Store.Steps}
		steps.seq = func(s *chat.Reasoning) int64 { return s.Seq }
		for at := query.After; at < query.Before-1; {
			// Sequence numbers have gaps only after a reset. So the next entry is
			// mostly known without another page of the other table.
			if !messages.next(at+1) && !steps.next(at+1) {
				if err := cmp.Or(messages.fill(ctx), steps.fill(ctx)); err != nil {
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

// pages reads one table of a session's record page by page.
type pages[T any] struct {
	Reader
	query MessageQuery
	read  func(ctx context.Context, session int64, query MessageQuery) ([]T, error)
	seq   func(*T) int64
	page  []T // unread rest of the current page
	done  bool
}

// next reports whether the next row of the page has a sequence number.
func (p *pages[T]) next(seq int64) bool { return len(p.page) > 0 && p.seq(&p.page[0]) == seq }

// fill reads the next page if the current one is used up.
func (p *pages[T]) fill(ctx context.Context) error {
	if len(p.page) > 0 || p.done {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, p.Timeout)
	defer cancel()
	page, err := p.read(ctx, p.Session, p.query)
	if err != nil {
		return fmt.Errorf("record of session %s: %w", p.Name, err)
	}
	p.page = page
	p.query.Last -= len(page)
	if p.done = len(page) == 0 || p.query.Last <= 0; len(page) > 0 {
		p.query.After = p.seq(&page[len(page)-1])
	}
	return nil
}

// take removes the next row from the page and returns it.
func (p *pages[T]) take() *T {
	first := p.page[0]
	var none T
	p.page[0] = none
	p.page = p.page[1:]
	return &first
}
