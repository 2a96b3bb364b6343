package llmtest

import (
	"context"
	"strings"
	"sync"

	"github.com/tmc/langchaingo/llms"
)

// Model is an llms.Model that answers from a script without a network. It
// keeps the rules that docent's own adapter keeps. It is safe for concurrent use.
type Model struct {
	respond func(n int, r Request) Reply

	mu       sync.Mutex
	n        int
	requests []Request
}

var _ llms.Model = (*Model)(nil)

// NewModel returns a model that answers the nth call, from 0, with what respond
// returns; see [Script].
func NewModel(respond func(n int, r Request) Reply) *Model { return &Model{respond: respond} }

// Requests returns the calls received so far, the newest thousand.
func (m *Model) Requests() []Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]Request(nil), m.requests...)
}

// Call asks a single question.
//
// Deprecated: it is there for langchaingo's interface; use GenerateContent.
func (m *Model) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, options...)
}

// GenerateContent plays the next reply.
func (m *Model) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	var opts llms.CallOptions
	for _, option := range options {
		option(&opts)
	}
	r := m.next(messages, opts)
	for _, t := range r.Reasoning {
		if err := stream(ctx, opts, t, ""); err != nil {
			return nil, err
		}
	}
	for i, t := range r.Text {
		if r.Wait != nil {
			if err := r.Wait(ctx, i); err != nil {
				return nil, err
			}
		}
		if err := stream(ctx, opts, "", t); err != nil {
			return nil, err
		}
	}
	if r.Err != nil {
		return nil, r.Err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c := &llms.ContentChoice{
		Content: strings.Join(r.Text, ""), ReasoningContent: strings.Join(r.Reasoning, ""),
		StopReason: r.finish(), GenerationInfo: map[string]any{"Model": opts.Model},
	}
	if r.Usage != nil {
		c.GenerationInfo["PromptTokens"] = r.Usage.Prompt
		c.GenerationInfo["CompletionTokens"] = r.Usage.Completion
		c.GenerationInfo["TotalTokens"] = r.Usage.Prompt + r.Usage.Completion
	}
	for _, t := range r.ToolCalls {
		c.ToolCalls = append(c.ToolCalls, llms.ToolCall{ID: t.ID, Type: "function", FunctionCall: &llms.FunctionCall{Name: t.Name, Arguments: t.Arguments}})
	}
	if len(c.ToolCalls) > 0 {
		c.FuncCall = c.ToolCalls[0].FunctionCall
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{c}}, nil
}

// next records the call and returns its reply.
func (m *Model) next(messages []llms.MessageContent, opts llms.CallOptions) Reply {
	req := Request{Model: opts.Model, Stream: opts.StreamingFunc != nil || opts.StreamingReasoningFunc != nil}
	for _, t := range opts.Tools {
		if t.Function != nil {
			req.Tools = append(req.Tools, t.Function.Name)
		}
	}
	roles := map[llms.ChatMessageType]string{
		llms.ChatMessageTypeSystem: "system", llms.ChatMessageTypeHuman: "user", llms.ChatMessageTypeGeneric: "user",
		llms.ChatMessageTypeAI: "assistant", llms.ChatMessageTypeTool: "tool", llms.ChatMessageTypeFunction: "tool",
	}
	for _, msg := range messages {
		var texts []string
		for _, p := range msg.Parts {
			switch p := p.(type) {
			case llms.TextContent:
				texts = append(texts, p.Text)
			case llms.ToolCallResponse:
				texts = append(texts, p.Content)
			}
		}
		req.Messages = append(req.Messages, Message{roles[msg.Role], strings.Join(texts, "\n")})
	}
	m.mu.Lock()
	n := m.n
	m.n++
	m.requests = append(m.requests, req)
	if len(m.requests) > keep {
		m.requests = m.requests[len(m.requests)-keep:]
	}
	m.mu.Unlock()
	return m.respond(n, req)
}

func stream(ctx context.Context, opts llms.CallOptions, reasoning, text string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if opts.StreamingFunc != nil && text != "" {
		if err := opts.StreamingFunc(ctx, []byte(text)); err != nil {
			return err
		}
	}
	if opts.StreamingReasoningFunc != nil && reasoning+text != "" {
		return opts.StreamingReasoningFunc(ctx, []byte(reasoning), []byte(text))
	}
	return nil
}
