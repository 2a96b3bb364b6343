package definition_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"gopkg.in/yaml.v3"

	"docent/agent/definition"
	"docent/llm"
	"docent/llm/llmtest"
)

// readSchema returns the schema of agent files.
var readSchema = sync.OnceValues(func() (*jsonschema.Resolved, error) {
	var s jsonschema.Schema
	if err := json.Unmarshal(definition.Schema(), &s); err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	return s.Resolve(nil)
})

// conforms checks a file with the schema, as an editor does.
func conforms(t *testing.T, text string) error {
	t.Helper()
	s, err := readSchema()
	if err != nil {
		t.Fatal(err)
	}
	var n yaml.Node
	if err := yaml.Unmarshal([]byte(text), &n); err != nil {
		return fmt.Errorf("no YAML: %w", err)
	}
	if len(n.Content) == 0 {
		return fmt.Errorf("an empty file")
	}
	values := 0
	return s.Validate(plain(n.Content[0], &values))
}

// plain returns a value with texts as keys and without dates, as JSON has it.
func plain(n *yaml.Node, values *int) any {
	if *values++; *values > definition.MaxValues {
		return nil
	}
	switch n.Kind {
	case yaml.AliasNode:
		return plain(n.Alias, values)
	case yaml.MappingNode:
		out := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			out[n.Content[i].Value] = plain(n.Content[i+1], values)
		}
		return out
	case yaml.SequenceNode:
		out := []any{}
		for _, item := range n.Content {
			out = append(out, plain(item, values))
		}
		return out
	}
	var out any
	if n.Tag == "!!timestamp" || n.Decode(&out) != nil {
		return n.Value
	}
	if i, ok := out.(int); ok {
		return float64(i)
	}
	return out
}

// beyond matches errors that no schema finds, because they concern several parts of
// a file, YAML itself, other files, or the environment.
var beyond = regexp.MustCompile(`there is no |no intent has the parameter|docent cannot tell|no way leads|no state leads|is never taken|which is unknown|is initial|are both initial|at once, for ever|` +
	`has the key .* twice|second ---|cannot merge|more than 20000 values|needs a chat model|cannot be used here|cannot be named here|` +
	`not set in the environment|regular expression|entity "|intent ".* is|no documents here|no example of intent|it is known by nothing else|` +
	`without }}|which is no calculation|which is too long|is too long|is larger than|is not a picture|is not sound|nested more than|` +
	`has \d+ values for|two columns|bytes, without control|two transitions on|must begin with|is about an event|not so|another one|fallback_intent|` +
	`names the variable|is not a number that JSON|two MCP servers|address, which begins|prompt has`)

// agree checks that the schema rejects a file if any error is within its reach.
func agree(t *testing.T, text string, errors []string) {
	t.Helper()
	for _, e := range errors {
		if !beyond.MatchString(e) {
			if conforms(t, text) == nil {
				t.Errorf("the schema accepts\n%.500s\nbut: %s", text, e)
			}
			return
		}
	}
}

// places are the definitions of the schema for the mappings that the reader reads.
var places = map[string]string{
	"an agent": "", "state": "state", "a transition": "transition", "an action": "settings", "entity": "entity",
	"intent": "intent", "parameter": "parameter", "model": "model", "tools": "tools", "guards": "guards", "a trigger": "trigger", "a guard": "guard", "a workspace": "workspace",
	"an MCP server": "mcp", "rag": "rag", "llm": "llm", "reason": "reason", "dataframe": "dataframe", "file": "file",
	"gui": "gui", "session_rag": "session_rag", "session_documents": "session_documents", "add_document": "add_document",
	"location": "location", "if": "if", "when": "when", "call": "call", "ask_agent": "ask_agent", "a tool of agents": "agent_tool",
	"send_to_peer": "send_to_peer",
}

// everything is a file with every mapping of the format.
const everything = `
name: everything
model: m
models: {small: {model: s}}
k: 3
history: 2
classifier: examples
threshold: 0.5
timezone: UTC
entities: {e: {type: number}}
intents: {i: {examples: a N, parameters: {p: {entity: e, fragment: N}}}}
guards: {user: [{name: a, matches: b, reply: c}, {ask: is it bad, model: m}], agent: [{longer_than: 5}, {languages: [en]}]}
tools: {knowledge: false, functions: [price], agents: [{name: scout, agent: scout.yaml, description: finds parts, max_tokens: 5}], workspaces: [{name: w, path: ., writable: true}], mcp: [{name: x, url: "http://x.example", timeout: 1m}]}
triggers: {morning: {at: "9:00", days: weekdays, for: "group:sales"}}
states:
  a:
    initial: true
    body: [rag, about]
    on: &on
      - {intent: i, from: human, to: b}
      - {no_intent: true, when: {variable: v, is: "==", value: 1}, to: b}
      - {message: any, to: b}
      - {form: order, to: c}
      - {after: 5s, to: b}
      - {at: "9:00", days: [weekdays, sun], to: b}
      - {event: morning, to: b}
  b:
    needs: model
    body:
      - rag: {k: 3, history: 2, model: small}
      - session_rag: {k: 3, history: 2, model: small}
      - session_documents: {title: a, text: b}
      - add_document: {collection: manuals}
      - gui: {id: a, model: {}}
      - llm: {history: 3}
      - reason: {max_steps: 3, planning: true, steps: false, memory: true, approve: [price], parallel: 2, history_tokens: 0, tool_timeout: 2s}
      - dataframe: {columns: a, rows: []}
      - file: {name: a.txt, text: a}
      - location: {latitude: 1, longitude: 2}
      - if: {parameter: p}
        then: [{reply: a}]
      - remember: {city: Rome}
        keep: 1h
      - recall: [city]
      - call: {tool: web_look}
      - call: {tool: web_look, approve: true, approve_within: 1h, question: "Now?"}
        else: [reply: no]
      - send_to_peer: {url: "ws://peer.example", message: hi}
      - ask_agent: {agent: scout.yaml, task: find a valve, into: part, max_tokens: 5}
    on: *on
  c:
    agent: scout.yaml
    on: [{message: any, to: a}]
`

// schemaEnv has all resources that a file may use.
func schemaEnv(t *testing.T) definition.Environment {
	t.Helper()
	model := llmtest.NewModel(llmtest.Script(llmtest.Say("yes")))
	return definition.Environment{
		Models: map[string]llm.Model{"m": model}, Model: "m", Knowledge: knowledge(), Dir: write(t, map[string]string{"scout.yaml": scout}),
		Functions: functions(t),
		OpenModel: func(definition.ModelServer) (llm.Model, error) { return model, nil },
		MCP:       func(context.Context, definition.MCPServer) (definition.ToolServer, error) { return &toolServer{}, nil },
	}
}

// TestSchemaConstructs compares the keys, words, and bounds of the reader with those
// of the schema, in both directions.
func TestSchemaConstructs(t *testing.T) {
	t.Parallel()
	var s jsonschema.Schema
	if err := json.Unmarshal(definition.Schema(), &s); err != nil {
		t.Fatal(err)
	}
	read := map[string][][]string{}
	seen := func(what string, words []string) {
		words = slices.Sorted(slices.Values(words))
		for _, kind := range []string{what, strings.SplitN(what, " ", 2)[0]} {
			read[kind] = append(read[kind], words)
		}
	}
	d, err := definition.ParseSeen(t.Context(), []byte(everything), schemaEnv(t), seen)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	reached := map[string]bool{}
	for what, place := range places {
		at := &s
		if place != "" {
			at = s.Definitions[place]
		}
		reached[place] = true
		want := slices.Sorted(maps.Keys(at.Properties))
		if !slices.ContainsFunc(read[what], func(got []string) bool { return slices.Equal(got, want) }) {
			t.Errorf("%s: the reader has the keys %v, the schema %v", what, read[what], want)
		}
	}
	for name, at := range s.Definitions {
		if len(at.Properties) > 0 && !reached[name] {
			t.Errorf("the definition %s is not compared", name)
		}
		compareWords(t, name, at, read)
	}
	compareWords(t, "the agent", &s, read)
	compareWords(t, "a list of actions", &jsonschema.Schema{Properties: map[string]*jsonschema.Schema{
		"is": s.Definitions["operator"], "an action without settings": s.Definitions["action"].AnyOf[0],
	}}, read)
}

// compareWords compares the words and the bounds of each property.
func compareWords(t *testing.T, of string, s *jsonschema.Schema, read map[string][][]string) {
	t.Helper()
	for name, p := range s.Properties {
		var want []string
		switch {
		case len(p.Enum) > 0:
			for _, word := range p.Enum {
				want = append(want, fmt.Sprint(word))
			}
		case p.Type == "boolean":
			want = []string{"true", "false"}
		case p.Type == "integer":
			want = []string{fmt.Sprintf("%.0f", *p.Minimum), fmt.Sprintf("%.0f", *p.Maximum)}
		default:
			continue
		}
		slices.Sort(want)
		if !slices.ContainsFunc(read[name], func(got []string) bool { return slices.Equal(got, want) }) {
			t.Errorf("%s of %s: the reader has %v, the schema %v", name, of, read[name], want)
		}
	}
}

// TestSchemaFiles checks the valid files of the repository with the schema.
func TestSchemaFiles(t *testing.T) {
	t.Parallel()
	files := map[string]string{"everything": everything, "the assistant": string(definition.Assistant())}
	fresh, err := definition.New("x: y")
	if err != nil {
		t.Fatal(err)
	}
	files["the new file"] = string(fresh)
	root := filepath.Join("..", "..")
	for _, pattern := range []string{"examples/*/*.yaml", "docs/how-to/agent-*.md", "docs/how-to/write-agents.md", "docs/how-to/*baf*.md", "docs/reference/agent-yaml.md"} {
		paths, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if filepath.Ext(path) == ".yaml" {
				files[path] = string(text)
			}
			for i, block := range regexp.MustCompile("(?s)\n```yaml\n(.*?\n)```\n").FindAllStringSubmatch(string(text), -1) {
				files[fmt.Sprint(path, " block ", i+1)] = block[1]
			}
		}
	}
	for name, text := range files {
		if err := conforms(t, text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if d := parse(t, files["the new file"], definition.Environment{}); d.Agent.Name() != "x: y" {
		t.Errorf("the new agent is %s", d.Agent.Name())
	}
}
