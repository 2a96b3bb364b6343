package llm

import (
	"context"
	"errors"
	"iter"
	"strings"
	"sync/atomic"

	"github.com/tmc/langchaingo/llms"

	"docent/internal/fault"
)

// Langchain returns a Model for a model of langchaingo.
func Langchain(name string, m llms.Model) Model { return langchain{name, m, &habit{}} }

type langchain struct {
	name  string
	model llms.Model
	habit *habit
}

func (l langchain) Name() string { return l.name }

func (l langchain) Chat(ctx context.Context, req Request) iter.Seq2[Delta, error] {
	return stream(ctx, l.model, req, l.habit)
}

var errNoAnswer = errors.New("the model returned no answer")

// habit holds learned facts about the text of a model.
type habit struct {
	// late says that the model leaves out the mark before its reasoning.
	late atomic.Bool
}

// stream converts langchaingo's callbacks into a sequence, and separates the reasoning
// and the tool calls in the text. Some providers call back from a goroutine of their
// own, so the call runs in one too.
func stream(ctx context.Context, m llms.Model, req Request, learned *habit) iter.Seq2[Delta, error] {
	return func(yield func(Delta, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		c := &call{deltas: make(chan Delta)}
		go c.run(ctx, m, req)
		defer func() {
			cancel()
			for range c.deltas { //nolint:revive // the rest is discarded
			}
		}()
		text := &reading{calls: len(req.Tools) > 0 || !req.JSON, tools: req.Tools, holds: learned.late.Load()}
		pieces := 0
		pass := func(p piece) bool {
			if (p.reasoning != "" || p.restart) && !yield(Delta{Reasoning: p.reasoning, Restart: p.restart, pieces: pieces}, nil) {
				return false
			}
			return p.text == "" || yield(Delta{Text: p.text, pieces: pieces}, nil)
		}
		streamed := false
		for delta := range c.deltas {
			pieces++
			if delta.Reasoning != "" {
				text.apart(delta.Reasoning)
				if !yield(Delta{Reasoning: delta.Reasoning, pieces: pieces}, nil) {
					return
				}
			}
			if streamed = streamed || delta.Text != ""; !pass(text.write(delta.Text)) {
				return
			}
		}
		switch {
		case c.panicked != nil:
			panic(c.panicked) // as if the model ran in the caller's goroutine
		case c.err != nil:
			yield(Delta{}, c.err)
			return
		case !streamed && !pass(text.write(c.answer.Text)): // the model does not stream
			return
		}
		if !pass(text.end(c.answer.StopReason)) {
			return
		}
		learned.late.Store(text.late || text.holds && c.answer.StopReason == "length")
		rest, err := text.finish(c.answer)
		switch {
		case err != nil:
			yield(Delta{}, err)
			return
		case rest != "" && !yield(Delta{Text: rest, pieces: pieces}, nil):
			return
		}
		yield(Delta{Answer: c.answer, pieces: pieces}, nil)
	}
}

// call is a call of a model of langchaingo.
type call struct {
	// deltas receives the pieces. It is closed at the end of the call.
	deltas chan Delta
	// Read the outcome only after deltas is closed.
	answer   *Answer
	err      error
	panicked any
}

func (c *call) run(ctx context.Context, m llms.Model, req Request) {
	defer close(c.deltas)
	defer func() { c.panicked = recover() }()
	options := append(options(req),
		llms.WithStreamingFunc(func(_ context.Context, text []byte) error { return c.send(ctx, Delta{Text: string(text)}) }),
		llms.WithStreamingReasoningFunc(func(_ context.Context, reasoning, _ []byte) error {
			return c.send(ctx, Delta{Reasoning: string(reasoning)})
		}))
	resp, err := m.GenerateContent(ctx, messages(orderly(req.Messages)), options...)
	switch {
	case err != nil:
		c.err = err
	case ctx.Err() != nil:
		c.err = ctx.Err()
	case resp == nil || len(resp.Choices) == 0 || resp.Choices[0] == nil:
		c.err = fault.Wrap(fault.Unavailable, errNoAnswer, "model_answer_missing", "the model returned no answer; ask again")
	default:
		c.answer = answerOf(resp.Choices[0])
	}
}

func (c *call) send(ctx context.Context, d Delta) error {
	if d == (Delta{}) {
		return nil
	}
	select {
	case c.deltas <- d:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// options returns a request without its messages in the form of langchaingo.
func options(req Request) []llms.CallOption {
	var out []llms.CallOption
	if req.MaxTokens > 0 {
		out = append(out, llms.WithMaxTokens(req.MaxTokens))
	}
	if req.JSON {
		out = append(out, llms.WithJSONMode())
	}
	if len(req.Tools) > 0 {
		tools := make([]llms.Tool, len(req.Tools))
		for i, t := range req.Tools {
			tools[i] = llms.Tool{
				Type:     "function",
				Function: &llms.FunctionDefinition{Name: t.Name, Description: t.Description, Parameters: t.Parameters},
			}
		}
		out = append(out, llms.WithTools(tools))
	}
	return out
}

var roles = map[Role]llms.ChatMessageType{
	System: llms.ChatMessageTypeSystem, User: llms.ChatMessageTypeHuman,
	Assistant: llms.ChatMessageTypeAI, ToolResult: llms.ChatMessageTypeTool,
}

// messages returns messages in the form of langchaingo.
func messages(list []Message) []llms.MessageContent {
	out := make([]llms.MessageContent, len(list))
	for i, m := range list {
		c := llms.MessageContent{Role: roles[m.Role]}
		if m.Role == ToolResult {
			c.Parts = []llms.ContentPart{llms.ToolCallResponse{ToolCallID: m.CallID, Name: m.Name, Content: withoutTokens(m.Text)}}
			out[i] = c
			continue
		}
		if m.Text != "" || len(m.Calls) == 0 {
			c.Parts = append(c.Parts, llms.TextPart(withoutTokens(m.Text)))
		}
		for _, image := range m.Images {
			c.Parts = append(c.Parts, llms.BinaryPart(image.MediaType, image.Data))
		}
		for _, t := range m.Calls {
			c.Parts = append(c.Parts, llms.ToolCall{
				ID: t.ID, Type: "function",
				FunctionCall: &llms.FunctionCall{Name: t.Name, Arguments: t.Arguments},
			})
		}
		out[i] = c
	}
	return out
}

// stopReason returns the reason for the end of an answer in OpenAI's words, for those of
// Anthropic, Cohere, Gemini, Mistral, TGI, and Zhipu.
func stopReason(said string) string {
	switch word := strings.ToLower(said); word {
	case "max_tokens", "max_output_tokens", "max_length", "model_length", "token_limit", "model_context_window_exceeded":
		return "length"
	case "eos", "eos_token", "end_turn", "stop_sequence", "complete", "stop", "end":
		return "stop"
	case "safety", "recitation", "blocklist", "prohibited_content", "spii", "sensitive", "content_filtered", "refusal":
		return "content_filter"
	case "length", "content_filter":
		return word
	default:
		return said
	}
}

// answerOf converts an answer of langchaingo.
func answerOf(c *llms.ContentChoice) *Answer {
	a := &Answer{Text: c.Content, Reasoning: c.ReasoningContent, StopReason: stopReason(c.StopReason)}
	for _, t := range c.ToolCalls {
		call := Call{ID: t.ID}
		if t.FunctionCall != nil {
			call.Name, call.Arguments = t.FunctionCall.Name, t.FunctionCall.Arguments
		}
		a.Calls = append(a.Calls, call)
	}
	if c.FuncCall != nil && len(a.Calls) == 0 { // older models of langchaingo
		a.Calls = []Call{{Name: c.FuncCall.Name, Arguments: c.FuncCall.Arguments}}
	}
	read, ok := c.GenerationInfo[InfoPromptTokens].(int)
	written, ok2 := c.GenerationInfo[InfoCompletionTokens].(int)
	if ok || ok2 {
		a.Usage = &Usage{Prompt: read, Completion: written}
	}
	return a
}
