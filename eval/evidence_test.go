package eval

import (
	"bufio"
	"encoding/json"
	"html"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	tags = regexp.MustCompile(`<[^>]*>`)
	// expectations are the values of expect in the sets talk and tables.
	expectations = []string{"reply", "list", "answered", "unsure-or-answered", "not-found"}
)

// setMessage is a row of messages.jsonl, or a turn of conversations.jsonl.
type setMessage struct {
	ID, Say, Expect, Want, Avoid string
	Evidence                     []Evidence
}

// documents returns the text of each file in a folder, without tags.
func documents(t *testing.T, folder string) map[string]string {
	t.Helper()
	files := os.DirFS(folder)
	names, err := fs.Glob(files, "*.*")
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, name := range names {
		raw, err := fs.ReadFile(files, name)
		if err != nil {
			t.Fatal(err)
		}
		text := string(raw)
		if path.Ext(name) == ".html" {
			text = html.UnescapeString(tags.ReplaceAllString(text, " "))
		}
		texts[name] = strings.Join(strings.Fields(text), " ")
	}
	return texts
}

// absent reports quotes that do not occur in their documents. The documentation of docent changes, so its quotes are not checked.
func absent(t *testing.T, id string, evidence []Evidence, texts map[string]string) {
	t.Helper()
	for _, e := range evidence {
		if strings.HasPrefix(e.File, "docs/") {
			if _, err := os.Stat("../" + e.File); err != nil {
				t.Errorf("%s: %v", id, err)
			}
		} else if quote := strings.Join(strings.Fields(e.Quote), " "); quote == "" || !strings.Contains(texts[e.File], quote) {
			t.Errorf("%s: %s does not contain %q", id, e.File, e.Quote)
		}
	}
}

// lines decodes each line of a file.
func lines[T any](t *testing.T, name string) []T {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []T
	for s := bufio.NewScanner(f); s.Scan(); {
		var row T
		if err := json.Unmarshal(s.Bytes(), &row); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out = append(out, row)
	}
	return out
}

// The quotes of the set tables are in its documents.
func TestTablesEvidence(t *testing.T) {
	t.Parallel()
	questions, err := Load("sets/tables/questions.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	texts := documents(t, "sets/tables/testdata")
	for _, q := range questions {
		absent(t, q.ID, q.Evidence, texts)
	}
}

// The quotes of the set talk are in its documents, and its expressions are valid.
func TestTalkEvidence(t *testing.T) {
	t.Parallel()
	texts := documents(t, "sets/talk/testdata")
	messages := lines[setMessage](t, "sets/talk/messages.jsonl")
	if len(messages) != 167 {
		t.Errorf("%d messages", len(messages))
	}
	conversations := lines[struct {
		ID    string
		Turns []setMessage
	}](t, "sets/talk/conversations.jsonl")
	if len(conversations) != 40 {
		t.Errorf("%d conversations", len(conversations))
	}
	for _, c := range conversations {
		if len(c.Turns) < 2 || len(c.Turns) > 5 {
			t.Errorf("%s: %d turns", c.ID, len(c.Turns))
		}
		for _, m := range c.Turns {
			m.ID = c.ID
			messages = append(messages, m)
		}
	}
	for _, m := range messages {
		absent(t, m.ID, m.Evidence, texts)
		if m.Say == "" || !slices.Contains(expectations, m.Expect) || (m.Expect == "answered" && len(m.Evidence) == 0) {
			t.Errorf("%s: %q is incomplete", m.ID, m.Say)
		}
		for _, expression := range []string{m.Want, m.Avoid} {
			if _, err := regexp.Compile(expression); err != nil {
				t.Errorf("%s: %v", m.ID, err)
			}
		}
	}
}
