package definition_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"docent/agent"
	"docent/agent/definition"
	"docent/agent/session"
	"docent/agent/tool"
	"docent/internal/fault"
	"docent/llm"
	"docent/llm/llmtest"
	"docent/payload"
)

const shop = `
name: shop
greeting: Welcome!
timezone: Europe/Madrid
threshold: 0.5
properties:
  support: {email: help@shop.example, phones: [one, two]}
entities:
  size: {values: {small: [tiny, little], large: []}}
  colour: {values: [red, green]}
  many: {type: number}
  day: {type: datetime}
  code: {type: regexp, pattern: '[A-Z]{2}\d+', description: a product's code}
  rest: {type: any}
intents:
  order:
    description: orders shirts
    examples: [a SIZE shirt please, I want a SIZE shirt, order a SIZE shirt]
    parameters:
      size: {entity: size, fragment: SIZE}
  bye:
    examples: goodbye
    threshold: 0.9
  help: {examples: [help me, I need help]}
states:
  shop:
    initial: true
    body:
      - reply: "What would you like, {{.username}}?"
      - options: [a small shirt please, "call {{.properties.support.phones.0}}"]
    on:
      - {intent: order, to: ordered}
      - {intent: bye, when: {variable: orders, is: ">=", value: 1}, to: end}
      - {event: [cancelled, lost], to: cancelled}
      - {file: [text/plain, pdf], from: human, to: thanks}
      - {message: json, to: object}
      - {matches: '(?i)\bmanager\b', to: manager}
    fallback:
      - reply: I do not understand “{{.message}}”.
  ordered:
    body:
      - set: {orders: 1, last: "{{.parameters.size}}", open: [1, {a: b}], note: plain, none: null}
      - markdown: A **{{.parameters.size}}** shirt for {{.username}} in {{.session}} ({{.variables.last}}, {{.variables.open}}).
    then: shop
  cancelled: {body: [{reply: "{{.event}} in {{.state}}"}], then: shop}
  object: {body: [{html: "<b>{{.message}}</b>"}], then: shop}
  thanks: {body: [{reply: "Thanks for {{.message}}."}], then: shop}
  manager: {body: [rag: {question: "manager of {{.username}}", k: 7, history: 3, collections: staff, min_evidence: 0.2, prompt: Be short.}], then: shop}
  help: {global: help, body: [{reply: "Write to {{.properties.support.email}}."}]}
  end: {body: [{reply: Bye.}], on: [{message: any, from: human, to: shop}]}
`

// TestShop walks through an agent that uses most of the format.
func TestShop(t *testing.T) {
	t.Parallel()
	d := parse(t, shop, definition.Environment{})
	if d.Location == nil || d.Location.String() != "Europe/Madrid" || d.History != 3 {
		t.Errorf("location %v, history %d", d.Location, d.History)
	}
	k, greeting := begin(t, d.Agent, session.RuntimeConfig{}, 3)
	ask := []string{
		reply("What would you like, ada?"), `agent_reply_options "{\"0\": \"a small shirt please\", \"1\": \"call one\"}"`,
	}
	equal(t, "greeting", greeting, append([]string{reply("Welcome!")}, ask...))
	equal(t, "fallback", k.say("where is the moon"), []string{reply("I do not understand “where is the moon”.")})
	equal(t, "no order yet", k.say("goodbye"), []string{reply("I do not understand “goodbye”.")})
	equal(t, "order", k.say("I want a tiny shirt"), append([]string{
		`agent_reply_markdown "A **small** shirt for ada in s (small, [1,{\"a\":\"b\"}])."`,
	}, ask...))
	equal(t, "help", k.say("help me"), append([]string{reply("Write to help@shop.example.")}, ask...))
	equal(t, "file", k.give(payload.File{Name: "a.txt", Type: "text/plain", Base64: "AAAA"}), append([]string{reply("Thanks for a.txt.")}, ask...))
	equal(t, "object", k.say(`{"message": "<i>"}`), append([]string{strings.Replace(reply("<b>&lt;i&gt;</b>"), "str", "html", 1)}, ask...))
	if err := k.rt.Dispatch(t.Context(), "s", agent.Event{Name: "lost"}); err != nil {
		t.Fatal(err)
	}
	equal(t, "event", k.heard(), append([]string{reply("lost in cancelled")}, ask...))
	if got := k.say("I want the Manager"); len(got) != 3 || !strings.Contains(got[0], "manager of ada") {
		t.Errorf("rag: %q", got)
	}
	q := k.rag.Requests()[0]
	if q.K != 7 || q.History != 3 || q.Prompt != "Be short." || !slices.Equal(q.Collections, []string{"staff"}) || *q.MinEvidence != .2 || q.Question != "manager of ada" {
		t.Errorf("rag request %+v", q)
	}
	equal(t, "bye", k.say("Goodbye!"), []string{reply("Bye.")})
	record, _, _ := k.store.Stored("s")
	if got := string(record.Variables["orders"]) + string(record.Variables["note"]) + string(record.Variables["none"]); got != `1"plain"` {
		t.Errorf("variables %s", got)
	}
}

func equal(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n  %s\nwant\n  %s", what, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// TestTimed checks that after and when need no event.
func TestTimed(t *testing.T) {
	t.Parallel()
	d := parse(t, `
name: timed
states:
  wait:
    initial: true
    on:
      - {after: 1ms, when: {variable: ready, value: true}, to: count}
      - {message: any, to: ready}
  ready: {body: [set: {ready: true}], then: wait}
  count: {body: [{reply: counting}, set: {ready: false}], on: [{when: {variable: n, is: ">", value: 2}, to: done}]}
  done: {body: [{reply: done}]}
`, definition.Environment{})
	k, _ := begin(t, d.Agent, session.RuntimeConfig{ConditionInterval: time.Millisecond}, 0)
	if err := k.sub.Send(t.Context(), session.Message{Content: []byte(`"go"`), Human: true}); err != nil {
		t.Fatal(err)
	}
	for f := k.next(); f.Action != payload.ReplyStr; f = k.next() { // in this turn or in a separate one
	}
}

func TestReasoning(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"films/inception.md": "Inception is a film.", "skills/films.md": "---\nname: films\n---\nSay who directed it.",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	model := llmtest.NewModel(llmtest.Script(
		llmtest.Reply{ToolCalls: []llmtest.ToolCall{{ID: "1", Name: "read_file", Arguments: `{"relative_path":"inception.md"}`}}},
		llmtest.Say("It is a film."),
	))
	server := &toolServer{}
	var asked definition.MCPServer
	env := definition.Environment{
		Models: map[string]llm.Model{"scripted": model}, Model: "scripted", Knowledge: knowledge(), Dir: dir,
		Variable: func(name string) (string, bool) { return "secret", name == "TOKEN" },
		MCP: func(_ context.Context, s definition.MCPServer) (definition.ToolServer, error) {
			asked = s
			return server, nil
		},
	}
	d := parse(t, `
name: films
tools:
  knowledge: true
  workspaces: [{name: films, path: films, description: about films}]
  skills: ./skills
  mcp:
    - {name: web, url: https://tools.example/mcp, headers: {Authorization: "Bearer ${TOKEN}"}, timeout: 5s, tools: [look]}
states:
  think:
    initial: true
    body: [reason: {max_steps: 4, system: You know films., planning: false, steps: true, parallel: 2,
      history_tokens: 0, tool_timeout: 5s, fallback: No idea.}]
    on: [{message: any, to: think}]
`, env)
	if asked.Headers["Authorization"] != "Bearer secret" || asked.Timeout != 5*time.Second || !slices.Equal(asked.Tools, []string{"look"}) {
		t.Errorf("MCP server %+v", asked)
	}
	k, _ := begin(t, d.Agent, session.RuntimeConfig{}, 0)
	got := k.say("what is Inception?")
	if last := got[len(got)-2]; last != reply("It is a film.") {
		t.Errorf("answered %q", got)
	}
	r := model.Requests()[0]
	if len(r.Messages) != 2 || !strings.Contains(r.Messages[0].Content, "You know films.") || !strings.Contains(r.Messages[0].Content, "Say who directed it.") {
		t.Errorf("prompt %+v", r.Messages)
	}
	if err := d.Close(); err != nil || !server.closed {
		t.Errorf("Close: %v, the server closed %v", err, server.closed)
	}
}

// toolServer is a ToolServer with one tool.
type toolServer struct {
	err    error
	closed bool
}

func (s *toolServer) Tools(context.Context) ([]tool.Tool, error) {
	return []tool.Tool{{Name: "web_look", Call: func(context.Context, json.RawMessage) (any, error) { return "seen", nil }}}, s.err
}
func (s *toolServer) Close() { s.closed = true }

// TestServerAway checks that a failed start closes the resources opened before,
// and that the error keeps its kind.
func TestServerAway(t *testing.T) {
	t.Parallel()
	server := &toolServer{err: fault.New(fault.Unavailable, "test_sentence", "it does not answer")}
	env := definition.Environment{MCP: func(context.Context, definition.MCPServer) (definition.ToolServer, error) { return server, nil }}
	_, err := definition.Parse(t.Context(), "agent.yaml", []byte(`name: a
states: {a: {initial: true, body: [reason]}}
tools:
  mcp:
    - {name: web, command: [look]}
`), env)
	if fault.KindOf(err) != fault.Unavailable || !strings.Contains(err.Error(), "agent.yaml:5: it does not answer") || !server.closed {
		t.Errorf("error %v, the server closed %v", err, server.closed)
	}
	env.MCP = func(context.Context, definition.MCPServer) (definition.ToolServer, error) {
		return nil, errors.New("not there")
	}
	if _, err := definition.Parse(t.Context(), "agent.yaml", []byte("name: a\nstates: {a: {initial: true}}\ntools: {mcp: [{name: web, command: [look]}]}"), env); err == nil {
		t.Error("no error")
	}
}

// TestLLMClassifier checks that a model classifies intents.
func TestLLMClassifier(t *testing.T) {
	t.Parallel()
	model := llmtest.NewModel(llmtest.Script(llmtest.Say(`{"order": {"score": 0.9}}`)))
	d := parse(t, `
name: llm
classifier: llm
intents: {order: {description: orders something}}
states:
  a: {initial: true, on: [{intent: order, to: b}]}
  b: {body: [{reply: ordered}]}
`, definition.Environment{Models: map[string]llm.Model{"m": model}, Model: "m"})
	k, _ := begin(t, d.Agent, session.RuntimeConfig{}, 0)
	equal(t, "order", k.say("two, please"), []string{reply("ordered")})
}

func TestLoad(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := "name: a\nstates: {a: {initial: true}}\n"
	d, err := definition.Load(t.Context(), write("good.yaml", good), definition.Environment{})
	if err != nil || d.Agent.Name() != "a" {
		t.Fatalf("%v", err)
	}
	for name, want := range map[string]string{
		write("good.txt", good):                                   "must end in .yaml or .yml",
		filepath.Join(dir, "none.yml"):                            "no such file",
		write("large.yaml", good+strings.Repeat("#", 1<<20)):      "larger than 1048576 bytes",
		write("relative.yaml", good+"tools: {skills: nowhere}\n"): "relative.yaml:3: skills: there is no folder " + filepath.Join(dir, "nowhere"),
	} {
		_, err := definition.Load(t.Context(), name, definition.Environment{})
		if err == nil || !strings.Contains(err.Error(), want) || fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}

// TestBegin enters states without an event. The body then has no question to
// answer, unless the file contains one.
func TestBegin(t *testing.T) {
	t.Parallel()
	d := parse(t, `
name: begin
greeting: Hello!
states:
  a: {initial: true, body: [rag, reason, rag: {question: what is new}], on: [{message: any, to: a}]}
`, definition.Environment{})
	k, greeting := begin(t, d.Agent, session.RuntimeConfig{}, 2)
	if greeting[0] != reply("Hello!") || !strings.Contains(greeting[1], "what is new") || len(k.rag.Requests()) != 1 {
		t.Errorf("greeting %q", greeting)
	}
	if got := k.say("and now?"); len(got) != 4 { // two answers, the second from reason after its notice
		t.Errorf("answered %q", got)
	}
}

// TestConditionNames checks the conditions of the stored moves.
func TestConditionNames(t *testing.T) {
	t.Parallel()
	d := parse(t, `
name: names
intents: {order: {examples: [I want to order, order a pump]}}
states:
  a:
    initial: true
    on:
      - {matches: ^kinds, from: human, to: b}
      - {intent: order, to: b}
      - {message: text, when: {variable: paid, value: true}, to: b}
      - {message: any, to: pay}
  b: {on: [{after: 1ms, to: a}]}
  pay: {body: [set: {paid: true}], then: a}
`, definition.Environment{})
	k, _ := begin(t, d.Agent, session.RuntimeConfig{ConditionInterval: time.Millisecond}, 0)
	for _, text := range []string{"kinds of pumps", "order a pump", "nothing", "nothing"} {
		k.say(text)
	}
	var got []string
	for _, m := range k.store.Transitions("s") {
		if m.Source == "a" {
			got = append(got, m.Condition)
		}
	}
	equal(t, "conditions", got, []string{"matches ^kinds and from human", "Intent Matching - order", "", "variable paid == true"})
}
