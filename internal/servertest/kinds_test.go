package servertest_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"docent/auth/rights"
	"docent/internal/servertest"
	"docent/internal/wstest"
)

// TestKindsOfMessages checks that small talk and questions about the documents have the same replies over all protocols, and that
// these name no document that the reader may not read.
func TestKindsOfMessages(t *testing.T) {
	t.Parallel()
	s := guarded(t, servertest.Config{Documents: []servertest.Document{vault}})
	if err := s.DB.Rights.SetRight(t.Context(), "vault", rights.Grant{Subject: "user:root", Level: rights.Manage}); err != nil {
		t.Fatal(err)
	}
	for name, documents := range map[string]string{"user other": "1 document", "user root": "2 documents"} {
		by := s.Person(name)
		for question, want := range map[string]string{
			"Guten Morgen!":                 "Hallo! Was möchten Sie aus Ihren Dokumenten wissen?",
			"Can I trust your answers?":     "Check important answers in the source.",
			"How many documents are there?": "I know " + documents + " in the collection",
			"write an email to my boss":     "I cannot do that.",
		} {
			for protocol, got := range s.askAll(t, by, question) {
				if !strings.Contains(got, want) || name == "user other" && strings.Contains(got, "vault") {
					t.Errorf("%s, %s, %s: %.900s", name, protocol, question, got)
				}
			}
		}
	}
	by := s.Person("user other")
	say := func(message string) string {
		body := fmt.Sprintf(`{"model":"docent","messages":[{"role":"user","content":%q}]}`, message)
		_, got := by.Request(t, http.MethodPost, s.URL+"/v1/chat/completions", body, append([]string{"X-Session-ID", "kinds"}, asJSON...)...)
		return got
	}
	say("When does the pump stop?")
	if got := say("source?"); !strings.Contains(got, "The last answer is from:") || !strings.Contains(got, "pump") {
		t.Errorf("the source: %s", got)
	}
}

// askAll asks over each protocol, and returns the replies.
func (s *site) askAll(t *testing.T, by who, question string) map[string]string {
	t.Helper()
	got := map[string]string{}
	n := s.asked.Add(1)
	for name, r := range map[string]struct{ path, body string }{
		"ask":       {"/api/ask", fmt.Sprintf(`{"question":%q}`, question)},
		"chat":      {"/v1/chat/completions", fmt.Sprintf(`{"model":"docent","messages":[{"role":"user","content":%q}]}`, question)},
		"session":   {"/v1/chat/completions", fmt.Sprintf(`{"model":"docent","metadata":{"session_id":"k%d"},"messages":[{"role":"user","content":%q}]}`, n, question)},
		"responses": {"/v1/responses", fmt.Sprintf(`{"model":"docent","input":%q}`, question)},
	} {
		resp, body := by.Request(t, http.MethodPost, s.URL+r.path, r.body, asJSON...)
		if resp.StatusCode != http.StatusOK {
			t.Errorf("%s: %d %s", name, resp.StatusCode, body)
		}
		got[name] = body
	}
	body := fmt.Sprintf(`{"threadId":"k%d","runId":"r","messages":[{"id":"m","role":"user","content":%q}]}`, s.asked.Add(1), question)
	_, got["AG-UI"] = by.Request(t, http.MethodPost, s.URL+"/agui", body, asJSON...)
	got["AG-UI"] = joinedDeltas(got["AG-UI"])
	c := by.Dial(t, fmt.Sprintf("%s/?session_id=k%d", s.URL, s.asked.Add(1)))
	until(t, c, "Ask me about your documents")
	say(t, c, wstest.MessageText, fmt.Sprintf(`{"action":"user_message","message":%q}`, question))
	got["WebSocket"] = until(t, c, "agent_reply_")
	session, err := s.mcpAs(t, by)
	if err != nil {
		t.Fatal(err)
	}
	result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "ask", Arguments: map[string]any{"question": question}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range result.Content {
		if text, ok := c.(*sdk.TextContent); ok {
			got["MCP"] += text.Text
		}
	}
	return got
}

// joinedDeltas returns the text of an AG-UI stream.
func joinedDeltas(stream string) string {
	var b strings.Builder
	for _, part := range strings.Split(stream, `"delta":"`)[1:] {
		text, _, _ := strings.Cut(part, `"`)
		b.WriteString(text)
	}
	return b.String()
}
