package llm_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/tmc/langchaingo/llms"

	"docent/llm"
)

// provider is one of langchaingo's models.
type provider func(ctx context.Context, messages []llms.MessageContent, opts llms.CallOptions) (*llms.ContentResponse, error)

func (p provider) GenerateContent(
	ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption,
) (*llms.ContentResponse, error) {
	var opts llms.CallOptions
	for _, o := range options {
		o(&opts)
	}
	return p(ctx, messages, opts)
}

func (provider) Call(context.Context, string, ...llms.CallOption) (string, error) { return "", nil }

func says(c *llms.ContentChoice) provider {
	return func(context.Context, []llms.MessageContent, llms.CallOptions) (*llms.ContentResponse, error) {
		return &llms.ContentResponse{Choices: []*llms.ContentChoice{c}}, nil
	}
}

func TestLangchainWithoutStream(t *testing.T) {
	t.Parallel()
	m := llm.Langchain("old", says(&llms.ContentChoice{
		Content: "All at once.", FuncCall: &llms.FunctionCall{Name: "f", Arguments: "{}"}, GenerationInfo: map[string]any{llm.InfoPromptTokens: 7},
	}))
	var text strings.Builder
	var answer *llm.Answer
	for d, err := range m.Chat(t.Context(), llm.Request{}) {
		if err != nil {
			t.Fatal(err)
		}
		text.WriteString(d.Text)
		answer = d.Answer
	}
	if m.Name() != "old" || text.String() != "All at once." || answer == nil || answer.Text != text.String() || *answer.Usage != (llm.Usage{Prompt: 7}) {
		t.Errorf("streamed %q, answered %+v", text.String(), answer)
	}
	if len(answer.Calls) != 1 || answer.Calls[0] != (llm.Call{Name: "f", Arguments: "{}"}) {
		t.Errorf("the calls are %+v", answer.Calls)
	}
}

func TestLangchainWithoutAnswer(t *testing.T) {
	t.Parallel()
	if a, err := llm.Ask(t.Context(), llm.Langchain("m", says(nil)), llm.Request{}); err == nil {
		t.Errorf("no choice is the answer %+v", a)
	}
	failing := provider(func(context.Context, []llms.MessageContent, llms.CallOptions) (*llms.ContentResponse, error) {
		return nil, errors.New("away")
	})
	if _, err := llm.Ask(t.Context(), llm.Langchain("m", failing), llm.Request{}); err == nil || err.Error() != "away" {
		t.Errorf("the error is %v", err)
	}
}

// A panic of a provider reaches the caller, as if there were no goroutine.
func TestLangchainPanics(t *testing.T) {
	t.Parallel()
	defer func() {
		if p := recover(); p != "secret" {
			t.Errorf("recovered %v", p)
		}
	}()
	_, err := llm.Ask(t.Context(), llm.Langchain("m", provider(
		func(context.Context, []llms.MessageContent, llms.CallOptions) (*llms.ContentResponse, error) {
			panic("secret")
		})), llm.Request{})
	t.Errorf("after a panic: %v", err)
}

// A provider may call back from its own goroutine, even after the caller has left
// the loop.
func TestLangchainIsLeft(t *testing.T) {
	t.Parallel()
	var last error
	chatty := provider(func(ctx context.Context, _ []llms.MessageContent, opts llms.CallOptions) (*llms.ContentResponse, error) {
		done := make(chan error)
		go func() {
			for {
				if err := opts.StreamingFunc(ctx, []byte("x")); err != nil {
					done <- err
					return
				}
			}
		}()
		last = <-done
		return nil, last
	})
	for _, err := range llm.Langchain("m", chatty).Chat(t.Context(), llm.Request{}) {
		if err != nil {
			t.Fatal(err)
		}
		break
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("the call ended with %v", last)
	}
}

func TestLangchainRequest(t *testing.T) {
	t.Parallel()
	var got []llms.MessageContent
	var opts llms.CallOptions
	m := llm.Langchain("m", provider(func(_ context.Context, messages []llms.MessageContent, o llms.CallOptions) (*llms.ContentResponse, error) {
		got, opts = messages, o
		return &llms.ContentResponse{Choices: []*llms.ContentChoice{{}}}, nil
	}))
	_, err := llm.Ask(t.Context(), m, llm.Request{
		MaxTokens: 9, JSON: true, Tools: []llm.Tool{{Name: "f", Description: "d", Parameters: map[string]any{}}},
		Messages: []llm.Message{
			llm.Text(llm.System, "s"),
			{Role: llm.User, Text: "u", Images: []llm.Image{{MediaType: "image/png", Data: []byte("p")}}},
			{Role: llm.Assistant, Calls: []llm.Call{{ID: "a", Name: "f", Arguments: "{}"}}},
			{Role: llm.ToolResult, CallID: "a", Name: "f", Text: "done"},
		},
	})
	if err != nil || len(got) != 4 || opts.MaxTokens != 9 || !opts.JSONMode || len(opts.Tools) != 1 || opts.Tools[0].Function.Name != "f" {
		t.Fatalf("%d messages, options %+v, %v", len(got), opts, err)
	}
	if got[0].Role != llms.ChatMessageTypeSystem || len(got[1].Parts) != 2 || len(got[2].Parts) != 1 {
		t.Errorf("the messages are %+v", got)
	}
	if r, ok := got[3].Parts[0].(llms.ToolCallResponse); !ok || r.ToolCallID != "a" || r.Content != "done" || got[3].Role != llms.ChatMessageTypeTool {
		t.Errorf("the tool result is %+v", got[3])
	}
}
