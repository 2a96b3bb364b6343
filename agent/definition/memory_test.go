package definition_test

import (
	"testing"

	"docent/agent/definition"
	"docent/agent/session"
	"docent/llm"
	"docent/llm/llmtest"
)

// TestMemory keeps facts with actions and with the tools of a model.
func TestMemory(t *testing.T) {
	t.Parallel()
	model := llmtest.NewModel(llmtest.Script(
		llmtest.Reply{ToolCalls: []llmtest.ToolCall{
			{ID: "a", Name: "remember_fact", Arguments: `{"key":"pet","fact":"a cat"}`},
			{ID: "b", Name: "forget_fact", Arguments: `{"key":"city"}`},
		}},
		llmtest.Reply{ToolCalls: []llmtest.ToolCall{{ID: "c", Name: "recall_facts", Arguments: `{"about":"animals"}`}}},
		llmtest.Say("You have a cat."),
	))
	text := `
name: keeper
states:
  a:
    initial: true
    on: [{matches: ^reason, to: c}, {message: any, to: b}]
  b:
    body:
      - recall: [city, pet]
      - reply: "{{.variables.city}} {{.variables.pet}}"
      - remember: {city: "{{.message}}", old: null}
        keep: 1h
    on: [{matches: ^reason, to: c}, {message: any, to: b}]
  c:
    body: [{reason: {memory: true, planning: false, steps: false}}]
    on: [{message: any, to: b}]
`
	env := definition.Environment{Models: map[string]llm.Model{"m": model}, Model: "m"}
	k, _ := begin(t, parse(t, text, env).Agent, session.RuntimeConfig{Memories: &session.TemporaryMemories{}}, 0)
	equal(t, "first", k.say("Rome"), []string{reply(" ")})
	equal(t, "second", k.say("Paris"), []string{reply("Rome ")})
	equal(t, "tools", k.say("reason"), []string{reply("You have a cat.")})
	equal(t, "third", k.say("Oslo"), []string{reply(" a cat")})
	wrong(t, "name: a\nstates:\n  a:\n    initial: true\n    body: [{reply: x, keep: 1h}]\n", env)
}
