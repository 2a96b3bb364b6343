package api

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestAGUIReference keeps the tables of docs/reference/agui.md equal to the events of
// runs and to the refusals that TestAGUI checks.
func TestAGUIReference(t *testing.T) {
	t.Parallel()
	c := newWorld().serve(t)
	text := "| reply | events |\n|---|---|\n"
	for _, reply := range []struct{ name, message string }{
		{"a text", "text"},
		{"an answer from documents", "Yes"},
		{"reasoning", "reason"},
		{"a note of the model", "note"},
		{"calls of tools", "tool"},
		{"a task list, and a changed one", "tasks"},
		{"options to choose from", "options"},
		{"tables, files, and other replies", "table"},
		{"a failure", "fail"},
	} {
		_, got := c.do("POST", "/agui", `{"threadId":"s","runId":"r","messages":[{"role":"user","content":"`+reply.message+`"}]}`)
		var names []string
		for line := range strings.Lines(got) {
			data, ok := strings.CutPrefix(line, "data: ")
			if !ok {
				continue
			}
			var e struct {
				Type, Name string
				Outcome    struct{ Type string }
			}
			if err := json.Unmarshal([]byte(data), &e); err != nil {
				t.Fatal(err)
			}
			name := "`" + e.Type + "`"
			switch {
			case e.Name != "":
				name += " `" + e.Name + "`"
			case e.Type == "RUN_STARTED" || e.Outcome.Type == "success":
				continue // each run has them
			case e.Outcome.Type != "":
				name += " with an interrupt"
			}
			names = append(names, name)
		}
		text += fmt.Sprintf("| %s | %s |\n", reply.name, strings.Join(names, ", "))
	}
	text += "\n## What is refused\n\n| run | status | id |\n|---|---|---|\n"
	for _, r := range aguiRefusals {
		text += fmt.Sprintf("| %s | %d | `%s` |\n", r.name, r.status, r.id)
	}
	keepGenerated(t, "../docs/reference/agui.md", text)
}
