package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tmc/langchaingo/llms"
	"go.uber.org/goleak"

	"docent/internal/fault"
	"docent/internal/openai"
	"docent/llm"
	"docent/llm/llmtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve starts a scripted server and returns a model on it whose retries do
// not wait.
func serve(t *testing.T, cfg llm.Config, replies ...llmtest.Reply) (*llm.OpenAI, *llmtest.Server, *waits) {
	t.Helper()
	s := llmtest.NewServer(llmtest.Script(replies...))
	s.Probes = true
	t.Cleanup(s.Close)
	if cfg.BaseURL == "" {
		cfg.BaseURL = s.URL
	}
	if cfg.Model == "" {
		cfg.Model = "m"
	}
	o, err := llm.NewOpenAI(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(o.Config().HTTPClient.CloseIdleConnections)
	w := &waits{}
	o.SetWait(w.wait)
	return o, s, w
}

// waits records the pauses between retries instead of waiting.
type waits struct{ d []time.Duration }

func (w *waits) wait(ctx context.Context, d time.Duration) error {
	w.d = append(w.d, d)
	return ctx.Err()
}

func ask(t *testing.T, o *llm.OpenAI, options ...llms.CallOption) (*llms.ContentChoice, error) {
	t.Helper()
	resp, err := o.GenerateContent(t.Context(), []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "q")}, options...)
	if err != nil {
		if resp != nil {
			t.Errorf("an answer beside the error %v", err)
		}
		return nil, err
	}
	return resp.Choices[0], nil
}

func TestConformance(t *testing.T) {
	t.Parallel()
	llmtest.TestModel(t, func(t *testing.T, respond func(int, llmtest.Request) llmtest.Reply) llm.Model {
		s := llmtest.NewServer(respond)
		t.Cleanup(s.Close)
		o, err := llm.NewOpenAI(llm.Config{BaseURL: s.URL, Model: "m", Backoff: time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(o.Config().HTTPClient.CloseIdleConnections)
		return o
	})
}

func TestConfigNamesTheField(t *testing.T) {
	t.Parallel()
	hot := 3.0
	for field, cfg := range map[string]llm.Config{
		"Config.Model":       {},
		"Config.BaseURL":     {Model: "m", BaseURL: "localhost:11434"},
		"password":           {Model: "m", BaseURL: "http://me:secret@localhost/v1"},
		"query":              {Model: "m", BaseURL: "http://localhost/v1?key=secret"},
		"Config.APIKey":      {Model: "m", APIKey: "secret\n"},
		"Config.Temperature": {Model: "m", Temperature: &hot},
		"Config.MaxTokens":   {Model: "m", MaxTokens: -1},
		"Config.Timeout":     {Model: "m", Timeout: -1},
	} {
		_, err := llm.NewOpenAI(cfg)
		if err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("error is %v, want one about %s", err, field)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("the error repeats a secret: %v", err)
		}
	}
}

func TestStatusesBecomeFaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status int
		body   string
		kind   fault.Kind
		tries  int
		says   string
	}{
		{401, `{"error":{"message":"Incorrect API key provided: sk-secret","code":"invalid_api_key"}}`, fault.Unavailable, 1, "DOCENT_KEY"},
		{403, `forbidden`, fault.Unavailable, 1, "DOCENT_KEY"},
		{404, `{"error":"model 'm' not found"}`, fault.Unavailable, 1, `"m"`},
		{429, `{"error":{"message":"slow down","code":"rate_limit_exceeded"}}`, fault.RateLimited, 4, "too many requests"},
		{429, `{"error":{"message":"pay","code":"insufficient_quota"}}`, fault.Unavailable, 1, "credit"},
		{402, `{"error":{"message":"pay","code":402}}`, fault.Unavailable, 1, "credit"},
		{500, `<html>oops</html>`, fault.Unavailable, 4, "500"},
		{503, ``, fault.Unavailable, 4, "503"},
		{529, `{"detail":"overloaded"}`, fault.Unavailable, 4, "529"},
		{307, ``, fault.Unavailable, 1, "DOCENT_URL"},
		{400, `{"error":{"code":"content_filter","message":"filtered","innererror":{"code":"ResponsibleAIPolicyViolation"}}}`, fault.Invalid, 1, "content filter"},
		{413, `{}`, fault.Invalid, 1, "too long"},
		{400, `{"error":{"message":"too much","code":"context_length_exceeded"}}`, fault.Invalid, 1, "too long"},
		{400, `{"message":"This model's maximum context length is 4096 tokens."}`, fault.Invalid, 1, "too long"},
		{400, `{"error":{"message":"the request exceeds the available context size"}}`, fault.Invalid, 1, "too long"},
		{400, `{"error":{"message":"no such parameter"}}`, fault.Unavailable, 4, "refused the request (status 400)"},
		{422, `{"detail":"the context of the question"}`, fault.Unavailable, 4, "422"},
		{418, `{"message":"teapot"}`, fault.Unavailable, 1, "418"},
	} {
		o, s, _ := serve(t, llm.Config{APIKey: "sk-secret", Settings: llm.Settings{Key: "DOCENT_KEY", URL: "DOCENT_URL"}},
			llmtest.Reply{Status: c.status, Body: c.body, Header: http.Header{"Location": {"/elsewhere"}}})
		_, err := ask(t, o)
		if fault.KindOf(err) != c.kind || !strings.Contains(fault.Message(err), c.says) {
			t.Errorf("status %d: kind %s, message %q; want %s with %q", c.status, fault.KindOf(err), fault.Message(err), c.kind, c.says)
		}
		var refusal *llm.StatusError
		if !errors.As(err, &refusal) || refusal.Status != c.status {
			t.Errorf("status %d: no llm.StatusError in %v", c.status, err)
		}
		if err != nil && strings.Contains(err.Error(), "sk-secret") {
			t.Errorf("status %d: the key is in the error: %v", c.status, err)
		}
		if n := len(s.Requests()); n != c.tries {
			t.Errorf("status %d: %d requests, want %d", c.status, n, c.tries)
		}
	}
}

func TestKeyIsWanted(t *testing.T) {
	t.Parallel()
	o, _, _ := serve(t, llm.Config{Settings: llm.Settings{Key: "DOCENT_KEY"}}, llmtest.Reply{Status: 401})
	if _, err := ask(t, o); !strings.Contains(fault.Message(err), "set DOCENT_KEY") {
		t.Errorf("message is %q", fault.Message(err))
	}
}

func TestBackoffDoubles(t *testing.T) {
	t.Parallel()
	o, _, w := serve(t, llm.Config{Backoff: 100 * time.Millisecond, MaxRetries: 2}, llmtest.Reply{Status: 500}, llmtest.Reply{Status: 502}, llmtest.Say("ok"))
	c, err := ask(t, o)
	if err != nil || c.Content != "ok" {
		t.Fatal(c, err)
	}
	between := func(d time.Duration, low, high int64) bool {
		return d.Milliseconds() >= low && d <= time.Duration(high)*time.Millisecond
	}
	if len(w.d) != 2 || !between(w.d[0], 50, 100) || !between(w.d[1], 100, 200) {
		t.Errorf("waited %v, want about 100ms and 200ms", w.d)
	}
}

func TestConnectionRefusedIsRetried(t *testing.T) {
	t.Parallel()
	o, _, w := serve(t, llm.Config{BaseURL: "http://127.0.0.1:1/v1", Settings: llm.Settings{URL: "DOCENT_URL"}}) // nobody listens there
	_, err := ask(t, o)
	if fault.KindOf(err) != fault.Unavailable || !strings.Contains(fault.Message(err), "DOCENT_URL") || len(w.d) != 3 {
		t.Errorf("%d retries, then %v", len(w.d), err)
	}
}

func TestWebPageInsteadOfModel(t *testing.T) {
	t.Parallel()
	o, s, _ := serve(t, llm.Config{}, llmtest.Reply{Body: "<html>", Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}})
	if _, err := ask(t, o); !strings.Contains(fault.Message(err), "web page") || len(s.Requests()) != 1 {
		t.Errorf("error is %v", err)
	}
}

func TestTimeouts(t *testing.T) {
	t.Parallel()
	hang := func(after int) func(context.Context, int) error {
		return func(ctx context.Context, piece int) error {
			if piece >= after {
				<-ctx.Done()
			}
			return ctx.Err()
		}
	}
	t.Run("whole call", func(t *testing.T) {
		t.Parallel()
		o, _, _ := serve(t, llm.Config{Timeout: 30 * time.Millisecond, Settings: llm.Settings{Timeout: "DOCENT_TIMEOUT"}}, llmtest.Reply{Text: []string{"x"}, Wait: hang(0)})
		_, err := ask(t, o)
		if fault.KindOf(err) != fault.Unavailable || !strings.Contains(fault.Message(err), "DOCENT_TIMEOUT") {
			t.Errorf("error is %v", err)
		}
	})
	// The pieces before a pause must arrive within it, also on a busy machine.
	const pause = 3 * time.Second
	t.Run("between pieces", func(t *testing.T) {
		t.Parallel()
		o, s, _ := serve(t, llm.Config{IdleTimeout: pause}, llmtest.Reply{Text: []string{"x", "y"}, Wait: hang(1)})
		got := ""
		_, err := ask(t, o, llms.WithStreamingFunc(func(_ context.Context, chunk []byte) error { got += string(chunk); return nil }))
		if fault.KindOf(err) != fault.Unavailable || !strings.Contains(fault.Message(err), "sent nothing") || got != "x" {
			t.Errorf("streamed %q, error is %v", got, err)
		}
		if n := len(s.Requests()); n != 1 {
			t.Errorf("%d requests: what has streamed must not be tried again", n)
		}
	})
	t.Run("nothing streamed yet", func(t *testing.T) {
		t.Parallel()
		o, s, _ := serve(t, llm.Config{IdleTimeout: pause}, llmtest.Reply{Text: []string{"x", "y"}, Wait: hang(1)}, llmtest.Say("z"))
		if c, err := ask(t, o); err != nil || c.Content != "z" || len(s.Requests()) != 2 {
			t.Errorf("%v, %v", c, err)
		}
	})
	t.Run("caller's deadline", func(t *testing.T) {
		t.Parallel()
		o, _, _ := serve(t, llm.Config{}, llmtest.Reply{Text: []string{"x"}, Wait: hang(0)})
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		if _, err := o.GenerateContent(ctx, nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error is %v", err)
		}
	})
	t.Run("silence after the answer", func(t *testing.T) {
		t.Parallel()
		o, _, _ := serve(t, llm.Config{IdleTimeout: 30 * time.Millisecond}, llmtest.Reply{
			Frames: []string{`{"choices":[{"delta":{"content":"all"},"finish_reason":"stop"}]}`, `{"choices":[]}`}, Wait: hang(1),
		})
		if c, err := ask(t, o); err != nil || c.Content != "all" {
			t.Errorf("a complete answer was lost: %v, %v", c, err)
		}
	})
}

func TestCancelWhileWaiting(t *testing.T) {
	t.Parallel()
	o, _, _ := serve(t, llm.Config{}, llmtest.Reply{Status: 503})
	ctx, cancel := context.WithCancel(t.Context())
	o.SetWait(func(ctx context.Context, _ time.Duration) error {
		cancel()
		return openai.Wait(ctx, time.Hour)
	})
	if _, err := o.GenerateContent(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
}

func TestStreamOptionsRefused(t *testing.T) {
	t.Parallel()
	s := llmtest.NewServer(func(_ int, r llmtest.Request) llmtest.Reply {
		if strings.Contains(string(r.Body), "stream_options") {
			return llmtest.Reply{Status: 400, Body: `{"error":"extra fields not permitted"}`}
		}
		return llmtest.Say("ok")
	})
	defer s.Close()
	o, err := llm.NewOpenAI(llm.Config{BaseURL: s.URL, Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	defer o.Config().HTTPClient.CloseIdleConnections()
	for range 2 {
		if c, err := ask(t, o); err != nil || c.Content != "ok" {
			t.Fatal(c, err)
		}
	}
	if n := len(s.Requests()); n != 3 {
		t.Errorf("%d requests, want 3: the server's taste is remembered", n)
	}
}

func TestRequestAsSent(t *testing.T) {
	t.Parallel()
	o, s, _ := serve(t, llm.Config{}, llmtest.Say("ok"))
	_, err := o.GenerateContent(t.Context(), []llms.MessageContent{
		llms.TextParts(llms.ChatMessageTypeSystem, "be brief"),
		{Role: llms.ChatMessageTypeHuman, Parts: []llms.ContentPart{llms.TextPart("see"), llms.BinaryPart("image/png", []byte{1})}},
		{Role: llms.ChatMessageTypeAI, Parts: []llms.ContentPart{llms.ToolCall{ID: "a", FunctionCall: &llms.FunctionCall{Name: "f", Arguments: "{}"}}}},
		{Role: llms.ChatMessageTypeTool, Parts: []llms.ContentPart{llms.ToolCallResponse{ToolCallID: "a", Name: "f"}}},
	}, llms.WithModel("other"), llms.WithMaxTokens(9), llms.WithStopWords([]string{"END"}), llms.WithJSONMode(), llms.WithSeed(5),
		llms.WithTools([]llms.Tool{{Type: "function", Function: &llms.FunctionDefinition{Name: "f"}}}),
		llms.WithToolChoice(llms.ToolChoice{Type: "function", Function: &llms.FunctionReference{Name: "f"}}))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"model":"other","messages":[{"role":"system","content":"be brief"},` +
		`{"role":"user","content":[{"type":"text","text":"see"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AQ=="}}]},` +
		`{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},` +
		`{"role":"tool","content":"(empty)","name":"f","tool_call_id":"a"}],` +
		`"max_tokens":9,"stream":true,"stop":["END"],"response_format":{"type":"json_object"},"seed":5,` +
		`"tools":[{"function":{"name":"f","parameters":{"properties":{},"type":"object"}},"type":"function"}],` +
		`"tool_choice":{"type":"function","function":{"name":"f"}},"stream_options":{"include_usage":true}}`
	if got := string(s.Requests()[0].Body); !sameJSON(t, got, want) {
		t.Errorf("sent %s\nwant %s", got, want)
	}
}

func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	var x, y any
	if err := errors.Join(json.Unmarshal([]byte(a), &x), json.Unmarshal([]byte(b), &y)); err != nil {
		t.Fatal(err)
	}
	p, _ := json.Marshal(x)
	q, _ := json.Marshal(y)
	return string(p) == string(q)
}

func TestReasoningModelsGetTheirOwnLimit(t *testing.T) {
	t.Parallel()
	o, s, _ := serve(t, llm.Config{Model: "gpt-5-mini", MaxTokens: 50}, llmtest.Say("ok"))
	if _, err := ask(t, o); err != nil {
		t.Fatal(err)
	}
	if body := string(s.Requests()[0].Body); !strings.Contains(body, `"max_completion_tokens":50`) || strings.Contains(body, `"max_tokens"`) {
		t.Errorf("sent %s", body)
	}
	_, err := ask(t, o, llms.WithTemperature(0.2))
	if fault.KindOf(err) != fault.Invalid || len(s.Requests()) != 1 {
		t.Errorf("a temperature for gpt-5: %v", err)
	}
}

func TestMessagesThatCannotBeSent(t *testing.T) {
	t.Parallel()
	o, s, _ := serve(t, llm.Config{}, llmtest.Say("ok"))
	for _, m := range []llms.MessageContent{
		{Role: "stranger"},
		{Role: llms.ChatMessageTypeTool, Parts: []llms.ContentPart{llms.ToolCallResponse{}, llms.TextPart("x")}},
	} {
		if _, err := o.GenerateContent(t.Context(), []llms.MessageContent{m}); err == nil {
			t.Errorf("%v was sent", m)
		}
	}
	if len(s.Requests()) != 0 {
		t.Error("something was sent")
	}
}

// A probe does not wait longer for the first token than a user.
func TestProbeIsNotLate(t *testing.T) {
	t.Parallel()
	hang := llmtest.Reply{Text: []string{"late"}, Wait: func(ctx context.Context, _ int) error { <-ctx.Done(); return ctx.Err() }}
	o, _, _ := serve(t, llm.Config{FirstToken: time.Millisecond}, hang)
	if _, err := o.Probe(t.Context()); !strings.Contains(fault.Message(err), "1ms") {
		t.Errorf("the error is %v", err)
	}
}

func TestProbe(t *testing.T) {
	t.Parallel()
	o, s, _ := serve(t, llm.Config{}, llmtest.Say("one, ", "two"), llmtest.Reply{ToolCalls: []llmtest.ToolCall{{ID: "a", Name: "current_time", Arguments: "{}"}}})
	r, err := o.Probe(t.Context())
	if err != nil || !r.Tools || !r.Called || r.Pieces != 2 || r.Reasons || r.FirstToken <= 0 || !strings.Contains(r.String(), "calls tools") {
		t.Errorf("%+v (%s), %v", r, r, err)
	}
	if all := s.Requests(); len(all) != 2 || len(all[0].Messages) != 4 || all[0].Messages[0].Role != "system" || !all[0].Stream || len(all[1].Tools) != 1 {
		t.Errorf("sent %+v", all)
	}

	o, s, _ = serve(t, llm.Config{Model: "llama9", Settings: llm.Settings{Model: "DOCENT_MODEL"}}, llmtest.Reply{Status: 404, Body: `{"error":{"message":"no"}}`})
	s.ModelNames = []string{"llama3", "qwen3"}
	_, err = o.Probe(t.Context())
	if m := fault.Message(err); fault.KindOf(err) != fault.Unavailable || !strings.Contains(m, "llama3, qwen3") || !strings.Contains(m, "DOCENT_MODEL") {
		t.Errorf("message is %q", m)
	}
	if names, err := o.Models(t.Context()); err != nil || !slices.Equal(names, s.ModelNames) {
		t.Errorf("Models is %v, %v", names, err)
	}

	// A server that lists the model but refuses every request has failed.
	o, s, _ = serve(t, llm.Config{}, llmtest.Reply{Status: 400, Body: `{"error":{"message":"your plan has no chat of org-SECRET"}}`})
	s.ModelNames = []string{"m"}
	if _, err = o.Probe(t.Context()); err == nil || llm.Reason(err) != "status 400 Bad Request: your plan has no chat of [organization]" {
		t.Errorf("%v, the server's words are %q", err, llm.Reason(err))
	}

	// A text that begins like reasoning is held back, but the server streams.
	o, _, _ = serve(t, llm.Config{}, llmtest.Say("So ", "we count: one, two, ", "three, four, five, six, ", "seven, eight, nine, ten."), llmtest.Say("x"))
	if r, err = o.Probe(t.Context()); err != nil || r.Whole {
		t.Errorf("a text that begins like reasoning: %+v, %v", r, err)
	}

	// A small model that writes without end is stopped.
	endless := llmtest.Reply{Text: strings.Split(strings.Repeat("one more word ", 100), " "), Wait: func(ctx context.Context, piece int) error {
		if piece > 200 {
			<-ctx.Done()
		}
		return ctx.Err()
	}}
	o, _, _ = serve(t, llm.Config{}, endless, endless)
	if r, err = o.Probe(t.Context()); err != nil || !r.Tools || r.Called || r.Whole {
		t.Errorf("a model without end: %+v, %v", r, err)
	}

	o, s, w := serve(t, llm.Config{}, llmtest.Reply{Status: 500})
	if _, err = o.Probe(t.Context()); fault.KindOf(err) != fault.Unavailable || len(w.d) != 0 || len(s.Requests()) != 1 {
		t.Errorf("%v after %d requests", err, len(s.Requests()))
	}

	o, _, _ = serve(t, llm.Config{}, llmtest.Reply{Reasoning: []string{"hm"}, Finish: "length"})
	if _, err = o.Probe(t.Context()); !strings.Contains(fault.Message(err), "--max-tokens") {
		t.Errorf("an answer without text: %v", err)
	}

	o, _, _ = serve(t, llm.Config{}, llmtest.Say("<think>so</think>one, two, three, four, five, six, seven"), llmtest.Reply{Status: 400, Body: `{"error":{"message":"m does not support tools"}}`})
	r, err = o.Probe(t.Context())
	if says := r.String(); err != nil || !r.Reasons || r.Tools || !strings.Contains(says, "does not support tools") || !strings.Contains(says, "does not stream") {
		t.Errorf("%s, %v", says, err)
	}
}

func TestLogHoldsNoContent(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	o, _, _ := serve(t, llm.Config{APIKey: "sk-secret", Logger: slog.New(slog.NewTextHandler(&log, nil))},
		llmtest.Reply{Status: 500, Body: `{"error":{"message":"bad key sk-secret"}}`}, llmtest.Say("fine words"))
	if _, err := ask(t, o); err != nil {
		t.Fatal(err)
	}
	if s := log.String(); !strings.Contains(s, "status 500") || strings.Contains(s, "sk-secret") || strings.Contains(s, "fine words") {
		t.Errorf("log is %s", s)
	}
}
