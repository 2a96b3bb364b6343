package llm_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docent/internal/fault"
	"docent/llm"
)

// exchanges has the answers of real servers; see testdata/dialects/README.md. Each file of testdata/dialects has a row.
var exchanges = map[string]struct {
	text, reasoning string
	call            string // name and arguments
	stop            string
	usage           llm.Usage
	fails           func(error) bool // of the error; nil if there is none
}{
	"llamacpp/text":         {text: "ten", stop: "stop", usage: llm.Usage{Prompt: 59, Completion: 2}},
	"llamacpp/call-as-text": {call: `current_time {"zone": "UTC"}`, stop: "tool_calls", usage: llm.Usage{Prompt: 198, Completion: 17}},
	"llamacpp/too-long":     {fails: is(llm.ErrTooLong)},

	"ollama/text":      {text: "The pump stops at noon [1].", stop: "stop", usage: llm.Usage{Prompt: 26, Completion: 9}},
	"ollama/reasoning": {text: "The pump stops at noon [1].", reasoning: "Passage 1 has it.", stop: "stop", usage: llm.Usage{Prompt: 26, Completion: 9}},
	"ollama/call":      {call: `search {"query":"feed pump"}`, stop: "tool_calls", usage: llm.Usage{Prompt: 26, Completion: 9}},
	"ollama/length":    {reasoning: "Passage 1", stop: "length", usage: llm.Usage{Prompt: 26, Completion: 9}},
	"ollama/broken":    {fails: worded("broke off")}, // Ollama loses the error, and sends neither a finish reason nor [DONE]
	"ollama/no-tools":  {fails: is(llm.ErrNoTools)},
	"ollama/no-model":  {fails: status(http.StatusNotFound)},

	"vllm/text":                  {text: "The pump stops at noon [1].", stop: "stop", usage: llm.Usage{Prompt: 17, Completion: 18}},
	"vllm/reasoning":             {text: "The pump stops at noon [1].", reasoning: "<think>Passage 1 has it.", stop: "stop", usage: llm.Usage{Prompt: 17, Completion: 42}},
	"vllm/reasoning-before-0.12": {text: "The pump stops at noon [1].", reasoning: "Passage 1 has it.", stop: "stop", usage: llm.Usage{Prompt: 26, Completion: 9}},
	"vllm/call":                  {call: `search {"query": "feed pump"}`, stop: "tool_calls", usage: llm.Usage{Prompt: 17, Completion: 58}},
	"vllm/length":                {reasoning: "<think", stop: "length", usage: llm.Usage{Prompt: 17, Completion: 6}},
	"vllm/broken":                {fails: worded("has a problem")},
	"vllm/no-tools":              {fails: is(llm.ErrNoTools)},
	"vllm/no-model":              {fails: status(http.StatusNotFound)},
	"vllm/too-long":              {fails: is(llm.ErrTooLong)},
}

func is(target error) func(error) bool { return func(err error) bool { return errors.Is(err, target) } }

func worded(words string) func(error) bool {
	return func(err error) bool { return strings.Contains(fault.Message(err), words) }
}

func status(code int) func(error) bool {
	return func(err error) bool {
		var refusal *llm.StatusError
		return errors.As(err, &refusal) && refusal.Status == code
	}
}

// TestDialects reads the answers of real servers.
func TestDialects(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/dialects/*/*.http")
	if err != nil || len(files) != len(exchanges) {
		t.Fatalf("%d files and %d rows, %v", len(files), len(exchanges), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(file), "testdata/dialects/"), ".http")
		want, known := exchanges[name]
		if !known {
			t.Errorf("%s has no row", name)
			continue
		}
		o, err := llm.NewOpenAI(llm.Config{BaseURL: replay(t, file), Model: "m"})
		if err != nil {
			t.Fatal(err)
		}
		o.SetWait((&waits{}).wait)
		t.Cleanup(o.Config().HTTPClient.CloseIdleConnections)
		var req llm.Request
		if strings.Contains(name, "call") || strings.Contains(name, "tools") {
			query := map[string]any{"type": "object", "properties": map[string]any{"query": map[string]any{"type": "string"}}}
			req.Tools = []llm.Tool{{Name: "search", Parameters: query}, {Name: "current_time"}}
		}
		a, text, reasoning, err := heard(t, o, req)
		if want.fails != nil {
			if err == nil || !want.fails(err) {
				t.Errorf("%s: %+v, %v", name, a, err)
			}
			continue
		}
		call := ""
		for _, c := range a.Calls {
			call += c.Name + " " + c.Arguments
		}
		if call != "" && a.Text == "" {
			text = "" // a call in the text is streamed before docent knows it
		}
		if err != nil || text != want.text || a.Text != want.text || reasoning != want.reasoning || a.Reasoning != want.reasoning ||
			call != want.call || a.StopReason != want.stop || a.Usage == nil || *a.Usage != want.usage {
			t.Errorf("%s: %+v with the usage %+v, streamed %q and %q, %v", name, a, a.Usage, text, reasoning, err)
		}
	}
}

// replay serves the response in a file and returns the base URL.
func replay(t *testing.T, file string) string {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		resp, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(raw)), r)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			return
		}
		defer resp.Body.Close()
		w.Header().Set("Content-Type", resp.Header.Get("Content-Type"))
		w.WriteHeader(resp.StatusCode)
		_, _ = io.Copy(w, resp.Body)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/v1"
}
