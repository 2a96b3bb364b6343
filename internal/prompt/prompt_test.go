package prompt

import (
	"strings"
	"testing"
	"testing/fstest"
	"text/template"
	"text/template/parse"
)

type role string

type turn struct {
	Role   role
	Text   string
	hidden string
}

type all struct {
	Name  string
	Empty string
	Yes   bool
	No    bool
	N     int
	Turns []turn
	None  []turn
	Lists [][]string
	Deep  *struct{ Name string }
	Any   any
	Map   map[string]string
}

func sample() all {
	return all{
		Name: "{{.Name}}", Yes: true, N: 7, Turns: []turn{{"user", "hi", "x"}, {"agent", "<b>", "y"}}, Lists: [][]string{{"a", "b"}, nil},
		Deep: &struct{ Name string }{"deep"}, Any: "any", Map: map[string]string{"key": "value"},
	}
}

var templates = []string{
	"", " \n", "plain text", "{{.Name}}, {{.N}}", "a {{- .Name -}} b", "{{/* nothing */}}x",
	"{{if .Yes}}yes{{else}}no{{end}} {{if .No}}yes{{else if .Yes}}else{{end}} {{if .Empty}}x{{end}}{{if .N}}n{{end}}",
	"{{with .Empty}}x{{.}}{{end}}{{with .Name}}[{{.}}]{{else}}none{{end}}{{with .Deep}}{{.Name}}{{end}}",
	"{{range .Turns -}}\n{{if eq .Role \"user\"}}User{{else}}Assistant{{end}}: {{.Text}}\n{{end}}end",
	"{{range .None}}x{{else}}nothing in {{.Name}}{{end}}",
	"{{range .Lists}}({{range .}}{{.}} {{else}}empty{{end}}){{end}}",
	"{{.Deep.Name}} {{.Any}} {{.Map.key}}",
	"{{if .Map}}map{{end}}{{if .Turns}}turns{{end}}{{if .None}}none{{end}}",
}

// theirs is what text/template makes of a template.
func theirs(t *testing.T, text string, data any) (string, error) {
	t.Helper()
	parsed, err := template.New("t").Parse(text)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = parsed.Execute(&b, data)
	return strings.TrimSpace(b.String()), err
}

func set(t *testing.T, text string) *Set {
	t.Helper()
	return Must(fstest.MapFS{"prompts/t.tmpl": {Data: []byte(text)}}, "prompts")
}

// TestFill: the result is text/template's.
func TestFill(t *testing.T) {
	t.Parallel()
	for _, text := range templates {
		got, err := set(t, text).Fill("t", sample())
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if want, err := theirs(t, text, sample()); err != nil || got != want {
			t.Errorf("%q: %q, want %q (%v)", text, got, want, err)
		}
	}
}

func TestFillFails(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{{.Missing}}": "no .Missing", "{{.Name.More}}": "no .Name.More", "{{.Map.other}}": "no .Map.other",
		"{{range .Name}}{{end}}": "no list", "{{.Turns}}": "no text", "{{if eq .N .Name}}{{end}}": "not text", "{{range .Turns}}{{.hidden}}{{end}}": "no .hidden",
	} {
		if got, err := set(t, text).Fill("t", sample()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %q, %v, want %q", text, got, err, want)
		}
	}
	if _, err := set(t, "x").Fill("u", nil); err == nil || !strings.Contains(err.Error(), "there is none") {
		t.Error(err)
	}
	if _, err := set(t, "{{.}}").Fill("t", nil); err == nil || !strings.Contains(err.Error(), "no value") {
		t.Error(err)
	}
}

func TestLanguage(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"{{", "{{.Name | .N}}", "{{$x := .N}}", "{{define `a`}}x{{end}}", "{{template `a`}}", "{{len .Name}}", "{{range $i, $x := .Turns}}{{end}}",
		"{{eq .Name}}", "{{(.Deep).Name}}", "{{range .Turns}}{{break}}{{end}}", "{{1}}", "{{.Deep.Name 1}}",
	} {
		if _, err := read("t", text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("an empty folder is taken")
		}
	}()
	Must(fstest.MapFS{}, "prompts")
}

// FuzzFill: what is taken comes out as from text/template, or fails.
func FuzzFill(f *testing.F) {
	for _, text := range templates {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		root, err := read("t", text)
		if err != nil {
			return
		}
		got, err := (&Set{map[string]*parse.ListNode{"t": root}}).Fill("t", sample())
		if err != nil {
			return
		}
		if want, err := theirs(t, text, sample()); err != nil || got != want {
			t.Errorf("%q: %q, want %q (%v)", text, got, want, err)
		}
	})
}
