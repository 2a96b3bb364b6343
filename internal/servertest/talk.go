package servertest

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"docent/internal/wstest"
	"docent/llm/llmtest"
	"docent/payload"
)

// Frame returns a frame without an id.
func Frame(action payload.Action, message string) string {
	return `{"action":"` + string(action) + `","message":` + message + `}`
}

// Say sends a WebSocket message of a kind.
func Say(t testing.TB, c *wstest.Conn, kind int, frame string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), Patience)
	defer cancel()
	if err := c.Write(ctx, kind, []byte(frame)); err != nil {
		t.Fatalf("write %.60s: %v", frame, err)
	}
}

// Hear reads the next frame.
func Hear(t testing.TB, c *wstest.Conn) map[string]any {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), Patience)
	defer cancel()
	_, data, err := c.Read(ctx)
	if err != nil {
		t.Fatalf("read: %v", err)
	}
	var frame map[string]any
	if err := json.Unmarshal(data, &frame); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	return frame
}

// Until reads until a frame contains a text, and returns the frame.
func Until(t testing.TB, c *wstest.Conn, text string) string {
	t.Helper()
	for {
		frame, err := json.Marshal(Hear(t, c))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(frame), text) {
			return string(frame)
		}
	}
}

// GetJSON asks a server as a client without credentials, and decodes its answer.
func GetJSON(t testing.TB, url string, v any) {
	t.Helper()
	resp, body := Person{}.Request(t, http.MethodGet, url, "") //nolint:bodyclose // Request closes it
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("GET %s: %s\n%s", url, resp.Status, body)
	}
	if err := json.Unmarshal([]byte(body), v); err != nil {
		t.Fatalf("GET %s: %v\n%s", url, err, body)
	}
}

// triesEach is the time between two tries of Eventually. It leaves the processor to the server.
const triesEach = 20 * time.Millisecond

// Eventually calls ok until it returns true.
func Eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(triesEach)
	defer tick.Stop()
	for deadline := time.After(Patience); !ok(); {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("it never came true: %s", what)
		}
	}
}

// NotAtMidnight waits for the next day of UTC if it begins too soon for a test.
func NotAtMidnight(t testing.TB) {
	t.Helper()
	for time.Until(time.Now().UTC().Truncate(24*time.Hour).Add(24*time.Hour)) < 2*time.Minute {
		select {
		case <-time.After(time.Second):
		case <-t.Context().Done():
		}
	}
}

// Calling is a reply of a model that calls one tool.
func Calling(name, arguments string) llmtest.Reply {
	return llmtest.Reply{ToolCalls: []llmtest.ToolCall{{ID: "call " + name, Name: name, Arguments: arguments}}}
}
