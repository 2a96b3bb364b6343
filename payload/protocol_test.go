package payload

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// documented returns the first table after a text in docs/reference/websocket.md. The cells have no code marks.
func documented(t *testing.T, after string) [][]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "docs", "reference", "websocket.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, text, ok := strings.Cut(string(data), "\n"+after+"\n")
	if !ok {
		t.Fatalf("docs/reference/websocket.md has no %q", after)
	}
	var rows [][]string
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.Trim(strings.TrimSpace(cells[i]), "`")
		}
		switch {
		case strings.HasPrefix(line, "|"):
			rows = append(rows, cells)
		case len(rows) > 0:
			return rows[2:] // after the head and its line
		}
	}
	return rows[2:]
}

func first(rows [][]string) []string {
	var out []string
	for _, r := range rows {
		out = append(out, r[0])
	}
	return out
}

// constants returns the values of this package's constants with a type or a prefix, in source order.
func constants(t *testing.T, matches func(name, typ string) bool) []string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.CONST {
				continue
			}
			for _, s := range g.Specs {
				v := s.(*ast.ValueSpec)
				typ := ""
				if id, ok := v.Type.(*ast.Ident); ok {
					typ = id.Name
				}
				if !matches(v.Names[0].Name, typ) {
					continue
				}
				text, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				out = append(out, text)
			}
		}
	}
	return out
}

func ofType(want string) func(name, typ string) bool {
	return func(_, typ string) bool { return typ == want }
}

func sameNames(t *testing.T, what string, documented, inCode []string) {
	t.Helper()
	slices.Sort(documented)
	slices.Sort(inCode)
	if got, want := slices.Compact(documented), slices.Compact(inCode); !slices.Equal(got, want) || len(want) == 0 {
		t.Errorf("%s: docs/reference/websocket.md has\n%s\nthe code has\n%s", what, got, want)
	}
}

// docs/reference/websocket.md lists exactly the actions, steps, statuses,
// outcomes, and types of this package.
func TestDocumentedNames(t *testing.T) {
	t.Parallel()
	actions := slices.Concat(first(documented(t, "### What clients send")), first(documented(t, "### What the server sends")),
		first(documented(t, "### Additional client actions")), first(documented(t, "### Additional server actions")))
	sameNames(t, "actions", actions, constants(t, ofType("Action")))
	steps := documented(t, "### Reasoning steps")
	sameNames(t, "steps", first(steps), constants(t, ofType("StepKind")))
	for _, row := range steps {
		details, err := StepKind(row[0]).details(json.RawMessage(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		text, err := Marshal(details)
		if err != nil {
			t.Fatal(err)
		}
		keys, _, _ := strings.Cut(strings.TrimPrefix(row[1], "{"), "}")
		if got := strings.ReplaceAll(keysOf(t, text), " ", ", "); got != keys {
			t.Errorf("details of %s are documented as %s, are %s", row[0], keys, got)
		}
	}
	outcomes := documented(t, "The `outcome` of a turn is one of these:")
	sameNames(t, "outcomes", first(outcomes), constants(t, ofType("Outcome")))
}

func TestDocumentedTypes(t *testing.T) {
	t.Parallel()
	rows := documented(t, "### Stored types")
	sameNames(t, "types", first(rows), constants(t, func(name, _ string) bool { return strings.HasPrefix(name, "Type") && !strings.HasPrefix(name, "Typed") }))
	for _, row := range rows {
		agents, _ := ReplayAction(row[0], false)
		users, _ := ReplayAction(row[0], true)
		if string(agents) != row[1] || string(users) != row[2] {
			t.Errorf("%s is documented as %s, is %s and %s", row[0], row[1:], agents, users)
		}
	}
}
