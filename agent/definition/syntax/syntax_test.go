package syntax_test

import (
	"strings"
	"testing"

	"docent/agent/definition/syntax"
)

// TestFind checks that errors in invalid YAML name the wrong line, and not the
// line at which the parser noticed the error.
func TestFind(t *testing.T) {
	t.Parallel()
	const quotes = "check indentation, colons and quotes"
	for _, test := range []struct {
		text string
		line int
		hint string
	}{
		{"name: a\nstates:\n  a:\n      initial: true\n    body:\n      - reply: hi\n", 5, quotes},
		{"name: a\nstates:\n  a: {initial: true}\n  b: {c: ${HOME}}\n  d: {}\n", 4, `put quotes around ${HOME}, as in "${HOME}"`},
		{"name: a\nproperties: {a: ${HOME}}\nstates: {a: {initial: true}}\n", 2, `put quotes around ${HOME}`},
		{"name: a\nstates:\n\ta: {initial: true}\n", 3, "indent with spaces, not with tabs"},
		{"name: a\nstates:\n  a:\n    initial: true\n   body: [rag]\n", 5, quotes},
		{"name: a\nstates:\n  a:\n    initial: true\n    body: [rag\n    on: []\n  b: {}\n", 5, "the [ in this line is not closed"},
		{"name: a\nstates:\n  a:\n    on:\n      - {message: any, to: a\n      - {file: any, to: a}\n", 5, "the { in this line is not closed"},
		{"name: a\nstates:\n  a:\n    body:\n      - reply: \"hello\n      - reply: more\n  b: {}\n", 5, `the " in this line is not closed`},
		{"name: a\nstates:\n  a:\n    body:\n      - reply: \"hello\n      - reply: \"more\"\n  b: {}\n", 5, `the " in this line is not closed`},
		{"name: a\nstates:\n  a:\n    body:\n      - reply: 'it's here'\n  b: {}\n", 5, quotes},
		{"name: a\nstates:\n  a:\n    body:\n      - reply: {{.username}}, hello\n  b: {}\n", 5, "put quotes around a text that has {{ in it"},
		{"name: a\nstates:\n  a:\n    body:\n      - reply: hello: you\n  b: {}\n", 5, quotes},
		{"name: a\nstates:\n  a\n  b: {}\n", 4, quotes},
		{"name: a\nstates:\n  a: {body: [rag]]}\n  b: {}\n", 3, quotes},
		{"name: a\nstates:\n  a:\n    on: *routes\n  b: {}\n", 4, quotes},
		{"name: a\nstates:\n  a:\n    body:\n      - reply: |\n          It's [all {right\n      - reply: @you\n", 7, quotes},
		{"# it's\nname: a\r\nstates:\r\n  a:\r\n    on:\r\n    - {message: any,\r\n       to: a}}\r\n", 7, quotes},
		{"name: a\nentities:\n  e: {values: [a, b,\n    c, 'd e',\n    \"f\" g]}\n", 5, quotes},
		{"name: a\nname b\nstates: {}\n", 2, quotes},
		{"name: a\ngreeting: %you\n", 2, quotes},
	} {
		if got := syntax.Find([]byte(test.text)); got.Line != test.line || !strings.HasPrefix(got.Hint, test.hint) {
			t.Errorf("%s\nhas the error %+v, want line %d, %s", test.text, got, test.line, test.hint)
		}
	}
}
