package llm_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tmc/langchaingo/llms"

	"docent/internal/fault"
	"docent/llm"
	"docent/llm/llmtest"
)

// The tests in this file are named after bugs of langchaingo's OpenAI client.
// Each shows that this client does not have the bug.

func frames(f ...string) llmtest.Reply { return llmtest.Reply{Frames: f} }

// delta is an event with the given delta of choice 0.
func deltaFrame(d string) string { return fmt.Sprintf(`{"choices":[{"index":0,"delta":%s}]}`, d) }

func finish(reason string) string {
	return fmt.Sprintf(`{"choices":[{"index":0,"delta":{},"finish_reason":%q}]}`, reason)
}

func calls(c *llms.ContentChoice) string {
	var out []string
	for _, t := range c.ToolCalls {
		out = append(out, t.ID+" "+t.Type+" "+t.FunctionCall.Name+" "+t.FunctionCall.Arguments)
	}
	return strings.Join(out, "; ")
}

func TestFault1ParallelToolCallsInterleaved(t *testing.T) {
	t.Parallel()
	o, _, _ := serve(t, llm.Config{}, frames(
		deltaFrame(`{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f0","arguments":""}}]}`),
		deltaFrame(`{"tool_calls":[{"index":1,"id":"b","type":"function","function":{"name":"f1","arguments":""}}]}`),
		deltaFrame(`{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\""}},{"index":1,"function":{"arguments":"{\"b\""}}]}`),
		deltaFrame(`{"tool_calls":[{"index":1,"function":{"arguments":":2}"}}]}`),
		deltaFrame(`{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]}`),
		finish("tool_calls"), "[DONE]"))
	c, err := ask(t, o)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := calls(c), `a function f0 {"a":1}; b function f1 {"b":2}`; got != want {
		t.Errorf("calls are %s, want %s", got, want)
	}
}

func TestFault2TypeRepeatedOrLeftOut(t *testing.T) {
	t.Parallel()
	for name, f := range map[string][]string{
		"repeated": {
			`{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\""}}]}`,
			`{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":":1}"}}]}`,
		},
		"left out": {
			`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\""}}]}`,
			`{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]}`,
		},
		"no index": {
			`{"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\""}}]}`,
			`{"tool_calls":[{"function":{"arguments":":1}"}}]}`,
		},
		"arguments as a value": {`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":{"x":1}}}]}`},
	} {
		all := []string{}
		for _, d := range f {
			all = append(all, deltaFrame(d))
		}
		o, _, _ := serve(t, llm.Config{}, frames(append(all, finish("tool_calls"), "[DONE]")...))
		c, err := ask(t, o)
		if err != nil {
			t.Fatal(name, err)
		}
		if got, want := calls(c), `a function f {"x":1}`; got != want {
			t.Errorf("%s: calls are %s, want %s", name, got, want)
		}
	}
	// The server sends the same index for all calls, and no ids.
	o, _, _ := serve(t, llm.Config{}, frames(
		deltaFrame(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]}`),
		deltaFrame(`{"tool_calls":[{"index":0,"id":"b","function":{"name":"g","arguments":"{}"}}]}`), finish("tool_calls"), "[DONE]"),
		frames(deltaFrame(`{"tool_calls":[{"function":{"name":"f"}},{"function":{"name":"g"}}]}`), finish("tool_calls"), "[DONE]"))
	for _, want := range []string{"a function f {}; b function g {}", "call_0 function f {}; call_1 function g {}"} {
		if c, err := ask(t, o); err != nil || calls(c) != want {
			t.Errorf("calls are %v (%v), want %s", c, err, want)
		}
	}
}

func TestFault3ToolCallsAreNotStreamedAsText(t *testing.T) {
	t.Parallel()
	o, _, _ := serve(t, llm.Config{}, frames(
		deltaFrame(`{"content":"I look ","tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]}`),
		deltaFrame(`{"content":"it up."}`), finish("tool_calls"), "[DONE]"))
	var got strings.Builder
	c, err := ask(t, o, llms.WithStreamingFunc(func(_ context.Context, chunk []byte) error { got.Write(chunk); return nil }))
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != "I look it up." || c.Content != "I look it up." || calls(c) != "a function f {}" {
		t.Errorf("streamed %q, content %q, calls %s", got.String(), c.Content, calls(c))
	}
}

func TestFault4ErrorsInTheMiddle(t *testing.T) {
	t.Parallel()
	begin := deltaFrame(`{"content":"half"}`)
	for name, c := range map[string]struct {
		reply llmtest.Reply
		kind  fault.Kind
		says  string // in the whole error, which is logged
	}{
		"object":                {frames(begin, `{"error":{"message":"out of memory","type":"server_error"}}`), fault.Unavailable, "out of memory"},
		"text":                  {frames(begin, `{"error":"out of memory"}`), fault.Unavailable, "out of memory"},
		"spaced":                {frames(begin, `{ "error" : {"message":"out of memory"} }`), fault.Unavailable, "out of memory"},
		"beside choices":        {frames(begin, `{"choices":[],"error":{"code":429,"message":"slow down"}}`), fault.RateLimited, "slow down"},
		"after comments":        {frames(begin, ": PROCESSING", ": PROCESSING", `{"error":{"code":502,"message":"upstream"}}`), fault.Unavailable, "upstream"},
		"end without anything":  {frames(begin), fault.Unavailable, "before the answer was complete"},
		"connection cut":        {llmtest.Reply{Frames: []string{begin}, Err: errors.New("cut")}, fault.Unavailable, "before the answer was complete"},
		"garbage":               {frames(begin, `{"choices":`, "[DONE]"), fault.Unavailable, "event"},
		"no choices":            {frames(`{"choices":[]}`, "[DONE]"), fault.Unavailable, "no choices"},
		"choice without bounds": {frames(`{"choices":[{"index":1000000000}]}`), fault.Unavailable, "out of range"},
	} {
		o, s, _ := serve(t, llm.Config{}, c.reply)
		_, err := ask(t, o, llms.WithStreamingFunc(func(context.Context, []byte) error { return nil }))
		if err == nil || fault.KindOf(err) != c.kind || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error is %v (%s), want %s with %q", name, err, fault.KindOf(err), c.kind, c.says)
		}
		if strings.Contains(fault.Message(err), "out of memory") {
			t.Errorf("%s: the server's words reach clients: %s", name, fault.Message(err))
		}
		if n := len(s.Requests()); n != 1 {
			t.Errorf("%s: %d requests after text had been streamed", name, n)
		}
	}
	// Before any text was streamed, a retry is possible.
	o, s, _ := serve(t, llm.Config{}, frames(`{"error":{"message":"warming up"}}`), llmtest.Reply{Err: io.ErrUnexpectedEOF}, llmtest.Say("ok"))
	if c, err := ask(t, o); err != nil || c.Content != "ok" || len(s.Requests()) != 3 {
		t.Errorf("%v, %v after %d requests", c, err, len(s.Requests()))
	}
	// A finish reason ends an answer, like [DONE].
	o, _, _ = serve(t, llm.Config{}, frames(begin, finish("stop")))
	if c, err := ask(t, o); err != nil || c.Content != "half" {
		t.Errorf("%v, %v", c, err)
	}
}

func TestFault5CancelIsAnError(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	defer close(gate)
	o, _, _ := serve(t, llm.Config{}, llmtest.Reply{Text: []string{"one", "two"}, Wait: func(ctx context.Context, piece int) error {
		if piece == 1 {
			select {
			case <-gate:
			case <-ctx.Done():
			}
		}
		return nil
	}})
	ctx, cancel := context.WithCancel(t.Context())
	resp, err := o.GenerateContent(ctx, nil, llms.WithStreamingFunc(func(context.Context, []byte) error { cancel(); return nil }))
	if resp != nil || !errors.Is(err, context.Canceled) || fault.KindOf(err) != fault.Canceled {
		t.Errorf("%v, %v", resp, err)
	}
}

func TestFault6LongLines(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0123456789abcdef", 64<<10) // 1 MiB
	o, _, _ := serve(t, llm.Config{}, llmtest.Say(long, "end"))
	c, err := ask(t, o)
	if err != nil || c.Content != long+"end" {
		t.Errorf("%d bytes, %v", len(c.Content), err)
	}
}

func TestFault7ErrorsHaveATypeAndARetry(t *testing.T) {
	t.Parallel()
	o, s, w := serve(t, llm.Config{},
		llmtest.Reply{Status: 429, Header: http.Header{"Retry-After": {"3"}}, Body: "plain words"},
		llmtest.Reply{Status: 503, Header: http.Header{"Retry-After": {"0.5"}}}, llmtest.Say("ok"))
	c, err := ask(t, o)
	if err != nil || c.Content != "ok" || len(s.Requests()) != 3 {
		t.Fatal(c, err)
	}
	if len(w.d) != 2 || w.d[0] != 3*time.Second || w.d[1] != 500*time.Millisecond {
		t.Errorf("waited %v, want what Retry-After says", w.d)
	}
	// The server asks for longer waits than a call allows, so the call fails.
	for after, requests := range map[string]int{"3600": 1, "60": 1, "3": 2} {
		o, s, _ = serve(t, llm.Config{}, llmtest.Reply{Status: 429, Header: http.Header{"Retry-After": {after}}, Body: "plain words"})
		_, err = ask(t, o)
		var refusal *llm.StatusError
		if !errors.As(err, &refusal) || refusal.RetryAfter.Seconds() < 3 || refusal.Message != "plain words" || len(s.Requests()) != requests {
			t.Errorf("Retry-After %s: %v after %d requests", after, err, len(s.Requests()))
		}
	}
}

func TestFault8FinishReasonIsKept(t *testing.T) {
	t.Parallel()
	o, _, _ := serve(t, llm.Config{}, frames(deltaFrame(`{"content":"x"}`), finish("length"), deltaFrame(`{}`), finish(""),
		`{"choices":[{"index":0,"delta":{},"finish_reason":null}],"usage":{"prompt_tokens":3,"completion_tokens":1,"completion_tokens_details":{"reasoning_tokens":1}}}`, "[DONE]"))
	c, err := ask(t, o)
	if err != nil || c.StopReason != "length" {
		t.Errorf("%v, %v", c, err)
	}
	if c.GenerationInfo[llm.InfoTotalTokens] != 4 || c.GenerationInfo[llm.InfoReasoningTokens] != 1 {
		t.Errorf("usage is %v", c.GenerationInfo)
	}
}

func TestFault9Reasoning(t *testing.T) {
	t.Parallel()
	for _, field := range []string{"reasoning", "reasoning_content"} {
		o, s, _ := serve(t, llm.Config{}, frames(deltaFrame(`{"`+field+`":"so "}`), deltaFrame(`{"`+field+`":"…","content":null}`), deltaFrame(`{"content":"42"}`), finish("stop"), "[DONE]"))
		var streamed, text strings.Builder
		c, err := ask(t, o,
			llms.WithStreamingFunc(func(_ context.Context, chunk []byte) error { text.Write(chunk); return nil }),
			llms.WithStreamingReasoningFunc(func(_ context.Context, r, _ []byte) error { streamed.Write(r); return nil }),
			llms.WithThinkingMode(llms.ThinkingModeLow))
		if err != nil {
			t.Fatal(err)
		}
		if c.ReasoningContent != "so …" || streamed.String() != "so …" || text.String() != "42" || c.Content != "42" {
			t.Errorf("%s: reasoning %q, streamed %q; text %q, streamed %q", field, c.ReasoningContent, streamed.String(), c.Content, text.String())
		}
		if body := string(s.Requests()[0].Body); !strings.Contains(body, `"reasoning_effort":"low"`) {
			t.Errorf("sent %s", body)
		}
	}
	// Some hosts of reasoning models send parts instead of text.
	o, _, _ := serve(t, llm.Config{}, frames(deltaFrame(`{"content":[{"type":"thinking","thinking":[]},{"type":"text","text":"42"}]}`), finish("stop"), "[DONE]"))
	if c, err := ask(t, o); err != nil || c.Content != "42" {
		t.Errorf("%v, %v", c, err)
	}
}

func TestFault10OnlyWhatIsSetIsSent(t *testing.T) {
	t.Parallel()
	zero, half := 0.0, 0.5
	for _, c := range []struct {
		cfg     llm.Config
		options []llms.CallOption
		want    string // in the request; "" means no temperature
	}{
		{llm.Config{}, nil, ""},
		{llm.Config{Temperature: &half}, nil, `"temperature":0.5`},
		{llm.Config{Temperature: &zero}, nil, `"temperature":0.000001`},
		{llm.Config{Temperature: &half}, []llms.CallOption{llms.WithTemperature(1)}, `"temperature":1`},
	} {
		o, s, _ := serve(t, c.cfg, llmtest.Say("ok"))
		if _, err := ask(t, o, c.options...); err != nil {
			t.Fatal(err)
		}
		r := s.Requests()[0]
		if got := strings.Contains(string(r.Body), "temperature"); got != (c.want != "") || !strings.Contains(string(r.Body), c.want) {
			t.Errorf("sent %s, want %q", r.Body, c.want)
		}
		if r.Header.Get("Authorization") != "" {
			t.Errorf("sent Authorization %q without a key", r.Header.Get("Authorization"))
		}
	}
	o, s, _ := serve(t, llm.Config{APIKey: "k"}, frames(
		`{"choices":[{"index":1,"delta":{"content":"b"}},{"index":0,"delta":{"content":"a"}}]}`, finish("stop"),
		`{"choices":[{"index":1,"delta":{},"finish_reason":"length"}]}`, "[DONE]"))
	var streamed strings.Builder
	resp, err := o.GenerateContent(t.Context(), nil, llms.WithN(2), llms.WithStreamingFunc(func(_ context.Context, chunk []byte) error {
		streamed.Write(chunk)
		return nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	if len(resp.Choices) != 2 || resp.Choices[1].Content != "b" || resp.Choices[1].StopReason != "length" || streamed.String() != "a" {
		t.Errorf("choices %+v, streamed %q", resp.Choices, streamed.String())
	}
	if r := s.Requests()[0]; r.Header.Get("Authorization") != "Bearer k" || !strings.Contains(string(r.Body), `"n":2`) {
		t.Errorf("sent %v %s", r.Header, r.Body)
	}
}

func TestServerThatDoesNotStream(t *testing.T) {
	t.Parallel()
	o, _, _ := serve(t, llm.Config{}, llmtest.Reply{Body: "{\n  \"choices\": [\n {\"message\": {\"role\": \"assistant\", \"content\": \"whole\"},\n \"finish_reason\": \"stop\"}],\n \"usage\": {\"prompt_tokens\": 1, \"completion_tokens\": 2}}\n"},
		llmtest.Reply{Body: `{"error":{"message":"in a 200","code":401}}`})
	var streamed strings.Builder
	c, err := ask(t, o, llms.WithStreamingFunc(func(_ context.Context, chunk []byte) error { streamed.Write(chunk); return nil }))
	if err != nil || c.Content != "whole" || streamed.String() != "whole" || c.GenerationInfo[llm.InfoTotalTokens] != 3 {
		t.Errorf("%v, %v, streamed %q", c, err, streamed.String())
	}
	if _, err := ask(t, o); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("error is %v", err)
	}
}
