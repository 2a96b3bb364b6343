package llm_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"docent/internal/fault"
	"docent/llm"
	"docent/llm/llmtest"
)

// sent is the body of a request.
type sent struct {
	fields   map[string]json.RawMessage
	messages []struct{ Role, Content string }
}

func (s sent) has(field string) bool { return s.fields[field] != nil }

func (s sent) roles() string {
	var out []string
	for _, m := range s.messages {
		out = append(out, m.Role)
	}
	return strings.Join(out, " ")
}

func read(t *testing.T, r llmtest.Request) sent {
	t.Helper()
	var s sent
	if err := json.Unmarshal(r.Body, &s.fields); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(s.fields["messages"], &s.messages); err != nil {
		t.Fatal(err)
	}
	return s
}

// refusing starts a server that refuses the requests that wrong returns true for.
func refusing(t *testing.T, cfg llm.Config, status int, says string, wrong func(sent) bool) (*llm.OpenAI, *llmtest.Server) {
	t.Helper()
	s := llmtest.NewServer(func(_ int, r llmtest.Request) llmtest.Reply {
		if wrong(read(t, r)) {
			body, _ := json.Marshal(map[string]any{"error": map[string]any{"message": says}})
			return llmtest.Reply{Status: status, Body: string(body)}
		}
		return llmtest.Say("ok")
	})
	t.Cleanup(s.Close)
	cfg.BaseURL = s.URL
	if cfg.Model == "" {
		cfg.Model = "m"
	}
	o, err := llm.NewOpenAI(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(o.Config().HTTPClient.CloseIdleConnections)
	o.SetWait((&waits{}).wait)
	return o, s
}

var conversation = llm.Request{Messages: []llm.Message{
	llm.Text(llm.System, "Be brief."), llm.Text(llm.User, "hi"), llm.Text(llm.Assistant, "Hello."), llm.Text(llm.User, "q"),
}, JSON: true}

func TestShapeIsFoundAndKept(t *testing.T) {
	t.Parallel()
	hot := 0.5
	var log bytes.Buffer
	cfg := llm.Config{MaxTokens: 9, Temperature: &hot, Logger: slog.New(slog.NewTextHandler(&log, nil))}
	for name, c := range map[string]struct {
		says  string
		wrong func(sent) bool
		want  llm.Shape
	}{
		"max_tokens": {
			"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
			func(s sent) bool { return s.has("max_tokens") },
			llm.Shape{Limit: llm.LimitCompletion},
		},
		"no limit": {
			"unknown field max_tokens or max_completion_tokens",
			func(s sent) bool { return s.has("max_tokens") || s.has("max_completion_tokens") },
			llm.Shape{Limit: llm.LimitNone},
		},
		"system":     {"System role not supported", func(s sent) bool { return strings.HasPrefix(s.roles(), "system") }, llm.Shape{NoSystem: true}},
		"system 500": {"System role not supported", func(s sent) bool { return strings.HasPrefix(s.roles(), "system") }, llm.Shape{NoSystem: true}},
		"roles 500": {
			"Only user and assistant roles are supported!", func(s sent) bool { return strings.HasPrefix(s.roles(), "system") }, llm.Shape{NoSystem: true},
		},
		"stream_options 500": {
			"ChatCompletion.__init__() got an unexpected keyword argument 'stream_options'",
			func(s sent) bool { return s.has("stream_options") },
			llm.Shape{NoUsage: true},
		},
		"max_tokens 500": {
			"max_tokens is deprecated, use max_completion_tokens", func(s sent) bool { return s.has("max_tokens") }, llm.Shape{Limit: llm.LimitCompletion},
		},
		"instruction": {
			"Developer instruction is not enabled for models/gemma-3-27b-it",
			func(s sent) bool { return strings.HasPrefix(s.roles(), "system") },
			llm.Shape{NoSystem: true},
		},
		"stream": {
			"your organization must be verified to stream this model",
			func(s sent) bool { return s.has("stream") },
			llm.Shape{NoStream: true},
		},
		"stream_options": {"Unrecognized request argument supplied: stream_options", func(s sent) bool { return s.has("stream_options") }, llm.Shape{NoUsage: true}},
		"temperature":    {"Unsupported value: 'temperature' does not support 0.5", func(s sent) bool { return s.has("temperature") }, llm.Shape{NoTemperature: true}},
		"response_format": {
			"response_format json_object is not supported", func(s sent) bool { return s.has("response_format") }, llm.Shape{NoJSON: true},
		},
		"two changes": {
			"'temperature' and then 'max_tokens' are not supported",
			func(s sent) bool { return s.has("temperature") || s.has("max_tokens") },
			llm.Shape{Limit: llm.LimitNone, NoTemperature: true},
		},
		"LiteLLM 500": {
			"litellm.BadRequestError: XException - temperature is not supported by this model", func(s sent) bool { return s.has("temperature") },
			llm.Shape{NoTemperature: true},
		},
		"highest limit": {
			"max_tokens must be less than or equal to 8", func(s sent) bool { return string(s.fields["max_tokens"]) == "9" }, llm.Shape{Most: 8},
		},
		"highest limit, OpenAI": {
			"max_tokens is too large: 9. This model supports at most 8 completion tokens, whereas you provided 9.",
			func(s sent) bool { return string(s.fields["max_tokens"]) == "9" },
			llm.Shape{Most: 8},
		},
		"limit without a number": {"max_tokens must be less than the limit", func(s sent) bool { return s.has("max_tokens") }, llm.Shape{Limit: llm.LimitCompletion}},
		"limit fills the context": {
			"This model's maximum context length is 12 tokens. However, you requested 13 tokens (4 in the messages, 9 in the completion).",
			func(s sent) bool { return string(s.fields["max_tokens"]) == "9" },
			llm.Shape{Most: 3},
		},
		"no words": {"bad request", func(s sent) bool { return strings.HasPrefix(s.roles(), "system") }, llm.Shape{NoSystem: true}},
	} {
		status := 400
		if strings.HasSuffix(name, " 500") {
			status = 500
		}
		o, s := refusing(t, cfg, status, c.says, c.wrong)
		if a, err := llm.Ask(t.Context(), o, conversation); err != nil || a.Text != "ok" {
			t.Errorf("%s: %+v, %v", name, a, err)
			continue
		}
		if got := o.Shape(); got != c.want {
			t.Errorf("%s: the shape is %q, want %q", name, got, c.want)
		}
		before := len(s.Requests())
		if _, err := llm.Ask(t.Context(), o, conversation); err != nil || len(s.Requests()) != before+1 {
			t.Errorf("%s: asked %d times again, %v", name, len(s.Requests())-before, err)
		}
		if last := read(t, s.Requests()[before]); !strings.Contains(string(last.fields["messages"]), "Be brief.") {
			t.Errorf("%s: sent %s", name, last.fields["messages"])
		}
		if n := strings.Count(log.String(), "another form"); n != 1 {
			t.Errorf("%s: logged %d times: %s", name, n, log.String())
		}
		log.Reset()
	}
}

// A request that is refused in all forms fails with the first refusal, and the next one
// costs no search.
func TestNoShapeHelps(t *testing.T) {
	t.Parallel()
	o, s := refusing(t, llm.Config{MaxTokens: 9}, 400, "no", func(sent) bool { return true })
	_, err := llm.Ask(t.Context(), o, conversation)
	var refusal *llm.StatusError
	if !errors.As(err, &refusal) || o.Shape() != (llm.Shape{}) {
		t.Errorf("%v, shape %q", err, o.Shape())
	}
	before := len(s.Requests())
	if _, err = llm.Ask(t.Context(), o, conversation); err == nil || len(s.Requests()) != before+1 {
		t.Errorf("asked %d times again, %v", len(s.Requests())-before, err)
	}
}

func TestToolsAreRefused(t *testing.T) {
	t.Parallel()
	o, s := refusing(t, llm.Config{}, 422, "unprocessable", func(s sent) bool { return s.has("tools") })
	if _, err := llm.Ask(t.Context(), o, searching); !errors.Is(err, llm.ErrNoTools) {
		t.Errorf("the error is %v", err)
	}
	before := len(s.Requests())
	if _, err := llm.Ask(t.Context(), o, searching); !errors.Is(err, llm.ErrNoTools) || len(s.Requests()) != before {
		t.Errorf("asked again, %v", err)
	}
	if a, err := llm.Ask(t.Context(), o, conversation); err != nil || a.Text != "ok" {
		t.Errorf("without tools: %+v, %v", a, err)
	}
}

func TestToolRoleIsRefused(t *testing.T) {
	t.Parallel()
	o, s := refusing(t, llm.Config{}, 500, "jinja template error: roles must alternate", func(s sent) bool { return strings.Contains(s.roles(), "tool") })
	req := llm.Request{Tools: searching.Tools, Messages: []llm.Message{
		llm.Text(llm.User, "q"),
		{Role: llm.Assistant, Calls: []llm.Call{{ID: "a", Name: "clock", Arguments: "{}"}, {ID: "b", Name: "clock", Arguments: "{}"}}},
		{Role: llm.ToolResult, CallID: "a", Name: "clock", Text: "five"},
		{Role: llm.ToolResult, CallID: "b", Name: "clock", Text: "six"},
	}}
	if a, err := llm.Ask(t.Context(), o, req); err != nil || a.Text != "ok" {
		t.Fatal(a, err)
	}
	last := read(t, s.Requests()[len(s.Requests())-1])
	if last.roles() != "user assistant user" || !strings.Contains(last.messages[2].Content, "five") || !strings.Contains(last.messages[2].Content, "six") {
		t.Errorf("sent %+v", last.messages)
	}
}

func TestConversationsAreOrderly(t *testing.T) {
	t.Parallel()
	say := func(pairs ...string) []llm.Message {
		var out []llm.Message
		for i := 0; i < len(pairs); i += 2 {
			out = append(out, llm.Text(llm.Role(pairs[i]), pairs[i+1]))
		}
		return out
	}
	for name, c := range map[string]struct {
		messages []llm.Message
		want     []string
	}{
		"as it is":        {say("system", "s", "user", "q"), []string{"system s", "user q"}},
		"neighbors":       {say("user", "a", "user", "b", "assistant", "c", "assistant", "d", "user", "e"), []string{"user a\n\nb", "assistant c\n\nd", "user e"}},
		"assistant first": {say("system", "s", "assistant", "a", "user", "q"), []string{"system s", "user (The conversation began earlier.)", "assistant a", "user q"}},
		"empty answer":    {say("user", "a", "assistant", " ", "user", "b"), []string{"user a\n\nb"}},
		"late system":     {say("system", "s", "user", "a", "system", "t", "user", "b"), []string{"system s\n\nt", "user a\n\nb"}},
	} {
		o, s, _ := serve(t, llm.Config{}, llmtest.Say("ok"))
		if _, err := llm.Ask(t.Context(), o, llm.Request{Messages: c.messages}); err != nil {
			t.Fatal(name, err)
		}
		var got []string
		for _, m := range s.Requests()[0].Messages {
			got = append(got, m.Role+" "+m.Content)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: sent %q, want %q", name, got, c.want)
		}
	}
}

func TestTooLongIsRecognized(t *testing.T) {
	t.Parallel()
	for says, status := range map[string]int{
		"This model's maximum context length is 4096 tokens. However, you requested 9000 tokens":                                                400,
		"the request exceeds the available context size, try increasing it":                                                                     400,
		"request (5011 tokens) exceeds the available context size (4096 tokens)":                                                                400,
		"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).":                                               400,
		"Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length":                                400,
		"`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 100 `max_new_tokens`":                              422,
		"too many tokens: total number of tokens in the prompt cannot exceed 4081":                                                              400,
		"Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens": 400,
		"Please reduce the length of the messages or completion.":                                                                               413,
		"prompt is too long: 210000 tokens > 200000 maximum":                                                                                    400,
		"Prompt length (5000) exceeds maximum input length (4096)":                                                                              400,
		"The input (5000 tokens) is longer than the model's context length (4096 tokens).":                                                      400,
		"Range of input length should be [1, 30720]":                                                                                            400,
		"Prompt exceeds max length":                                                            400,
		"Your request exceeded model token limit: 8192":                                        400,
		"This model's maximum prompt length is 131072 but the request contains 537812 tokens.": 400,
		"Input length 5000 exceeds the maximum length 4096":                                    400,
		"inputs must have less than 4096 tokens. Given: 5000":                                  422,
		"The number of input tokens (5000) is over the limit of 4096":                          400,
	} {
		o, s := refusing(t, llm.Config{MaxTokens: 5}, status, says, func(sent) bool { return true })
		_, err := llm.Ask(t.Context(), o, conversation)
		if !errors.Is(err, llm.ErrTooLong) || fault.KindOf(err) != fault.Invalid || len(s.Requests()) != 1 {
			t.Errorf("%s: %v after %d requests", says, err, len(s.Requests()))
		}
	}
}

// The server's words are for the operator. Keys and organizations are not in the log.
func TestRefusalIsLogged(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	cfg := llm.Config{ForUsers: true, APIKey: "geheim", Logger: slog.New(slog.NewTextHandler(&log, nil))}
	const says = "Billing hard limit of org-SECRET with key geheim and sk-abcdef123 reached"
	o, _ := refusing(t, cfg, 400, says, func(sent) bool { return true })
	_, err := llm.Ask(t.Context(), o, llm.Request{Messages: conversation.Messages[:2]})
	if err == nil || strings.Contains(fault.Message(err), "Billing") {
		t.Errorf("the user is told %q", fault.Message(err))
	}
	if !strings.Contains(log.String(), "Billing hard limit") {
		t.Errorf("logged %s", log.String())
	}
	for _, secret := range []string{"SECRET", "geheim", "abcdef123"} {
		if strings.Contains(log.String()+fmt.Sprint(err), secret) {
			t.Errorf("%s is in %s%v", secret, log.String(), err)
		}
	}
}
