package definition_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docent/agent/definition"
	"docent/agent/session"
	"docent/llm"
	"docent/llm/llmtest"
)

// write writes agent files to a folder.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const cashier = `
name: cashier
states:
  ask:
    initial: true
    body: [{reply: "Which card?"}]
    on: [{message: text, to: done}]
  done:
    body: [{set: {card: "{{.message}}"}}]
`

const scout = `
name: scout
states:
  find:
    initial: true
    body: [llm]
`

// TestAgentsOfFiles hands over to the agent of another file, asks several agents at once, and gives one to a model.
func TestAgentsOfFiles(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{"cashier.yaml": cashier, "scout.yaml": scout})
	model := llmtest.NewModel(llmtest.Script(
		llmtest.Reply{ToolCalls: []llmtest.ToolCall{{ID: "a", Name: "scout", Arguments: `{"task":"find a valve"}`}}},
		llmtest.Say("a valve"),
		llmtest.Say("The scout found a valve."),
	))
	text := `
name: desk
tools:
  agents: [{name: scout, agent: scout.yaml, description: finds parts}]
states:
  idle:
    initial: true
    on: [{matches: pay, to: pay}, {matches: both, to: both}, {message: text, to: reason}]
  pay:
    agent: cashier.yaml
    then: paid
  paid:
    body: [{reply: "Paid with {{.variables.card}}."}]
    then: idle
  both:
    body:
      - ask_agent:
          - {agent: cashier.yaml, task: "{{.message}}", into: first, max_tokens: 100}
          - {agent: cashier.yaml, task: again, into: second}
      - reply: "{{.variables.first}}, {{.variables.second}}"
      - call: {tool: scout, arguments: {task: ""}}
        else: [{reply: no task}]
    then: idle
  reason:
    body: [{reason: {planning: false, steps: false}}]
    then: idle
`
	env := definition.Environment{Models: map[string]llm.Model{"m": model}, Model: "m", Dir: dir}
	d := parse(t, text, env)
	if len(d.Files) != 2 {
		t.Errorf("files %q", d.Files)
	}
	cfg := session.RuntimeConfig{}
	cfg.Models.ByName, cfg.Models.Default = env.Models, "m"
	k, _ := begin(t, d.Agent, cfg, 0)
	equal(t, "hand over", k.say("pay"), []string{reply("Which card?")})
	equal(t, "come back", k.say("gold"), []string{reply("Paid with gold.")})
	equal(t, "ask two", k.say("both"), []string{reply(", "), reply("no task")})
	equal(t, "ask with a model", k.say("a valve please"), []string{reply("The scout found a valve.")})
	equal(t, "states", k.states(), strings.Fields("pay pay/ask pay/done paid idle both idle reason idle"))
}

// TestWrongAgentsOfFiles reports missing files, mistakes in them, and files that lead to each other.
func TestWrongAgentsOfFiles(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{
		"bad.yaml": "name: bad\nstates:\n  a:\n    initial: true\n    bodi: []\n",
		"a.yaml":   "name: a\nstates:\n  a:\n    initial: true\n    agent: b.yaml\n",
		"b.yaml":   "name: b\nstates:\n  a:\n    initial: true\n    agent: a.yaml\n",
	})
	for file, want := range map[string]string{
		"none.yaml": "there is no file", "bad.yaml": "bad.yaml:5: state a has no key \"bodi\"", "a.yaml": "for ever",
	} {
		text := "name: x\nstates:\n  a:\n    initial: true\n    agent: " + file + "\n"
		_, err := definition.Parse(t.Context(), "agent.yaml", []byte(text), definition.Environment{Dir: dir})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", file, err, want)
		}
	}
}
