package definition_test

import (
	"context"
	"encoding/json"
	"testing"

	"docent/agent/definition"
	"docent/agent/session"
	"docent/agent/tool"
	"docent/llm"
	"docent/llm/llmtest"
)

// TestApprove: after the answer, a body goes on with the action that asked, also inside of if.
func TestApprove(t *testing.T) {
	t.Parallel()
	paid := 0
	pay := tool.Tool{Name: "pay", Call: func(context.Context, json.RawMessage) (any, error) { paid++; return "paid", nil }}
	model := llmtest.NewModel(llmtest.Script(
		llmtest.Reply{ToolCalls: []llmtest.ToolCall{{ID: "a", Name: "pay", Arguments: `{}`}}}, llmtest.Say("It is paid."),
	))
	text := `
name: desk
tools: {functions: [pay]}
states:
  a: {initial: true, on: [{message: any, to: b}]}
  b:
    body:
      - reply: Let me see.
      - if: {variable: quick}
        then: [{reply: quick}]
        else:
          - set: {quick: true}
          - reason: {approve: [pay], approve_within: 1h, steps: false, planning: false}
          - reply: Anything else?
      - reply: Bye.
    on: [{message: any, to: b}]
`
	env := definition.Environment{Models: map[string]llm.Model{"m": model}, Model: "m", Functions: []tool.Tool{pay}}
	k, _ := begin(t, parse(t, text, env).Agent, session.RuntimeConfig{}, 0)
	equal(t, "question", k.say("Pay"), []string{
		reply("Let me see."), reply("May I call pay with {}?"),
		`agent_reply_options "{\"0\": \"Allow\", \"1\": \"Refuse\", \"2\": \"Always allow in this conversation\"}"`,
	})
	equal(t, "answer", k.say("Allow"), []string{ // without the step, a crash could repeat the call
		`agent_reply_reasoning_step {"kind":"llm_tool_calls","step":0,"summary":"calling 1 tool(s): pay",` +
			`"details":{"tool_calls":[{"id":"a","name":"pay","arguments":{}}],"approved":["a"]}}`,
		reply("It is paid."), reply("Anything else?"), reply("Bye."),
	})
	equal(t, "later", k.say("x"), []string{reply("Let me see."), reply("quick"), reply("Bye.")})
	if paid != 1 {
		t.Errorf("paid %d times", paid)
	}
	wrong(t, `
name: desk
model: m
states:
  a: {initial: true, body: [{reason: {approve: [pay]}}], on: [{message: any, to: a}]}
`, env)
}
