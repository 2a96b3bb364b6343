package definition_test

import (
	"strings"
	"testing"

	"docent/agent/definition"
	"docent/agent/session"
	"docent/llm"
	"docent/llm/llmtest"
)

// TestContext sends the context of the agent and filled system texts to models. States
// without a fallback have that of the file.
func TestContext(t *testing.T) {
	t.Parallel()
	model := llmtest.NewModel(llmtest.Script(llmtest.Say("one"), llmtest.Say("two"), llmtest.Say("three")))
	d := parse(t, `
name: shop
context: You serve a shop.
fallback: [{reply: "Sorry, {{.username}}?"}]
states:
  a: {initial: true, on: [{matches: ^go, to: b}]}
  b:
    body:
      - llm: {system: "The user is {{.username}}."}
      - llm
      - reason: {system: "Help {{.username}}.", steps: false, planning: false}
    on: [{matches: ^go, to: a}]
    fallback: [{reply: Own.}]
`, definition.Environment{Model: "m", Models: map[string]llm.Model{"m": model}})
	k, _ := begin(t, d.Agent, session.RuntimeConfig{}, 0)
	equal(t, "the fallback of the file", k.say("x"), []string{reply("Sorry, ada?")})
	equal(t, "answers", k.say("go"), []string{reply("one"), reply("two"), reply("three")})
	equal(t, "the fallback of the state", k.say("x"), []string{reply("Own.")})
	for i, want := range []string{"The user is ada.\n\nYou serve a shop.", "You serve a shop.", "Help ada.\n\nYou serve a shop."} {
		if got := model.Requests()[i].Messages[0]; got.Role != string(llm.System) || !strings.HasPrefix(got.Content, want) {
			t.Errorf("request %d begins with %s %q, want %q", i, got.Role, got.Content, want)
		}
	}
}

// TestSchema asks for an object. Its values keep their types.
func TestSchema(t *testing.T) {
	t.Parallel()
	model := llmtest.NewModel(llmtest.Script(llmtest.Say(`{"size": "huge"}`), llmtest.Say(`{"size": "large", "count": 2}`)))
	const file = `
name: shirts
states:
  a: {initial: true, on: [{message: any, to: b}]}
  b:
    body:
      - llm:
          prompt: "What is ordered? {{.message}}"
          schema: {type: object, required: [size], properties: {size: {enum: [small, large]}, count: {type: integer, minimum: 1}}}
          into: order
      - reply: "{{.variables.order.count + 1}} {{.variables.order.size}}"
    then: a
`
	env := definition.Environment{Model: "m", Models: map[string]llm.Model{"m": model}}
	d := parse(t, file, env)
	k, _ := begin(t, d.Agent, session.RuntimeConfig{}, 0)
	equal(t, "order", k.say("two large ones"), []string{reply("3 large")})
	for from, want := range map[string]string{
		"          into: order\n": "llm with a schema needs into",
		"type: object, ":          "schema cannot be used",
	} {
		if errs := wrong(t, strings.Replace(file, from, "", 1), env); !strings.Contains(errs[0], want) {
			t.Errorf("without %q: %q", from, errs)
		}
	}
}

// TestNumbers keeps all digits of numbers, and compares them exactly.
func TestNumbers(t *testing.T) {
	t.Parallel()
	d := parse(t, `
name: numbers
properties: {most: 100000000000000000000000}
states:
  a: {initial: true, on: [{message: any, to: b}]}
  b:
    body:
      - set: {id: "{{.data.id}}", time: 1764193000000}
      - reply: "{{.variables.id}} {{.data.big}} {{.data.share}} {{.properties.most}}"
      - reply: "{{.variables.time + 1}} {{0.1 + 0.2}} {{.variables.time * .data.share}}"
      - if: {variable: id, value: 7318294650012345679}
        then: [{reply: equal}]
      - if: {variable: id, is: "<", value: 7318294650012345679}
        then: [{reply: less}]
      - if: {variable: time, value: 1764193000000.0}
        then: [{reply: same}]
    on:
      - {when: {variable: id, is: ">=", value: 7318294650012345679}, to: a}
      - {message: any, to: b}
`, definition.Environment{})
	k, _ := begin(t, d.Agent, session.RuntimeConfig{}, 0)
	equal(t, "numbers", k.say(`{"id": 7318294650012345678, "big": 100000000000000000000000, "share": 0.5}`), []string{
		reply("7318294650012345678 100000000000000000000000 0.5 100000000000000000000000"),
		reply("1764193000001 0.3 882096500000"), reply("less"), reply("same"),
	})
	equal(t, "states", k.states(), []string{"b"})
}
