package llm_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/tmc/langchaingo/llms"

	"docent/internal/fault"
	"docent/llm"
	"docent/llm/llmtest"
)

var someTool = llms.WithTools([]llms.Tool{{Type: "function", Function: &llms.FunctionDefinition{Name: "f"}}})

func TestModelsWithoutToolsAreRecognised(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status int
		says   string
	}{
		{400, `registry.ollama.ai/library/gemma:2b does not support tools`},
		{400, `deepseek-reasoner does not support Function Calling`},
		{404, `No endpoints found that support tool use. To learn more about provider routing, visit the docs`},
		{400, "`tool calling` is not supported with this model"},
		{400, `Unsupported parameter: 'tools' is not supported with this model.`},
		{400, `Function calling is not enabled for this model`},
		{400, `"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set`},
		{500, `tools param requires --jinja flag`},
	} {
		body, err := json.Marshal(map[string]any{"error": map[string]any{"message": c.says}})
		if err != nil {
			t.Fatal(err)
		}
		o, s, _ := serve(t, llm.Config{}, llmtest.Reply{Status: c.status, Body: string(body)})
		_, err = ask(t, o, someTool)
		var refusal *llm.StatusError
		if !errors.Is(err, llm.ErrNoTools) || !errors.As(err, &refusal) || refusal.Status != c.status {
			t.Errorf("%s: error is %v, want llm.ErrNoTools with status %d", c.says, err, c.status)
		}
		if got, want := fault.Message(err), `the model "m" cannot call tools`; got != want {
			t.Errorf("%s: the user is told %q, want %q", c.says, got, want)
		}
		if n := len(s.Requests()); n > 2 {
			t.Errorf("%s: asked %d times", c.says, n)
		}
		if _, err = ask(t, o); errors.Is(err, llm.ErrNoTools) {
			t.Errorf("%s: a request without tools was refused for its tools", c.says)
		}
	}
}

func TestOtherRefusalsAreNotForTools(t *testing.T) {
	t.Parallel()
	for _, says := range []string{
		`Invalid schema for function 'f': 'format' is not supported`,
		`tools[0].function.name: string does not match pattern`,
		`maximum context length is 4096 tokens`,
	} {
		o, _, _ := serve(t, llm.Config{}, llmtest.Reply{Status: 400, Body: `{"error":{"message":"` + says + `"}}`})
		if _, err := ask(t, o, someTool); err == nil || errors.Is(err, llm.ErrNoTools) {
			t.Errorf("%s: error is %v", says, err)
		}
	}
}
