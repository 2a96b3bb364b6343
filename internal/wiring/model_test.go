package wiring

import (
	"bytes"
	"log/slog"
	"maps"
	"strings"
	"testing"

	"docent/config"
	"docent/internal/fault"
	"docent/llm"
	"docent/llm/llmtest"
)

// modelsOf opens models with a log.
func modelsOf(t *testing.T, cfg config.Config) (*Models, *bytes.Buffer) {
	t.Helper()
	var log bytes.Buffer
	m, err := OpenModels(New(cfg, slog.New(slog.NewTextHandler(&log, nil))))
	if err != nil {
		t.Fatal(err)
	}
	return m, &log
}

// chatServer serves a script in the test's process, including the answers to probes.
func chatServer(t *testing.T, replies ...llmtest.Reply) *llmtest.Server {
	t.Helper()
	s := llmtest.NewServer(llmtest.Script(replies...))
	s.Probes = true
	t.Cleanup(s.Close)
	return s
}

// TestProbeAtStart has models that work, refuse everything, and do not answer. The start of
// a server logs each, with the words of the server, and knows which ones answer.
func TestProbeAtStart(t *testing.T) {
	t.Parallel()
	works := chatServer(t, llmtest.Say("one, ", "two"), llmtest.Reply{ToolCalls: []llmtest.ToolCall{{ID: "a", Name: "current_time", Arguments: "{}"}}})
	refuses := chatServer(t, llmtest.Reply{Status: 401, Body: `{"error":{"message":"Incorrect API key provided: sk-abcdef123"}}`})
	lacks := chatServer(t, llmtest.Reply{Status: 404, Body: `{"error":{"message":"no"}}`})
	lacks.ModelNames = []string{"m", "other"}
	m, log := modelsOf(t, config.Config{
		LLM: config.LLM{Model: "a", Timeout: llm.DefaultTimeout, MaxTokens: 100, Temperature: -1},
		ChatModels: []config.Model{
			{Name: "a", Model: "x", URL: works.URL, Fallbacks: []string{"b"}},
			{Name: "b", Model: "x", URL: refuses.URL, Key: "sk-abcdef123"},
			{Name: "c", Model: "x", URL: "http://127.0.0.1:1/v1"},
			{Name: "d", Model: "x", URL: lacks.URL},
		},
	})
	if got := m.states(); !maps.Equal(got, map[string]string{"a": "not asked yet", "b": "not asked yet", "c": "not asked yet", "d": "not asked yet"}) {
		t.Errorf("before the start: %v", got)
	}
	if err := m.probe(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := m.states(); !maps.Equal(got, map[string]string{"a": "ok", "b": "does not answer", "c": "does not answer", "d": "does not answer"}) {
		t.Errorf("after the start: %v", got)
	}
	if _, err := llm.Ask(t.Context(), m.Model("b"), llm.Request{Messages: []llm.Message{llm.Text(llm.User, "hi")}}); err == nil {
		t.Error("a model with a wrong key answered")
	}
	lines := log.String()
	for _, want := range []string{`msg="the chat model works" model=a`, "calls tools", `model=b reason=`, "Incorrect API key provided: [key]", `msg="a request to the model server failed" model=b server="status 401`, `model=c reason=`, `level=ERROR msg="the test of the chat model failed; docent doctor repeats it" model=d`, "it has: m, other"} {
		if !strings.Contains(lines, want) {
			t.Errorf("there is no %q in the log\n%s", want, lines)
		}
	}
	if strings.Contains(lines, "sk-abcdef") {
		t.Errorf("the log has a key:\n%s", lines)
	}
}

// TestNamedModels checks the model of each task and the order of fallbacks.
func TestNamedModels(t *testing.T) {
	t.Parallel()
	down := chatServer(t, llmtest.Reply{Status: 404}, llmtest.Reply{Status: 404})
	up := chatServer(t, llmtest.Say("from b"), llmtest.Say("from b"))
	cfg := config.Config{
		LLM: config.LLM{Model: "a", Fallbacks: []string{"b"}, Timeout: llm.DefaultTimeout, MaxTokens: 100, Temperature: -1},
		ChatModels: []config.Model{
			{Name: "a", Model: "x", URL: down.URL},
			{Name: "b", Model: "y", URL: up.URL, Choose: true},
			{Name: "c", Model: "z", URL: down.URL, Fallbacks: []string{"b"}, Uses: []config.Use{config.UseTitles}},
		},
	}
	m, _ := modelsOf(t, cfg)
	for name, model := range map[string]llm.Model{"a": m.DefaultModel(), "c": m.ModelFor(config.UseTitles)} {
		answer, err := llm.Ask(t.Context(), model, llm.Request{Messages: []llm.Message{llm.Text(llm.User, "x")}})
		if err != nil || model.Name() != name || answer.Text != "from b" || answer.Model != "b" {
			t.Errorf("%s: %+v of %s, %v", name, answer, model.Name(), err)
		}
	}
	if m.ModelFor(config.UseEnrichment).Name() != "a" || m.Model("x") != nil || up.Requests()[0].Model != "y" {
		t.Errorf("%s enriches, and the server gets %s", m.ModelFor(config.UseEnrichment).Name(), up.Requests()[0].Model)
	}
	if all, name := m.byName(); len(all) != 3 || name != "a" || len(m.choosable()) != 2 {
		t.Errorf("the models are %v with the default %s; users choose among %v", all, name, m.choosable())
	}
	cfg.ChatModels[0].URL = ""
	if _, err := OpenModels(New(cfg, slog.New(slog.DiscardHandler))); fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "needs url, provider, or key") {
		t.Errorf("a model without a server: %v", err)
	}
}
