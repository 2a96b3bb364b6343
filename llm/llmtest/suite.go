package llmtest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/tmc/langchaingo/llms"
)

// TestModel checks what docent relies on in an llms.Model. open returns a model
// that answers as respond says.
func TestModel(t *testing.T, open func(t *testing.T, respond func(n int, r Request) Reply) llms.Model) {
	for name, check := range map[string]func(t *testing.T, open func(*testing.T, ...Reply) llms.Model){
		"text":           testText,
		"stream":         testStream,
		"tools":          testTools,
		"cancel":         testCancel,
		"refusing sink":  testRefusingSink,
		"broken answer":  testBroken,
		"canceled first": testCanceledFirst,
		"at once":        testAtOnce,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, func(t *testing.T, replies ...Reply) llms.Model { return open(t, Script(replies...)) })
		})
	}
}

var question = []llms.MessageContent{
	llms.TextParts(llms.ChatMessageTypeSystem, "Answer briefly."),
	llms.TextParts(llms.ChatMessageTypeHuman, "What is a tuple?"),
}

func testText(t *testing.T, open func(*testing.T, ...Reply) llms.Model) {
	m := open(t, Reply{Text: []string{"A row", "."}, Reasoning: []string{"hm"}, Finish: "length", Usage: &Usage{7, 3}})
	resp, err := m.GenerateContent(t.Context(), question)
	if err != nil {
		t.Fatal(err)
	}
	if len(resp.Choices) != 1 {
		t.Fatalf("%d choices, want 1", len(resp.Choices))
	}
	c := resp.Choices[0]
	if c.Content != "A row." || c.ReasoningContent != "hm" || c.StopReason != "length" {
		t.Errorf("content %q, reasoning %q, stop reason %q", c.Content, c.ReasoningContent, c.StopReason)
	}
	if c.GenerationInfo["PromptTokens"] != 7 || c.GenerationInfo["CompletionTokens"] != 3 || c.GenerationInfo["TotalTokens"] != 10 {
		t.Errorf("usage is %v", c.GenerationInfo)
	}
	text, err := m.Call(t.Context(), "What is a tuple?") //nolint:staticcheck // the interface has it
	if err != nil || text != "A row." {
		t.Errorf("Call returned %q, %v", text, err)
	}
}

func testStream(t *testing.T, open func(*testing.T, ...Reply) llms.Model) {
	pieces := []string{"Ein ", "Tupel", " ist ", "eine Zeile – ", "✓"}
	m := open(t, Reply{Text: pieces, Reasoning: []string{"think ", "twice"}})
	var text, both, reasoning strings.Builder
	resp, err := m.GenerateContent(t.Context(), question,
		llms.WithStreamingFunc(func(_ context.Context, chunk []byte) error {
			text.Write(chunk)
			return nil
		}),
		llms.WithStreamingReasoningFunc(func(_ context.Context, r, chunk []byte) error {
			reasoning.Write(r)
			both.Write(chunk)
			return nil
		}))
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Join(pieces, "")
	if text.String() != want || both.String() != want || resp.Choices[0].Content != want {
		t.Errorf("streamed %q and %q, returned %q, want %q", text.String(), both.String(), resp.Choices[0].Content, want)
	}
	if reasoning.String() != "think twice" {
		t.Errorf("streamed reasoning %q", reasoning.String())
	}
}

func testTools(t *testing.T, open func(*testing.T, ...Reply) llms.Model) {
	m := open(t,
		Reply{Text: []string{"I look it up."}, ToolCalls: []ToolCall{{"a", "search", `{"q":"tuple"}`}, {"b", "clock", `{}`}}},
		Say("It is a row."))
	tools := llms.WithTools([]llms.Tool{{Type: "function", Function: &llms.FunctionDefinition{Name: "search"}}, {Type: "function", Function: &llms.FunctionDefinition{Name: "clock"}}})
	var streamed strings.Builder
	sink := llms.WithStreamingFunc(func(_ context.Context, chunk []byte) error {
		streamed.Write(chunk)
		return nil
	})
	resp, err := m.GenerateContent(t.Context(), question, tools, sink)
	if err != nil {
		t.Fatal(err)
	}
	c := resp.Choices[0]
	if c.StopReason != "tool_calls" || c.Content != "I look it up." || streamed.String() != "I look it up." {
		t.Errorf("stop reason %q, content %q, streamed %q: text beside calls is kept, calls are never streamed", c.StopReason, c.Content, streamed.String())
	}
	if len(c.ToolCalls) != 2 {
		t.Fatalf("%d tool calls, want 2: %v", len(c.ToolCalls), c.ToolCalls)
	}
	for i, want := range []llms.ToolCall{
		{ID: "a", Type: "function", FunctionCall: &llms.FunctionCall{Name: "search", Arguments: `{"q":"tuple"}`}},
		{ID: "b", Type: "function", FunctionCall: &llms.FunctionCall{Name: "clock", Arguments: `{}`}},
	} {
		got := c.ToolCalls[i]
		if got.ID != want.ID || got.Type != want.Type || *got.FunctionCall != *want.FunctionCall {
			t.Errorf("tool call %d is %+v %+v", i, got, *got.FunctionCall)
		}
	}
	history := append([]llms.MessageContent{}, question...)
	history = append(history,
		llms.MessageContent{Role: llms.ChatMessageTypeAI, Parts: []llms.ContentPart{llms.TextPart(c.Content), c.ToolCalls[0], c.ToolCalls[1]}},
		llms.MessageContent{Role: llms.ChatMessageTypeTool, Parts: []llms.ContentPart{
			llms.ToolCallResponse{ToolCallID: "a", Name: "search", Content: "tuple: a row"},
			llms.ToolCallResponse{ToolCallID: "b", Name: "clock"},
		}})
	resp, err = m.GenerateContent(t.Context(), history, tools)
	if err != nil || resp.Choices[0].Content != "It is a row." {
		t.Errorf("after the tool results: %v, %v", resp, err)
	}
}

func testCancel(t *testing.T, open func(*testing.T, ...Reply) llms.Model) {
	m := open(t, Reply{Text: []string{"one", "two"}, Wait: func(ctx context.Context, piece int) error {
		if piece == 1 {
			<-ctx.Done()
		}
		return ctx.Err()
	}})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	resp, err := m.GenerateContent(ctx, question, llms.WithStreamingFunc(func(context.Context, []byte) error {
		cancel()
		return nil
	}))
	if resp != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("canceled in the middle: %v, %v; want no answer and context.Canceled", resp, err)
	}
}

func testRefusingSink(t *testing.T, open func(*testing.T, ...Reply) llms.Model) {
	m := open(t, Say("one", "two"))
	enough, calls := errors.New("enough"), 0
	resp, err := m.GenerateContent(t.Context(), question, llms.WithStreamingFunc(func(context.Context, []byte) error {
		calls++
		return enough
	}))
	if resp != nil || !errors.Is(err, enough) || calls != 1 {
		t.Errorf("after %d calls: %v, %v; want the function's error after the first", calls, resp, err)
	}
}

func testBroken(t *testing.T, open func(*testing.T, ...Reply) llms.Model) {
	m := open(t, Reply{Text: []string{"half an"}, Err: errors.New("power failure")})
	calls := 0
	resp, err := m.GenerateContent(t.Context(), question, llms.WithStreamingFunc(func(context.Context, []byte) error {
		calls++
		return nil
	}))
	if resp != nil || err == nil || calls != 1 {
		t.Errorf("a broken answer returned %v, %v after %d pieces; want an error and no second try", resp, err, calls)
	}
}

func testCanceledFirst(t *testing.T, open func(*testing.T, ...Reply) llms.Model) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if resp, err := open(t, Say("x")).GenerateContent(ctx, question); resp != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("canceled before: %v, %v", resp, err)
	}
}

func testAtOnce(t *testing.T, open func(*testing.T, ...Reply) llms.Model) {
	m := open(t, Say("a", "b", "c"))
	var wg sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		wg.Go(func() {
			var got strings.Builder
			_, err := m.GenerateContent(t.Context(), question, llms.WithStreamingFunc(func(_ context.Context, chunk []byte) error {
				got.Write(chunk)
				return nil
			}))
			if err == nil && got.String() != "abc" {
				err = fmt.Errorf("streamed %q", got.String())
			}
			errs[i] = err
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
}
