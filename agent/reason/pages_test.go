package reason_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"docent/rag/corpus"
	"docent/rag/retrieve"

	"docent/agent/reason"
	"docent/agent/tool"
	"docent/llm/llmtest"
)

// book is a library of one long document.
type book struct{ text string }

func (b book) Retrieve(context.Context, retrieve.Query) (retrieve.Retrieval, error) {
	return retrieve.Retrieval{}, nil
}

func (b book) DocumentIDs(context.Context, corpus.DocumentFilter) ([]int64, error) { return nil, nil }

func (b book) Documents(context.Context, corpus.DocumentFilter) ([]corpus.Document, error) {
	return nil, nil
}

func (b book) Document(context.Context, int64) (corpus.Document, error) {
	return corpus.Document{ID: 1, Title: "Book", Source: "/book.md", Text: b.text}, nil
}

func (b book) Collections(context.Context) ([]corpus.CollectionInfo, error) { return nil, nil }

// A model that follows the notes about further pages reads a whole file and a
// whole document. It reads nothing twice, however many calls share a step.
func TestReadingOn(t *testing.T) {
	readOn := regexp.MustCompile(`(?s)^(.*)\n\[bytes (\d+) to (\d+) of \d+; (?:\d+ are left, read on with (?:offset|from)=(\d+)|this is the end)\]$`)
	passage := regexp.MustCompile(`(?s)^<passage[^>]*>\n(.*)\n</passage>$`)
	for _, n := range []int{1, 2, 5, 16} {
		t.Run(fmt.Sprint(n, " calls"), func(t *testing.T) {
			var b strings.Builder
			for i := range 900 {
				fmt.Fprintf(&b, "Line %d says that the café closes at %d o'clock.\n", i, i%24)
			}
			text, folder := b.String(), t.TempDir()
			if err := os.WriteFile(filepath.Join(folder, "long.md"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			spaces, err := tool.OpenWorkspaces(tool.Workspace{Name: "films", Path: folder})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = spaces.Close() })
			read, next := map[string]string{}, map[string]string{"read_file": "0", "read_document": "0"}
			model := llmtest.NewModel(func(_ int, r llmtest.Request) llmtest.Reply {
				results := r.Messages[len(r.Messages)-min(len(r.Messages), n):]
				for i, name := range []string{"read_file", "read_document"}[:min(n, 2)] {
					if len(results) < n || results[i].Role != "tool" {
						break
					}
					m := readOn.FindStringSubmatch(results[i].Content)
					if m == nil {
						t.Errorf("%s: no note is at the end of %q", name, results[i].Content)
						return llmtest.Say("Lost.")
					}
					shown := m[1]
					if p := passage.FindStringSubmatch(shown); p != nil {
						shown = p[1]
					}
					read[name] += shown
					next[name] = m[4]
				}
				var wanted []string
				for i, name := range []string{"read_file", "read_document"}[:min(n, 2)] {
					if next[name] == "" {
						continue
					}
					wanted = append(wanted, name, []string{`{"relative_path":"long.md","limit":60000,"offset":%s}`, `{"id":1,"from":%s}`}[i])
					wanted[len(wanted)-1] = fmt.Sprintf(wanted[len(wanted)-1], next[name])
				}
				if len(wanted) == 0 || n > 1 && len(wanted) < 4 {
					return llmtest.Say("Read.")
				}
				for len(wanted) < 2*n {
					wanted = append(wanted, "list_directory", `{}`)
				}
				return calls("", wanted...)
			})
			body, err := reason.New(model, reason.Options{
				Workspaces: spaces, Knowledge: &tool.KnowledgeConfig{Searcher: book{}, Library: book{text}}, MaxSteps: reason.MaxRunSteps,
			})
			if err != nil {
				t.Fatal(err)
			}
			converse(t, body).ask("Read all.")
			for name, got := range read {
				whole := got == text
				if n > 1 { // it stopped when one of them was read
					whole = strings.HasPrefix(text, got) && len(got) > 20_000
				}
				if !whole {
					t.Errorf("%s: read %d of %d bytes", name, len(got), len(text))
				}
			}
			if len(read) != min(n, 2) {
				t.Errorf("%d of the tools were read with", len(read))
			}
		})
	}
}
