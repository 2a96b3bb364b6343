package servertest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"docent/agent/session/journal"
	"docent/internal/servertest"
	"docent/internal/wstest"
	"docent/llm/llmtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(servertest.Main(m)) }

// who is somebody who uses a server.
type who = servertest.Person

// pump is the document of most tests.
var pump = servertest.Document{Name: "pump.md", Content: "# Pump\n\nThe feed pump stops at noon.\n"}

// litres is another document about the same pump.
var litres = servertest.Document{Name: "pump.md", Content: "# Pump\n\nThe feed pump moves 40 litres per minute.\n"}

// vault is a document for a collection that only some people may read.
var vault = servertest.Document{Collection: "vault", Name: "vault.md", Content: "# Vault\n\nThe vault pump stops at Zqmidnight.\n"}

// site is a server with authentication.
type site struct {
	*servertest.Server

	asked atomic.Int64
	reads bool // administrators may read conversations
}

// guarded starts a site with the document pump after the others.
func guarded(t *testing.T, cfg servertest.Config) *site {
	t.Helper()
	cfg.Auth = true
	cfg.Documents = append(slices.Clone(cfg.Documents), pump)
	cfg.Settings = with(cfg.Settings, map[string]string{"trusted-proxies": "127.0.0.1"})
	return &site{Server: servertest.Start(t, cfg), reads: cfg.Settings["read-conversations"] == "true"}
}

// with returns the settings of both maps.
func with(settings, more map[string]string) map[string]string {
	all := maps.Clone(more)
	maps.Copy(all, settings)
	return all
}

// session makes a session of an owner.
func (s *site) session(t *testing.T, owner string) journal.SessionKey {
	t.Helper()
	key := journal.SessionKey{Agent: "docent", ID: fmt.Sprintf("s%d", s.asked.Add(1))}
	if _, _, err := s.DB.Sessions.OpenSession(t.Context(), journal.SessionRecord{Key: key, Owner: owner, Platform: "WebSocketPlatform"}); err != nil {
		t.Fatal(err)
	}
	return key
}

// from returns a new client address. The server slows down addresses that send
// wrong credentials.
func (s *site) from() []string {
	n := s.asked.Add(1)
	return []string{"X-Forwarded-For", fmt.Sprintf("10.%d.%d.%d", n>>16&255, n>>8&255, n&255)}
}

// scripted returns the settings for a scripted model.
func scripted(model *llmtest.Server) map[string]string {
	return map[string]string{"llm.url": model.URL, "llm.model": "scripted", "llm.key": "none"}
}

// thinker is an agent that reasons about each message.
const thinker = `name: thinker
tools: {knowledge: true}
states:
  think:
    initial: true
    body: [reason]
    on: [{message: any, to: think}]
`

// calling is a reply of a model that calls one tool.
func calling(name, arguments string) llmtest.Reply {
	return llmtest.Reply{ToolCalls: []llmtest.ToolCall{{ID: "call " + name, Name: name, Arguments: arguments}}}
}

// eventually calls ok until it returns true.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(servertest.Patience)
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("it never came true: %s", what)
		}
	}
}

// getJSON asks a server and decodes its answer.
func getJSON(t *testing.T, url string, v any) {
	t.Helper()
	resp, body := who{}.Request(t, http.MethodGet, url, "")
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("GET %s: %s\n%s", url, resp.Status, body)
	}
	if err := json.Unmarshal([]byte(body), v); err != nil {
		t.Fatalf("GET %s: %v\n%s", url, err, body)
	}
}

// dial opens a connection as a client without credentials.
func dial(t *testing.T, url string) *wstest.Conn {
	t.Helper()
	return who{}.Dial(t, url)
}

func say(t *testing.T, c *wstest.Conn, kind int, frame string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), servertest.Patience)
	defer cancel()
	if err := c.Write(ctx, kind, []byte(frame)); err != nil {
		t.Fatalf("write %.60s: %v", frame, err)
	}
}

func hear(t *testing.T, c *wstest.Conn) map[string]any {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), servertest.Patience)
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

// until reads until a frame contains a text, and returns the frame.
func until(t *testing.T, c *wstest.Conn, text string) string {
	t.Helper()
	for {
		frame, err := json.Marshal(hear(t, c))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(frame), text) {
			return string(frame)
		}
	}
}
