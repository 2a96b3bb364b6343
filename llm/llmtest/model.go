package llmtest

import (
	"context"
	"iter"
	"strings"
	"sync"

	"docent/llm"
)

// Model is an llm.Model that answers from a script without a network. It follows
// the same rules as docent's client. It is safe for concurrent use.
type Model struct {
	respond func(n int, r Request) Reply

	mu       sync.Mutex
	n        int
	requests []Request
}

var _ llm.Model = (*Model)(nil)

// NewModel returns a model that answers the nth call with respond(n), counted
// from 0; see [Script].
func NewModel(respond func(n int, r Request) Reply) *Model { return &Model{respond: respond} }

// Requests returns the latest thousand calls.
func (m *Model) Requests() []Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]Request(nil), m.requests...)
}

// Name is "scripted".
func (m *Model) Name() string { return "scripted" }

// Chat yields the next reply.
func (m *Model) Chat(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		r := m.next(req)
		for _, t := range r.Reasoning {
			if !play(ctx, yield, llm.Delta{Reasoning: t}) {
				return
			}
		}
		for i, t := range r.Text {
			if r.Wait != nil {
				if err := r.Wait(ctx, i); err != nil {
					yield(llm.Delta{}, err)
					return
				}
			}
			if !play(ctx, yield, llm.Delta{Text: t}) {
				return
			}
		}
		if r.Err != nil {
			yield(llm.Delta{}, r.Err)
			return
		}
		a := &llm.Answer{Text: strings.Join(r.Text, ""), Reasoning: strings.Join(r.Reasoning, ""), StopReason: r.finish()}
		if r.Usage != nil {
			a.Usage = &llm.Usage{Prompt: r.Usage.Prompt, Completion: r.Usage.Completion}
		}
		for _, t := range r.ToolCalls {
			a.Calls = append(a.Calls, llm.Call{ID: t.ID, Name: t.Name, Arguments: t.Arguments})
		}
		play(ctx, yield, llm.Delta{Answer: a})
	}
}

// play yields a piece, or the error of ctx; false ends the reply.
func play(ctx context.Context, yield func(llm.Delta, error) bool, d llm.Delta) bool {
	if err := ctx.Err(); err != nil {
		yield(llm.Delta{}, err)
		return false
	}
	return yield(d, nil)
}

// next records the call and returns its reply.
func (m *Model) next(r llm.Request) Reply {
	req := Request{Stream: true}
	for _, t := range r.Tools {
		req.Tools = append(req.Tools, t.Name)
	}
	for _, msg := range r.Messages {
		req.Messages = append(req.Messages, Message{string(msg.Role), msg.Text})
	}
	m.mu.Lock()
	n := m.n
	m.n++
	m.requests = append(m.requests, req)
	if len(m.requests) > maxKept {
		m.requests = m.requests[len(m.requests)-maxKept:]
	}
	m.mu.Unlock()
	return m.respond(n, req)
}
