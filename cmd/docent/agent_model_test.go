package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docent/internal/wstest"
	"docent/llm/llmtest"
)

// TestServeCallsAndModels serves an agent file that calls a tool of an MCP server
// and names a model for each reply.
func TestServeCallsAndModels(t *testing.T) {
	t.Parallel()
	model := llmtest.NewServer(llmtest.Script(llmtest.Say("A short title"), llmtest.Say("Valves open pipes [1].")))
	t.Cleanup(model.Close)
	dir := t.TempDir()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "docs/valves.md", "# Valves\n\nValves open and close pipes.", "agent.yaml", `
name: stock
tools:
  mcp: [{name: stock, command: ["${EXE}"], env: {`+asServer+`: `+filepath.Join(dir, "pid")+`}}]
models:
  brief: {model: tiny, url: "${MODELS}", key: "${KEY}"}
states:
  wait: {initial: true, on: [{message: any, to: answer}]}
  answer:
    body:
      - call: {tool: stock_count, arguments: {name: "{{.message}}"}, into: stock}
      - reply: "{{.variables.stock}}"
      - llm: {model: brief, prompt: "A title for {{.variables.stock}}"}
      - rag: {model: brief, question: what do valves do}
    then: wait
`)
	file, data := filepath.Join(dir, "agent.yaml"), filepath.Join(dir, "data")
	env := []string{"DOCENT_DATA=" + data, "EXE=" + exe, "MODELS=" + model.URL, "KEY=secret"}
	if out := docent(t, env, 0, "agent", "check", file); !strings.Contains(out, "is valid: agent stock") {
		t.Errorf("check prints %s", out)
	}
	docent(t, env, 0, "ingest", filepath.Join(dir, "docs"))
	_, at := serve(t, append(env, "DOCENT_AGENT_FILE="+file))
	c := dial(t, at)
	say(t, c, wstest.MessageText, `{"action":"user_message","message":"valves"}`)
	for _, want := range []string{"12 of valves", "A short title", "Valves open pipes"} {
		f := hear(t, c)
		if text, _ := json.Marshal(f["message"]); !strings.Contains(string(text), want) {
			t.Errorf("said %v, want %s", f, want)
		}
	}
	for _, r := range model.Requests() {
		if r.Model != "tiny" {
			t.Errorf("the model %s was asked", r.Model)
		}
	}
}
