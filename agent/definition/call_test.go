package definition_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"docent/agent"
	"docent/agent/definition"
	"docent/agent/session"
	"docent/agent/tool"
	"docent/internal/fault"
	"docent/llm"
	"docent/llm/llmtest"
)

// buffer is a log that is read while it is written.
type buffer struct {
	mu   sync.Mutex // guards text
	text strings.Builder
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// parcels are the arguments of the function price.
type parcels struct {
	Parcels int    `json:"parcels"`
	Express string `json:"express,omitempty"`
}

// functions are the functions of a program.
func functions(t *testing.T) []tool.Tool {
	t.Helper()
	price, err := tool.New("price", "Computes the price of parcels.", func(ctx context.Context, p parcels) (any, error) {
		if p.Parcels > 100 {
			return nil, errors.New("too many")
		}
		s, ok := agent.SessionFrom(ctx)
		return map[string]any{"euros": 4 * p.Parcels, "express": p.Express, "for": s.Username(), "ok": ok}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return []tool.Tool{price}
}

const calls = `
name: calls
tools: {mcp: [{name: web, url: "http://tools.example"}]}
states:
  a: {initial: true, on: [{message: any, to: b}]}
  b:
    body:
      - call: {tool: price, arguments: {parcels: "{{.message * 1}}", express: "{{.variables.none}}"}, into: price}
        else: [{reply: No price.}]
      - if: {variable: price}
        then: [{reply: "{{.variables.price.euros}} {{.variables.price}}"}]
      - call: {tool: web_look, into: seen}
      - reply: "{{.variables.seen}}"
      - set: {price: null}
    then: a
`

// TestCall calls a function of the program and a tool of an MCP server.
func TestCall(t *testing.T) {
	t.Parallel()
	server := &toolServer{}
	env := definition.Environment{
		Functions: functions(t),
		MCP:       func(context.Context, definition.MCPServer) (definition.ToolServer, error) { return server, nil },
	}
	d := parse(t, calls, env)
	k, _ := begin(t, d.Agent, session.RuntimeConfig{}, 0)
	equal(t, "a call", k.say("3"), []string{reply(`12 {"euros":12,"express":"","for":"ada","ok":true}`), reply("seen")})
	equal(t, "a function fails", k.say("101"), []string{reply("No price."), reply("seen")})
	equal(t, "no number", k.say("x"), []string{reply("No price."), reply("seen")})

	got := wrong(t, strings.Replace(calls, "tool: web_look", "tool: web_see", 1), env)
	equal(t, "an unknown tool", got, []string{`agent.yaml:12: there is no tool "web_see" to call; there are: price, web_look`})
	server.err = definition.ErrNotListed
	parse(t, strings.Replace(calls, "tool: web_look", "tool: web_see", 1), env)
}

// TestFailedCall fails the turn of a call without else. The log has the cause.
func TestFailedCall(t *testing.T) {
	t.Parallel()
	broken := tool.Tool{Name: "broken", Call: func(context.Context, json.RawMessage) (any, error) { panic("no tariff") }}
	var log buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	d := parse(t, `
name: calls
states:
  a: {initial: true, on: [{message: any, to: b}]}
  b:
    body:
      - if: {variable: wild}
        then: [call: {tool: broken}]
      - set: {wild: true}
      - call: {tool: price, arguments: {parcels: "{{.message}}"}}
      - reply: never
    then: a
`, definition.Environment{Functions: append(functions(t), broken), Logger: logger})
	k, _ := begin(t, d.Agent, session.RuntimeConfig{Logger: logger}, 0)
	for _, want := range []string{
		`agent.yaml:10: price: Invalid argument 'parcels': expected integer"`, `tool=broken panic="no tariff"`,
	} {
		if got := k.say("x"); strings.Contains(strings.Join(got, ""), "never") {
			t.Errorf("said %q", got)
		}
		if text := log.String(); !strings.Contains(text, want) || !strings.Contains(text, "session=s") || !strings.Contains(text, "state=b") {
			t.Errorf("the log has not %s:\n%s", want, text)
		}
	}
}

// TestModels names one model for each reply.
func TestModels(t *testing.T) {
	t.Parallel()
	models := map[string]*llmtest.Model{
		"main": llmtest.NewModel(llmtest.Script(llmtest.Say("from main"), llmtest.Say("of reason"))),
		"tiny": llmtest.NewModel(llmtest.Script(llmtest.Say("a title"))), "far": llmtest.NewModel(llmtest.Script(llmtest.Say("from far"))),
	}
	var opened []definition.ModelServer
	env := definition.Environment{
		Models: map[string]llm.Model{"main": models["main"]}, Model: "main",
		Variable: func(name string) (string, bool) { return "secret", name == "KEY" },
		OpenModel: func(m definition.ModelServer) (llm.Model, error) {
			opened = append(opened, m)
			if m.Model == "broken" {
				return nil, fault.New(fault.Invalid, "test_sentence", "not so")
			}
			return models[m.Model], nil
		},
	}
	const text = `
name: models
models:
  small: {model: tiny}
  remote: {model: far, url: "http://models.example/v1", key: "${KEY}"}
states:
  a: {initial: true, body: [llm], on: [{message: any, to: b}]}
  b:
    body:
      - llm
      - llm: {model: small, prompt: "A title for: {{.message}}", system: Be brief., into: title}
      - reply: "*{{.variables.title}}*"
      - llm: {model: remote, history: 2}
      - rag: {model: small}
      - rag: {model: extractive}
      - reason
    then: a
`
	d := parse(t, text, env)
	if len(opened) != 2 || opened[1] != (definition.ModelServer{Model: "far", URL: "http://models.example/v1", Key: "secret"}) || len(d.Models) != 2 || d.History != 2 {
		t.Errorf("opened %+v, models %v, history %d", opened, d.Models, d.History)
	}
	k, _ := begin(t, d.Agent, session.RuntimeConfig{}, 0)
	got := k.say("hi")
	if len(got) < 5 || got[0] != reply("from main") || got[1] != reply("*a title*") || got[2] != reply("from far") || got[len(got)-1] != reply("of reason") {
		t.Errorf("said %q", got)
	}
	if m := models["tiny"].Requests()[0].Messages; len(m) != 2 || m[0].Content != "Be brief." || m[1].Content != "A title for: hi" {
		t.Errorf("asked %+v", m)
	}
	if q := k.rag.Requests(); len(q) != 2 || q[0].Model != "small" || q[1].Model != "extractive" {
		t.Errorf("rag requests %+v", q)
	}
	for _, test := range []struct{ text, want string }{
		{"models: {x: {}}\n" + head, "agent.yaml:1: model x needs the key model"},
		{"models: {x: {model: broken}}\n" + head, "agent.yaml:1: model x: not so"},
		{"models: {main: {model: a}}\n" + head, "agent.yaml:1: model main has the name of another one"},
		{"models: {x: {model: a, key: b}}\n" + head, "agent.yaml:1: model x has a key without url"},
		{"models: {x: {model: a, url: b}}\n" + head, "agent.yaml:1: url must begin with http"},
		{head + "    body: [llm: {into: model_context_x}]", `agent.yaml:5: the variable "model_context_x" is the agent's own`},
		{"models: {x: {model: tiny}}\n" + head + "    body: [llm: {model: y}]", `agent.yaml:6: there is no chat model "y": there is main, x`},
	} {
		if got := wrong(t, test.text, env); len(got) != 1 || !strings.HasPrefix(got[0], test.want) {
			t.Errorf("%s\nis told as\n  %s\nwant\n  %s", test.text, strings.Join(got, "\n  "), test.want)
		}
	}
	got = wrong(t, "models: {x: {model: a}}\n"+head+"    body: [llm]", definition.Environment{})
	equal(t, "without models", got, []string{
		"agent.yaml:1: models cannot be named here: leave models out",
		"agent.yaml:6: llm needs a chat model and none is set up: write needs: model in the state",
	})
	parse(t, "name: a\nstates:\n  a: {initial: true, on: [{message: any, to: b}]}\n  b: {needs: model, body: [llm], on: [{message: any, to: a}]}", definition.Environment{})
}

// TestArguments leaves out arguments without a value and keeps the types of others.
func TestArguments(t *testing.T) {
	t.Parallel()
	var given []string
	echo := tool.Tool{
		Name: "echo", Parameters: json.RawMessage(`{"type": "object", "additionalProperties": true}`),
		Call: func(_ context.Context, arguments json.RawMessage) (any, error) {
			given = append(given, string(arguments))
			return nil, nil
		},
	}
	d := parse(t, `
name: arguments
states:
  a: {initial: true, on: [{message: any, to: b}]}
  b: {body: [call: {tool: echo, arguments: {a: "{{.data.a}}", b: "{{.data.b}}", c: ["{{.data.c}}"], d: 1}, into: ok}, reply: "{{.variables.ok}}"], then: a}
`, definition.Environment{Functions: []tool.Tool{echo}})
	k, _ := begin(t, d.Agent, session.RuntimeConfig{}, 0)
	equal(t, "a result of nil", k.say(`{"a": {"x": 1}, "c": true}`), []string{reply("OK")})
	equal(t, "arguments", given, []string{`{"a":{"x":1},"c":[true],"d":1}`})
}

// TestFunctionsForReasoning gives functions of the program to a reasoning model.
func TestFunctionsForReasoning(t *testing.T) {
	t.Parallel()
	model := llmtest.NewModel(llmtest.Script(llmtest.Say("yes")))
	env := definition.Environment{Models: map[string]llm.Model{"m": model}, Model: "m", Functions: functions(t)}
	const file = `
name: thinks
tools: {functions: [price]}
states:
  a: {initial: true, body: [reason: {steps: false, planning: false}], on: [{message: any, to: a}]}
`
	k, _ := begin(t, parse(t, file, env).Agent, session.RuntimeConfig{}, 0)
	equal(t, "an answer", k.say("hello"), []string{reply("yes")})
	if tools := model.Requests()[0].Tools; len(tools) != 1 || tools[0] != "price" {
		t.Errorf("the model may call %v, want price", tools)
	}
	equal(t, "an unknown function", wrong(t, strings.Replace(file, "[price]", "[cost]", 1), env),
		[]string{`agent.yaml:3: there is no function "cost" of the program; there are: price`})
}
