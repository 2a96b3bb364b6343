package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestMCPReference keeps the tables of docs/reference/mcp.md equal to the code.
func TestMCPReference(t *testing.T) {
	t.Parallel()
	const file = "../docs/reference/mcp.md"
	s := newWorld().overStreams(t, nil)
	text := "## What works\n\n| request | arguments | result |\n|---|---|---|\n"
	tools, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools.Tools {
		text += fmt.Sprintf("| tool `%s` | %s | %s |\n", tool.Name, argumentsOf(t, tool), tool.Description)
	}
	templates, err := s.ListResourceTemplates(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range templates.ResourceTemplates {
		text += fmt.Sprintf("| resource `%s` | | %s |\n", r.URITemplate, r.Description)
	}
	text += "| list of resources | `cursor` | Lists the readable documents, 100 on a page. |\n"
	prompts, err := s.ListPrompts(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range prompts.Prompts {
		text += fmt.Sprintf("| prompt `%s` | **`%s`** | %s |\n", p.Name, p.Arguments[0].Name, p.Description)
	}
	text += "\nBold arguments are required.\n\n## What is refused\n\nRequests to `/mcp` get these errors:\n\n| request | status | code |\n|---|---|---|\n"
	for _, r := range mcpRefusals {
		text += fmt.Sprintf("| %s | %d | `%s` |\n", r.name, r.status, r.code)
	}
	keepGenerated(t, file, text)
}

// keepGenerated compares the generated part of a page with a text. The marks around it
// are comments. With -update, it writes the text.
func keepGenerated(t *testing.T, file, text string) {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(raw), "-update -->\n")
	_, after, ok2 := strings.Cut(rest, "<!-- end -->")
	if !ok || !ok2 {
		t.Fatalf("%s lacks the marks around its generated part", file)
	}
	want := before + "-update -->\n" + text + "<!-- end -->" + after
	if want == string(raw) {
		return
	}
	if !*update {
		t.Fatalf("%s is out of date; run: go test ./api -run %s -update", file, t.Name())
	}
	if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

// argumentsOf lists the arguments of a tool.
func argumentsOf(t *testing.T, tool *sdk.Tool) string {
	t.Helper()
	raw, err := json.Marshal(tool.InputSchema)
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Properties map[string]any `json:"properties"`
		Required   []string       `json:"required"`
	}
	if err := json.Unmarshal(raw, &schema); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, name := range schema.Required {
		out = append(out, "**`"+name+"`**")
	}
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		if !slices.Contains(schema.Required, name) {
			out = append(out, "`"+name+"`")
		}
	}
	return strings.Join(out, ", ")
}

// TestMCPExamples checks the settings of clients in docs/how-to/mcp.md: they are short,
// and they name the command or the path of the server.
func TestMCPExamples(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../docs/how-to/mcp.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```(json|sh)\n(.*?)```").FindAllStringSubmatch(string(raw), -1)
	if len(blocks) < 6 {
		t.Fatalf("there are only %d examples", len(blocks))
	}
	for _, b := range blocks {
		kind, text := b[1], b[2]
		if strings.Count(text, "\n") > 6 {
			t.Errorf("more than six lines:\n%s", text)
		}
		if kind == "sh" {
			if !strings.Contains(text, "docent mcp\n") && !strings.Contains(text, "/mcp") && !strings.Contains(text, "docent token create") {
				t.Errorf("no address of the server:\n%s", text)
			}
			continue
		}
		var settings map[string]map[string]struct {
			Command, URL string
			Args         []string
		}
		if err := json.Unmarshal([]byte(text), &settings); err != nil {
			t.Errorf("%v:\n%s", err, text)
		}
		for _, servers := range settings {
			s := servers["docent"]
			if (s.Command != "docent" || !slices.Equal(s.Args, []string{"mcp"})) && !strings.HasSuffix(s.URL, "/mcp") {
				t.Errorf("the server is %+v:\n%s", s, text)
			}
		}
	}
}
