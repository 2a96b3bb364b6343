package definition_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"docent/agent/definition"
)

// head is the first four lines of a valid definition.
const head = "name: a\nstates:\n  a:\n    initial: true\n"

// TestWrong checks that each error has its line, the reason, and a correction.
func TestWrong(t *testing.T) {
	t.Parallel()
	env := definition.Environment{
		MCP: func(context.Context, definition.MCPServer) (definition.ToolServer, error) { return &toolServer{}, nil },
	}
	for _, test := range []struct{ text, want string }{
		{"", `agent.yaml: the file is empty: it needs at least a name and a state`},
		{"[1]", `agent.yaml:1: an agent must be lines of "key: value"`},
		{"name: a\n  b: [", `agent.yaml:2: this is not YAML: mapping values are not allowed in this context; check indentation, colons and quotes`},
		{head + "---\nname: b", `agent.yaml:5: a file holds one agent: leave out what comes after the second ---`},
		{"name: a", `agent.yaml:1: an agent needs the key "states"`},
		{"states: {a: {initial: true}}", `agent.yaml:1: an agent needs the key "name"`},
		{"name: \"\"\nstates: {a: {initial: true}}", `agent.yaml:1: name is empty: write something or leave the key out`},
		{"name: [a]\nstates: {a: {initial: true}}", `agent.yaml:1: name must be text`},
		{head + "colour: red", `agent.yaml:5: an agent has no key "colour"; it may have name, greeting, fallback, context, history, k, models, model, timezone, classifier, threshold, properties, entities, intents, guards, triggers, tools, states`},
		{head + "    on: [{at: 25:00, to: a}]", `agent.yaml:5: at: "25:00" is no time of day such as 9:00; put it into quotes`},
		{head + "    on: [{at: '9:00', days: [mon, someday], to: a}]", `agent.yaml:5: days has "someday", it must have weekdays or some of sun, mon`},
		{head + "triggers: {morning: {at: '9:00'}}", `agent.yaml:5: a trigger needs the key for`},
		{head + "triggers: {morning: {at: '9:00', for: nobody}}", `agent.yaml:5: for is "nobody", it must be everyone, group:NAME, or user:NAME`},
		{head + "triggers: {morning: {at: '9:00', days: [someday], for: everyone}}", `agent.yaml:5: days has "someday"`},
		{head + "    on: [{message: any, days: mon, to: a}]", `agent.yaml:5: days belongs to at, in the same transition`},
		{head + "guards: {user: [{languages: [EN]}]}", `agent.yaml:5: languages has "EN", which docent cannot tell: write ISO 639-1 codes such as en and de`},
		{head + "guards: {user: [{name: a}]}", `agent.yaml:5: a guard needs one of matches, longer_than, languages, and ask`},
		{head + "guards: {user: [{matches: a, longer_than: 3}]}", `agent.yaml:5: a guard checks one thing: write one for matches and another for longer_than`},
		{head + "guards: {agent: [{matches: (}]}", `agent.yaml:5: matches is no regular expression of Go: error parsing regexp: missing closing ): ` + "`(`"},
		{head + "guards: {agent: [{ask: is it bad}]}", `agent.yaml:5: ask needs a chat model, and none is set up`},
		{head + "context: 'The user is {{.username}}.'", `agent.yaml:5: context cannot have {{ in it: write placeholders in the key system of llm or reason`},
		{head + "fallback: [{set: {prev_state: a}}]", `agent.yaml:5: the variable "prev_state" is the agent's own and cannot be set: choose another name`},
		{head + "    body: [{set: {'': a}}]", `agent.yaml:5: the name of a variable is empty: write something or leave the key out`},
		{head + "    body: [{set: {session_document_0: a}}]", `agent.yaml:5: the variable "session_document_0" is the agent's own`},
		{head + "name: b", `agent.yaml:5: an agent has the key "name" twice, before in line 1: leave one out`},
		{head + "k: many", `agent.yaml:5: k is "many", it must be a whole number from 1 to 50`},
		{head + "k: 51", `agent.yaml:5: k is "51", it must be a whole number from 1 to 50`},
		{head + "history: -1", `agent.yaml:5: history is "-1", it must be a whole number from 0 to 50`},
		{head + "threshold: 1.5", `agent.yaml:5: threshold is "1.5", it must be a number from 0 to 1`},
		{head + "timezone: Mars", `agent.yaml:5: there is no time zone "Mars": write one such as Europe/Madrid or UTC`},
		{head + "model: gpt", `agent.yaml:5: there is no chat model "gpt": none is set up, so leave the key out`},
		{head + "classifier: torch", `agent.yaml:5: classifier is "torch", it must be one of examples, llm`},
		{head + "classifier: llm", `agent.yaml:5: classifier llm needs a chat model and none is set up: write classifier: examples`},
		{head + "<<: {k: 4}", `agent.yaml:5: an agent cannot merge with <<: repeat the keys`},
		{head + "tools: {knowledge: true}", `agent.yaml:5: there are no documents here to search: leave knowledge out`},
		{head + "tools: {knowledge: maybe}", `agent.yaml:5: knowledge is "maybe", it must be one of true, false`},
		{head + "tools: {workspaces: [{name: a, path: /none}]}", `agent.yaml:5: path: there is no folder /none; paths are relative to the file`},
		{head + "tools: {workspaces: [{name: a}]}", `agent.yaml:5: a workspace needs the key path`},
		{head + "tools: {mcp: [{name: a}]}", `agent.yaml:5: an MCP server needs either command, a program with its arguments, or url`},
		{head + "tools: {mcp: [{name: a, url: 'ftp://x'}]}", `agent.yaml:5: url must begin with http:// or https:// and a host`},
		{head + "tools: {mcp: [{name: a b, url: 'http://x'}]}", `agent.yaml:5: an MCP server's name has 1 to 32 letters, digits, "_" and "-"`},
		{head + "tools: {mcp: [{name: a, url: 'http://x', headers: {A: '${NONE}'}}]}", `agent.yaml:5: headers A names the variable NONE, which is not set in the environment`},
		{head + "entities: {e: {values: [a], type: number}}", `agent.yaml:5: entity e needs either values or another type than listed`},
		{head + "entities: {e: {type: regexp, pattern: '('}}", `agent.yaml:5: entity "e": `},
		{head + "entities: {e: {type: regexp}}", `agent.yaml:5: entity e needs type regexp and a pattern together`},
		{head + "intents: {i: {}}", `agent.yaml:5: intent i needs examples of what users say`},
		{head + "intents: {fallback_intent: {examples: x}}", `agent.yaml:5: `},
		{head + "intents: {i: {examples: x, parameters: {p: {entity: e}}}}", `agent.yaml:5: there is no entity "e"; the entities are none`},
		{head + "intents: {i: {examples: a P, parameters: {p: {fragment: P}}}}", `agent.yaml:5: parameter p needs an entity`},
		{"name: a\nstates: {}", `agent.yaml:2: no state is initial: write initial: true in the one that sessions begin in`},
		{"name: a\nstates: {a: {}}", `agent.yaml:2: no state is initial: write initial: true in the one that sessions begin in`},
		{head + "  b: {initial: true}", `agent.yaml:5: states a and b are both initial: a session can begin in one only`},
		{head + "  b: {}", `agent.yaml:5: no way leads to state b: name it in to or then of another, or leave it out`},
		{head + "    needs: model", `agent.yaml:3: state a cannot be initial and need a model: there must always be a state to begin with`},
		{head + "    then: b", `agent.yaml:5: there is no state "b"; the states are a`},
		{head + "    then: a", `agent.yaml:5: then leads from state a back to it at once, for ever: use on for one of the steps`},
		{head + "    on: []\n    then: a", `agent.yaml:6: state a goes on at once with then, so it cannot have on as well`},
		{head + "    global: help", `agent.yaml:5: there is no intent "help"; the intents are none`},
		{head + "    on: {message: any, to: a}", `agent.yaml:5: on must be a list: [a, b], or lines that begin with "- "`},
		{head + "    on: [{message: any}]", `agent.yaml:5: a transition needs to: the state that it leads to`},
		{head + "    on: [{to: a}]", `agent.yaml:5: a transition needs one of intent, no_intent, message, matches, event, file, form, after, at and when; then leads on at once`},
		{head + "    on: [{message: any, file: any, to: a}]", `agent.yaml:5: a transition is on one thing: write one for message and another for file`},
		{head + "    on: [{message: any, after: 5s, to: a}]", `agent.yaml:5: a transition is on one thing: write one for message and another for after`},
		{head + "    on: [{after: soon, to: a}]", `agent.yaml:5: after is "soon", it must be a time such as 90s, 5m or 1h30m`},
		{head + "    on: [{intent: i, to: a}]", `agent.yaml:5: there is no intent "i"; the intents are none`},
		{head + "    on: [{intent: i, to: a}, {intent: i, to: a}]\nintents: {i: {examples: x}}", `agent.yaml:5: the state has two transitions on intent "i": only the first is ever taken`},
		{head + "    on: [{matches: '(', to: a}]", `agent.yaml:5: matches is no regular expression of Go: `},
		{head + "    on: [{after: 5s, from: human, to: a}]", `agent.yaml:5: from is about an event: add message, intent, event or file`},
		{head + "    on: [{when: {variable: n}, to: a}]", `agent.yaml:5: when needs value, as in {variable: count, is: ">=", value: 3}`},
		{head + "    on: [{when: {variable: n, is: '=', value: 3}, to: a}]", `agent.yaml:5: is is "=", it must be one of <, <=, ==, !=, >=, >`},
		{head + "    body: [{say: hello}]", `agent.yaml:5: an action has no key "say"; it may have reply, speak, markdown, html, options, dataframe, plotly, file, image, audio, location, ui, gui, rag, session_rag, session_documents, add_document, llm, reason, about, set, remember, recall, if, call, ask_agent, send_to_peer, then, else, keep`},
		{head + "    body: [{reply: a, markdown: b}]", `agent.yaml:5: an action is one thing: begin a line with "- " for reply and another for markdown`},
		{head + "    body: [{}]", `agent.yaml:5: an action is one of reply, `},
		{head + "    body: [reply]", `agent.yaml:5: an action without settings is "reply", it must be one of rag, session_rag, add_document, llm, reason, about`},
		{head + "    body: [about]", `agent.yaml:5: there are no documents here to tell about: leave the action out`},
		{head + "    body: [{reply: null}]", `agent.yaml:5: reply must be text`},
		{head + "    body: [{reply: 'Hi {{.name}}'}]", `agent.yaml:5: reply has {{.name}}, which is unknown: it may have .message, `},
		{head + "    body: [{reply: 'Hi {{.parameters.city}}'}]", `agent.yaml:5: reply has {{.parameters.city}}, but no intent has the parameter city; the parameters are none`},
		{head + "    body: [{reply: 'Hi {{.message'}]", `agent.yaml:5: reply has {{ without }}: close it after the name, as in {{.message}}`},
		{head + "    body: [{options: []}]", `agent.yaml:5: options needs labels to choose from, as in [Yes, No]`},
		{head + "    body: [{rag: {k: 0}}]", `agent.yaml:5: k is "0", it must be a whole number from 1 to 50`},
		{head + "    body: [{rag: yes}]", `agent.yaml:5: rag must be lines of "key: value"`},
		{head + "    body: [{reason: {max_steps: 65}}]", `agent.yaml:5: max_steps is "65", it must be a whole number from 1 to 64`},
		{head + "    body: [{send_to_peer: {url: 'http://x', message: m}}]", `agent.yaml:5: url must be another agent's address, which begins with ws:// or wss:// and a host`},
		{head + "    body: [{send_to_peer: {url: 'ws://x'}}]", `agent.yaml:5: send_to_peer needs message, as in {url: ws://host/, message: "{{.message}}"}`},
		{head + "properties: {a: .nan}", `agent.yaml:5: property a is not a number that JSON has`},
	} {
		got := wrong(t, test.text, env)
		if len(got) != 1 || !strings.HasPrefix(got[0], test.want) {
			t.Errorf("%s\nis told as\n  %s\nwant\n  %s", test.text, strings.Join(got, "\n  "), test.want)
		}
	}
}

// TestWithout uses resources that the environment of the agent lacks. They are
// refused.
func TestWithout(t *testing.T) {
	t.Parallel()
	got := wrong(t, "name: a\nstates: {a: {initial: true}}\ntools: {mcp: [{name: a, command: [x]}]}", definition.Environment{})
	equal(t, "MCP", got, []string{"agent.yaml:3: MCP servers cannot be used here: leave mcp out"})
}

// TestManyErrors checks that several errors are reported together, ordered by
// line and limited in number.
func TestManyErrors(t *testing.T) {
	t.Parallel()
	got := wrong(t, "name: a\nk: 0\nstates:\n  a: {initial: maybe, body: [{rpely: x}]}\nhistory: x\n", definition.Environment{})
	if len(got) != 4 || !strings.HasPrefix(got[0], "agent.yaml:2: k") || !strings.HasPrefix(got[3], "agent.yaml:5: history") {
		t.Errorf("told as\n  %s", strings.Join(got, "\n  "))
	}
	var b strings.Builder
	b.WriteString("name: a\n")
	for i := range 30 {
		fmt.Fprintf(&b, "wrong%d: x\n", i)
	}
	if got = wrong(t, b.String(), definition.Environment{}); len(got) != definition.MaxErrors+1 || got[len(got)-1] != "agent.yaml: and at least 11 more" {
		t.Errorf("told as\n  %s", strings.Join(got, "\n  "))
	}
}

// TestUseless checks that definitions without any effect are errors too.
func TestUseless(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ text, want string }{
		{"greeting: 'Hi {{.usernme}}'\n" + head, `agent.yaml:1: greeting has {{.usernme}}, which is unknown: it may have .message, `},
		{head + "intents: {i: {examples: []}}", `agent.yaml:5: examples is empty: write something or leave the key out`},
		{head + "intents: {i: {description: orders}}", `agent.yaml:5: intent i needs examples of what users say: without classifier: llm it is known by nothing else`},
		{head + "entities: {e: {type: any}}\nintents: {i: {examples: a SIZE shirt, parameters: {p: {entity: e, fragment: SIZES}}}}", `agent.yaml:6: no example of intent i has the fragment SIZES: it stands in the examples where users name p`},
		{head + "intents: {i: {parameters: {p: {fragment: P, entity: e}}, examples: a P}}\nentities: {e: {type: numbr}, f: {type: any}}", `agent.yaml:6: type is "numbr", it must be one of `},
		{head + "intents: {i: {parameters: {p: {fragment: P, entity: d}}, examples: a P}}\nentities: {e: {type: any}, f: {type: any}}", `agent.yaml:5: there is no entity "d"; the entities are e, f`},
		{head + "entities: {e: {values: {small: tiny}}}", `agent.yaml:5: the synonyms of small must be a list: [a, b], or lines that begin with "- "`},
		{head + "entities: {e: {values: []}}", `agent.yaml:5: values is empty: write something or leave the key out`},
		{head + "    on: [{when: {variable: n, is: '<', value: [1]}, to: a}]", `agent.yaml:5: only numbers and texts can be compared with "<"`},
		{head + "    on: [{when: {variable: n, is: '>=', value: null}, to: a}]", `agent.yaml:5: only numbers and texts can be compared with ">="`},
		{head + "    on: [{file: [], to: a}]", `agent.yaml:5: file is empty: write something or leave the key out`},
		{head + "    on: [{event: [], to: a}]", `agent.yaml:5: event is empty: write something or leave the key out`},
		{head + "    on:\n    - {message: any, to: a}\n    - {matches: x, to: a}", `agent.yaml:7: it is never taken: the transition in line 6 takes every such event before, so put that one behind it`},
		{head + "    on:\n    - {message: any, to: a}\n    - {intent: i, to: a}\nintents: {i: {examples: x}}", `agent.yaml:7: it is never taken: `},
		{head + "    on:\n    - {message: text, to: a}\n    - {no_intent: true, to: a}", `agent.yaml:7: it is never taken: `},
		{head + "    on:\n    - {message: json, to: a}\n    - {message: text, to: a}\n    - {message: any, to: a}", `agent.yaml:8: it is never taken: the transition in line 7 `},
		{head + "    on:\n    - {file: any, to: a}\n    - {file: pdf, to: a}", `agent.yaml:7: it is never taken: `},
		{head + "    on:\n    - {event: any, to: a}\n    - {message: any, from: human, to: a}", `agent.yaml:7: it is never taken: `},
		{head + "    on:\n    - {event: [x, y], to: a}\n    - {event: y, when: {variable: n, value: 1}, to: a}", `agent.yaml:7: it is never taken: `},
		{head + "    on:\n    - {message: any, to: a}\n  h: {global: i}\nintents: {i: {examples: x}}", `agent.yaml:7: no state leads to h: the transition on its intent is added behind all others, and each state takes every message before`},
		{head + "    on: [{message: all, to: a}, {matches: x, to: a}]", `agent.yaml:5: message is "all", it must be one of any, text, json`},
	} {
		got := wrong(t, test.text, definition.Environment{})
		if len(got) != 1 || !strings.HasPrefix(got[0], test.want) {
			t.Errorf("%s\nis told as\n  %s\nwant\n  %s", test.text, strings.Join(got, "\n  "), test.want)
		}
	}
}

// TestErrorsBehindOthers checks that one error does not hide others.
func TestErrorsBehindOthers(t *testing.T) {
	t.Parallel()
	got := wrong(t, `name: a
intents:
  i: {description: x, parameters: {p: {entity: e}}}
states:
  a:
    initial: true
    body: [{reply: "{{.parameters.p}} {{.nme}}"}]
    then: b
    on:
      - {intent: j, to: c}
  b: {}
`, definition.Environment{})
	for i, want := range []string{"3: intent i needs examples", `3: there is no entity "e"`, "7: reply has {{.nme}}", "8: state a goes on", `10: there is no intent "j"`, `10: there is no state "c"`} {
		if len(got) != 6 || !strings.HasPrefix(got[i], "agent.yaml:"+want) {
			t.Fatalf("told as\n  %s", strings.Join(got, "\n  "))
		}
	}
	got = wrong(t, "name: a\nk: 0\nstates:\n  a: {initial: true}\n  b: {}\n", definition.Environment{})
	if len(got) != 2 || !strings.HasPrefix(got[1], "agent.yaml:5: no way leads to state b") {
		t.Errorf("told as\n  %s", strings.Join(got, "\n  "))
	}
}

// TestTaken checks that a transition that takes only some events leaves the rest
// to later transitions.
func TestTaken(t *testing.T) {
	t.Parallel()
	const begin = "name: a\nintents: {i: {examples: x}, j: {examples: y}}\nstates:\n  h: {global: j}\n  a:\n    initial: true\n    on:\n"
	for _, on := range []string{
		"[{message: any, from: human, to: a}, {message: any, to: b}]",
		"[{message: text, when: {variable: n, value: 1}, to: a}, {intent: i, to: b}, {no_intent: true, to: a}, {matches: x, to: a}]",
		"[{message: json, to: a}, {message: any, to: b}]",
		"[{event: [x, y], to: a}, {event: [y, z], to: b}, {event: any, to: a}]",
		"[{file: pdf, to: a}, {file: any, to: b}, {event: user_update_ui, to: a}]",
		"[{message: any, to: m}, {message: any, to: b}]", // with a model the first is meant
	} {
		parse(t, begin+"      "+on+"\n  m: {needs: model, on: [{no_intent: true, to: a}]}\n  b: {on: [{no_intent: true, to: a}, {event: e, to: m}]}\n", definition.Environment{})
	}
}

// TestAliases checks YAML aliases, including endless ones.
func TestAliases(t *testing.T) {
	t.Parallel()
	parse(t, "name: a\nstates:\n  a: {initial: true, on: &on [{message: any, to: b}]}\n  b: {on: *on}\n", definition.Environment{})
	var b strings.Builder
	b.WriteString("name: a\nproperties:\n  a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := range 9 {
		fmt.Fprintf(&b, "  a%d: &a%d [*a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d]\n", i+1, i+1, i, i, i, i, i, i, i, i, i)
	}
	const loop = "name: a\nstates: {a: {initial: true, body: &b [{if: {variable: x}, then: *b, else: *b}]}}\n"
	const data = "name: a\nstates: {a: {initial: true, body: [{ui: &u {a: *u, b: '{{.message}}'}}, {set: &s {c: *s}}]}}\n"
	for _, text := range []string{loop, data, b.String(), "name: a\nproperties: &p {again: *p, more: *p}\n", "name: a\nproperties: {p: &p [*p, *p]}\n"} {
		got := wrong(t, text, definition.Environment{})
		if !strings.Contains(strings.Join(got, "\n"), "it holds more than 20000 values") && !strings.Contains(got[0], "this is not YAML") {
			t.Errorf("told as %q", got)
		}
	}
}

// FuzzParse checks that no input makes the reader panic, and that every error has
// a line.
func FuzzParse(f *testing.F) {
	f.Add(string(definition.Assistant()))
	f.Add(shop)
	f.Add("name: a\nstates: &s {a: {initial: true, body: *s}}\n")
	f.Add("name: a\nstates: {a: {initial: true, body: [{set: {a: !!binary aGk=, b: 2001-01-01, c: .inf}}]}}\n")
	f.Add("? [a]\n: b\n")
	f.Add(everything)
	f.Add(orders)
	f.Add("name: a\nstates: {a: {initial: true, body: &b [{if: {variable: x}, then: *b}, {reply: '{{1 + (.message * 2)}}'}]}}\n")
	f.Fuzz(func(t *testing.T, text string) {
		d, err := definition.Parse(t.Context(), "agent.yaml", []byte(text), definition.Environment{Dir: t.TempDir(), Knowledge: knowledge()})
		if err != nil {
			for _, line := range strings.Split(err.Error(), "\n") {
				if !strings.HasPrefix(line, "agent.yaml:") {
					t.Errorf("an error without a place: %q", line)
				}
			}
			return
		}
		if err := d.Agent.Validate(); err != nil {
			t.Errorf("an agent that is not valid: %v", err)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
}
