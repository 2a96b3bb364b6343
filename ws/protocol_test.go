package ws

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

	"docent/agent"
	"docent/agent/agenttest"
	"docent/internal/fault"
	"docent/payload"
)

// table returns the rows of the first table after a heading of the protocol's
// documentation, as cells.
func table(t *testing.T, heading string) [][]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "docs", "reference", "websocket.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, text, ok := strings.Cut(string(data), "\n"+heading+"\n")
	if !ok {
		t.Fatalf("docs/reference/websocket.md has no %q", heading)
	}
	var rows [][]string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "|"):
			cells := strings.Split(strings.Trim(line, "|"), "|")
			for i := range cells {
				cells[i] = strings.Trim(strings.TrimSpace(cells[i]), "`")
			}
			rows = append(rows, cells)
		case len(rows) > 0:
			return rows[2:] // after the head and its line
		}
	}
	return rows[2:]
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func TestDocumentedErrorCodes(t *testing.T) {
	t.Parallel()
	rows := table(t, "### Error codes")
	if len(rows) != len(fault.Kinds()) {
		t.Fatalf("%d codes are documented, there are %d", len(rows), len(fault.Kinds()))
	}
	for i, kind := range fault.Kinds() {
		want := []string{string(kind), yes(kind.Retryable()), fmt.Sprint(kind.HTTPStatus())}
		if !slices.Equal(rows[i][:3], want) || rows[i][3] == "" {
			t.Errorf("row %v, want %v", rows[i], want)
		}
	}
}

func TestDocumentedCloseCodes(t *testing.T) {
	t.Parallel()
	rows := table(t, "## Close codes")
	if len(rows) != len(CloseCodes()) {
		t.Fatalf("%d codes are documented, there are %d", len(rows), len(CloseCodes()))
	}
	for i, c := range CloseCodes() {
		want := []string{fmt.Sprint(c.Code), yes(c.Reconnect()), c.Reason, c.Meaning}
		if !slices.Equal(rows[i], want) {
			t.Errorf("row  %q\nwant %q", rows[i], want)
		}
		if ours := c.Code >= 4000; ours && (c.Reconnect() != (c.Code < 4500) || c.Code > 4599) {
			t.Errorf("%d is in the range of another meaning", c.Code)
		}
		if len(c.Reason) > 123 {
			t.Errorf("%d: the reason does not fit a close frame", c.Code)
		}
	}
}

// The numbers in docs/reference/websocket.md are the defaults.
func TestDocumentedLimits(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join("..", "docs", "reference", "websocket.md"))
	if err != nil {
		t.Fatal(err)
	}
	a, err := agent.NewAssistant(agent.AssistantConfig{})
	if err != nil {
		t.Fatal(err)
	}
	rt, err := agent.NewRuntime(agent.RuntimeConfig{Agent: a, Store: agenttest.NewStore()})
	if err != nil {
		t.Fatal(err)
	}
	c := Config{Runtime: rt}
	if err := c.defaults(); err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(string(data)), " ")
	for _, want := range []string{
		fmt.Sprintf("text of a user message (`message_bytes` in `welcome`) | %d KiB |", agent.MaxTextBytes>>10),
		fmt.Sprintf(`"message_bytes":%d,"frame_bytes":%d`, agent.MaxTextBytes, c.FrameBytes),
		fmt.Sprintf("other messages, as JSON | %d KiB |", c.MessageBytes>>10),
		fmt.Sprintf("frame (`frame_bytes` in `welcome`) | %d MiB |", c.FrameBytes>>20),
		fmt.Sprintf("frames per second of a client | %g, and %d at once |", c.Rate, c.Burst),
		fmt.Sprintf("pings every %g seconds", c.PingEvery.Seconds()),
		fmt.Sprintf("heard for %g seconds", c.Silence.Seconds()),
		fmt.Sprintf("within %g seconds and in a frame of at most %d KiB", c.HelloTimeout.Seconds(), helloBytes>>10),
		fmt.Sprintf("for %g minutes", c.SessionTimeout.Minutes()), fmt.Sprintf("allows (%g minutes)", c.SessionTimeout.Minutes()),
		fmt.Sprintf("from %d to %d, `comment`", -agent.MaxRating, agent.MaxRating),
		fmt.Sprintf("a text of at most %d KiB, as a notification", agent.MaxTextBytes>>10),
		fmt.Sprintf("conversation, at most %d", shownHistory), fmt.Sprintf("has more than %d KiB is left out", agent.MaxHistoryContent>>10),
		fmt.Sprintf("the first %d MiB of the text and the newest %d steps", agent.MaxSnapshotText>>20, agent.MaxSnapshotSteps),
		fmt.Sprintf("file or recording, in base64 | %d MiB |", c.FileBytes>>20),
		fmt.Sprintf("memory of all messages over %d KiB that are being received | %d MiB |", keptBuffer>>10, c.UploadBytes>>20),
		fmt.Sprintf("transfer rate of a message | %d KiB per second, measured over %g seconds |", minUpload>>10, c.Stall.Seconds()),
		fmt.Sprintf("the outbox (%d MiB, or %d MiB of frames over %d KiB)", c.OutboxBytes>>20, c.LongOutboxBytes>>20, longFrame>>10),
		fmt.Sprintf("at most %d bytes and no control", agent.MaxNameBytes),
		fmt.Sprintf("At most %d,000 variables, %d MiB", agent.MaxVariables/1000, agent.MaxVariableBytes>>20),
	} {
		if !strings.Contains(text, want) {
			t.Errorf("docs/reference/websocket.md does not say %q", want)
		}
	}
}

func TestDocumentedCommands(t *testing.T) {
	t.Parallel()
	documented := table(t, "## Agent WebSocket")
	if len(documented) == 0 || documented[0][0] != "query" {
		t.Fatalf("the section begins with %v", documented)
	}
	rows := table(t, "### Commands")
	if len(rows) != len(commands()) {
		t.Fatalf("%d commands are documented, there are %d", len(rows), len(commands()))
	}
	for i, c := range commands() {
		if want := []string{c.name, c.help}; !slices.Equal(rows[i], want) {
			t.Errorf("row %q, want %q", rows[i], want)
		}
	}
	data := table(t, "The reply is a `response` with a text, the command as `kind`, and `data`:")
	for i, c := range commands() {
		value := map[string]any{
			"reset": resetData{}, "history": historyList{}, "status": statusData{}, "stop": stopData{}, "help": helpData{},
		}[c.name]
		if keys := keysOf(t, value); data[i][0] != c.name || !strings.HasPrefix(data[i][1], "{"+keys+"}") {
			t.Errorf("data of %s are documented as %q, are %s", c.name, data[i], keys)
		}
	}
}

// keysOf are the keys of a value as JSON, in order.
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
	for _, row := range table(t, "### Kinds") {
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
