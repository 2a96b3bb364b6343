package typed

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"docent/agent/chat"
	"docent/internal/wstest"
	"docent/payload"
)

// protocol is the documentation of the dialect.
var protocol = filepath.Join("..", "..", "docs", "reference", "websocket.md")

// The numbers in docs/reference/websocket.md are the defaults.
func TestDocumentedLimits(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(protocol)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(string(data)), " ")
	for _, want := range []string{
		fmt.Sprintf("for %g minutes", sessionTimeout.Minutes()), fmt.Sprintf("allows (%g minutes)", sessionTimeout.Minutes()),
		fmt.Sprintf("conversation, at most %d", shownHistory), fmt.Sprintf("has more than %d KiB is left out", chat.MaxHistoryContent>>10),
	} {
		if !strings.Contains(text, want) {
			t.Errorf("docs/reference/websocket.md does not say %q", want)
		}
	}
}

func TestDocumentedCommands(t *testing.T) {
	t.Parallel()
	documented := wstest.Table(t, protocol, "## Agent WebSocket")
	if len(documented) == 0 || documented[0][0] != "query" {
		t.Fatalf("the section begins with %v", documented)
	}
	rows := wstest.Table(t, protocol, "### Commands")
	if len(rows) != len(commands()) {
		t.Fatalf("%d commands are documented, there are %d", len(rows), len(commands()))
	}
	for i, c := range commands() {
		if want := []string{c.name, c.help}; !slices.Equal(rows[i], want) {
			t.Errorf("row %q, want %q", rows[i], want)
		}
	}
	data := wstest.Table(t, protocol, "The reply is a `response` with a text, the command as `kind`, and `data`:")
	for i, c := range commands() {
		value := map[string]any{
			"reset": resetData{}, "history": historyList{}, "status": statusData{}, "stop": stopData{}, "help": helpData{},
		}[c.name]
		if keys := keysOf(t, value); data[i][0] != c.name || !strings.HasPrefix(data[i][1], "{"+keys+"}") {
			t.Errorf("data of %s are documented as %q, are %s", c.name, data[i], keys)
		}
	}
}

// keysOf returns the keys of a value as JSON, in order.
func keysOf(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	r := json.NewDecoder(bytes.NewReader(text))
	var keys []string
	depth := 0
	for key := true; ; {
		token, err := r.Token()
		if err != nil {
			return strings.Join(keys, ", ")
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
			key = true
			continue
		case json.Delim('}'), json.Delim(']'):
			depth--
			key = true
			continue
		}
		if name, ok := token.(string); ok && key && depth == 1 {
			keys = append(keys, name)
			key = false
			continue
		}
		key = true
	}
}

// Each kind of reply is documented with its words and data.
func TestDocumentedKinds(t *testing.T) {
	t.Parallel()
	rows := map[string][]string{}
	for _, row := range wstest.Table(t, protocol, "### Kinds") {
		rows[row[0]] = row[1:]
	}
	for chatType := range typedExamples {
		row, ok := rows[cmp.Or(typedExamples[chatType].kind, "absent")]
		if !ok {
			t.Errorf("kind %q of %s is not documented", typedExamples[chatType].kind, chatType)
			continue
		}
		m := replyOf(t, chatType)
		if m.Kind != typedExamples[chatType].kind || (m.Data == nil) != (row[1] == "absent") {
			t.Errorf("%s: %+v, documented as %q", chatType, m, row)
		}
	}
	for _, kind := range []string{payload.StoredStep, payload.StoredTaskList, "welcome", "feedback", "timeout"} {
		if rows[kind] == nil {
			t.Errorf("kind %q is not documented", kind)
		}
	}
	if len(rows) != len(typedExamples)+5 {
		t.Errorf("%d kinds are documented, there are %d", len(rows), len(typedExamples)+5)
	}
}
