package llmtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"docent/llm"
)

// TestModel tests an llm.Model. open returns a model that answers with the
// results of respond.
func TestModel(t *testing.T, open func(t *testing.T, respond func(n int, r Request) Reply) llm.Model) {
	for name, check := range map[string]func(t *testing.T, open func(*testing.T, ...Reply) llm.Model){
		"text":           testText,
		"stream":         testStream,
		"tools":          testTools,
		"cancel":         testCancel,
		"leave":          testLeave,
		"broken answer":  testBroken,
		"canceled first": testCanceledFirst,
		"at once":        testAtOnce,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, func(t *testing.T, replies ...Reply) llm.Model { return open(t, Script(replies...)) })
		})
	}
}

var question = llm.Request{Messages: []llm.Message{llm.Text(llm.System, "Answer briefly."), llm.Text(llm.User, "What is a tuple?")}}

func testText(t *testing.T, open func(*testing.T, ...Reply) llm.Model) {
	m := open(t, Reply{Text: []string{"A row", "."}, Reasoning: []string{"hm"}, Finish: "length", Usage: &Usage{7, 3}})
	if m.Name() == "" {
		t.Error("the model has no name")
	}
	a, err := llm.Ask(t.Context(), m, question)
	if err != nil {
		t.Fatal(err)
	}
	if a.Text != "A row." || a.Reasoning != "hm" || a.StopReason != "length" {
		t.Errorf("text %q, reasoning %q, stop reason %q", a.Text, a.Reasoning, a.StopReason)
	}
	if a.Usage == nil || *a.Usage != (llm.Usage{Prompt: 7, Completion: 3}) {
		t.Errorf("usage is %v", a.Usage)
	}
}

func testStream(t *testing.T, open func(*testing.T, ...Reply) llm.Model) {
	pieces := []string{"Ein ", "Tupel", " ist ", "eine Zeile – ", "✓"}
	m := open(t, Reply{Text: pieces, Reasoning: []string{"think ", "twice"}})
	var text, reasoning strings.Builder
	var answer *llm.Answer
	for d, err := range m.Chat(t.Context(), question) {
		if err != nil {
			t.Fatal(err)
		}
		if answer != nil {
			t.Errorf("after the answer comes %+v", d)
		}
		text.WriteString(d.Text)
		reasoning.WriteString(d.Reasoning)
		answer = d.Answer
	}
	want := strings.Join(pieces, "")
	if answer == nil || text.String() != want || answer.Text != want {
		t.Errorf("streamed %q, answered %+v, want %q", text.String(), answer, want)
	}
	if reasoning.String() != "think twice" {
		t.Errorf("streamed reasoning %q", reasoning.String())
	}
}

func testTools(t *testing.T, open func(*testing.T, ...Reply) llm.Model) {
	m := open(t,
		Reply{Text: []string{"I look it up."}, ToolCalls: []ToolCall{{"a", "search", `{"q":"tuple"}`}, {"b", "clock", `{}`}}},
		Say("It is a row."))
	req := question
	req.Tools = []llm.Tool{{Name: "search"}, {Name: "clock"}}
	a, err := llm.Ask(t.Context(), m, req)
	if err != nil {
		t.Fatal(err)
	}
	if a.StopReason != "tool_calls" || a.Text != "I look it up." {
		t.Errorf("stop reason %q, text %q: text beside calls is kept", a.StopReason, a.Text)
	}
	if want := []llm.Call{
		{ID: "a", Name: "search", Arguments: `{"q":"tuple"}`},
		{ID: "b", Name: "clock", Arguments: `{}`},
	}; !slices.Equal(a.Calls, want) {
		t.Fatalf("the calls are %+v, want %+v", a.Calls, want)
	}
	req.Messages = append(slices.Clone(req.Messages),
		llm.Message{Role: llm.Assistant, Text: a.Text, Calls: a.Calls},
		llm.Message{Role: llm.ToolResult, CallID: "a", Name: "search", Text: "tuple: a row"},
		llm.Message{Role: llm.ToolResult, CallID: "b", Name: "clock"})
	if a, err = llm.Ask(t.Context(), m, req); err != nil || a.Text != "It is a row." {
		t.Errorf("after the tool results: %+v, %v", a, err)
	}
}

// blocking returns a reply that waits before its second piece until its call
// ends.
func blocking() Reply {
	return Reply{Text: []string{"one", "two"}, Wait: func(ctx context.Context, piece int) error {
		if piece == 1 {
			<-ctx.Done()
		}
		return ctx.Err()
	}}
}

func testCancel(t *testing.T, open func(*testing.T, ...Reply) llm.Model) {
	m := open(t, blocking())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last error
	for d, err := range m.Chat(ctx, question) {
		cancel()
		if d.Answer != nil {
			t.Error("a canceled call answers")
		}
		last = err
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("canceled in the middle: %v, want context.Canceled", last)
	}
}

func testLeave(t *testing.T, open func(*testing.T, ...Reply) llm.Model) {
	m := open(t, Say("one", "two"))
	pieces := 0
	for _, err := range m.Chat(t.Context(), question) {
		if err != nil {
			t.Fatal(err)
		}
		pieces++
		break
	}
	if pieces != 1 {
		t.Errorf("%d pieces", pieces)
	}
}

func testBroken(t *testing.T, open func(*testing.T, ...Reply) llm.Model) {
	m := open(t, Reply{Text: []string{"half an"}, Err: errors.New("power failure")})
	pieces, failed := 0, 0
	for d, err := range m.Chat(t.Context(), question) {
		switch {
		case err != nil:
			failed++
		case d.Answer != nil:
			t.Error("a broken answer is whole")
		default:
			pieces++
		}
	}
	if pieces != 1 || failed != 1 {
		t.Errorf("%d pieces and %d errors; want one each and no second try", pieces, failed)
	}
}

func testCanceledFirst(t *testing.T, open func(*testing.T, ...Reply) llm.Model) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if a, err := llm.Ask(ctx, open(t, Say("x")), question); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled before: %+v, %v", a, err)
	}
}

func testAtOnce(t *testing.T, open func(*testing.T, ...Reply) llm.Model) {
	m := open(t, Say("a", "b", "c"))
	var wg sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		wg.Go(func() {
			var got strings.Builder
			for d, err := range m.Chat(t.Context(), question) {
				if err != nil {
					errs[i] = err
					return
				}
				got.WriteString(d.Text)
			}
			if got.String() != "abc" {
				errs[i] = fmt.Errorf("streamed %q", got.String())
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
}
