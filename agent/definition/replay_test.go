package definition_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"docent/agent/agenttest"
	"docent/agent/chat"
	"docent/agent/definition"
	"docent/agent/recording"
	"docent/agent/session"
	"docent/agent/tool"
	"docent/llm"
	"docent/llm/llmtest"
)

// TestReplayOfTools: a stored conversation with calls of tools shows no differences with the same agent, and those of another.
func TestReplayOfTools(t *testing.T) {
	t.Parallel()
	stock := func(name string) tool.Tool {
		return tool.Tool{
			Name: name, Parameters: json.RawMessage(`{"type":"object","additionalProperties":true}`),
			Call: func(_ context.Context, arguments json.RawMessage) (any, error) {
				if strings.Contains(string(arguments), "pump") {
					return nil, &tool.Error{Text: "no pumps"}
				}
				return map[string]int{"count": 12}, nil
			},
		}
	}
	call := func(all ...string) (r llmtest.Reply) {
		for i := 0; i < len(all); i += 2 {
			r.ToolCalls = append(r.ToolCalls, llmtest.ToolCall{ID: "c", Name: all[i], Arguments: all[i+1]})
		}
		return r
	}
	model := llmtest.NewModel(llmtest.Script(
		call("stock", `{"part":"valve"}`, "stock", `{"part":"pump"}`), llmtest.Say("12 valves, no pumps."),
		llmtest.Say("You are welcome."), call("pay", `{"amount":5}`), llmtest.Say("Paid."),
	))
	const text = `
name: desk
tools: {functions: [stock, pay]}
states:
  a: {initial: true, body: [{reply: Hello}], on: [{message: any, to: b}]}
  b: {body: [{reason: {approve: [pay]}}], on: [{matches: ^bye, to: c}, {message: any, to: b}]}
  c: {body: [{reply: Bye.}], on: [{message: any, to: b}]}
`
	store := agenttest.NewStore()
	env := definition.Environment{Models: map[string]llm.Model{"m": model}, Model: "m", Functions: []tool.Tool{stock("stock"), stock("pay")}}
	rt := agenttest.Start(t, session.RuntimeConfig{Agent: parse(t, text, env).Agent, Store: store})
	sub, _, _ := agenttest.OpenSession(t, rt, "S")
	for _, said := range []string{"How many?", "Thanks", "bye", "Pay 5", "Allow"} {
		agenttest.Send(t, sub, "", said)
		if err := rt.AwaitIdle(t.Context(), "S"); err != nil {
			t.Fatal(err)
		}
	}
	var messages []chat.Message
	var steps []chat.Reasoning
	for _, e := range store.Record("S") {
		if e.Message != nil {
			messages = append(messages, *e.Message)
		} else {
			steps = append(steps, *e.Step)
		}
	}
	rec := recording.FromStored("S", messages, steps, nil)
	const recorded = `agent: Hello
user: How many?
model: call stock {"part":"valve"}
  call stock {"part":"pump"}
tool: stock {"count":12}
tool: stock ERROR: no pumps
model: 12 valves, no pumps.
agent: 12 valves, no pumps.
user: Thanks
model: You are welcome.
agent: You are welcome.
user: bye
agent: Bye.
user: Pay 5
model: call pay {"amount":5}
agent: May I call pay with {"amount":5}?
agent: {"0": "Allow", "1": "Refuse", "2": "Always allow in this conversation"}
user: Allow
tool: pay {"count":12}
model: Paid.
agent: Paid.
`
	if got := rec.String(); got != recorded {
		t.Fatalf("recorded\n%s", got)
	}
	replay := func(text string, rec recording.Recording) []recording.Difference {
		player := recording.NewPlayer(rec)
		d := parse(t, text, definition.Environment{
			Models: map[string]llm.Model{"m": player.Script}, Model: "m", Functions: player.Script.Tools(),
		})
		watched := player.Watch(agenttest.NewStore())
		out, err := player.Play(t.Context(), agenttest.Start(t, session.RuntimeConfig{Agent: d.Agent, Store: watched, Now: player.Now}))
		if err != nil {
			t.Error(err)
		}
		return out
	}
	for name, rec := range map[string]recording.Recording{"recording": rec, "replay": rec.Answered()} {
		if got := replay(text, rec); len(got) > 0 {
			t.Errorf("%s: %s", name, got)
		}
	}
	changed := strings.Replace(text, "Bye.", "See you.", 1)
	got := replay(changed, rec.Answered())
	if len(got) != 1 || got[0].Input.Text != "bye" {
		t.Errorf("a change of one state shows %s", got)
	}
}
