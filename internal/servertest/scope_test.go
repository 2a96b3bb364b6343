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
	"docent/rag/corpus"
)

// TestDocumentScope asks one of two documents over all protocols. A document that the reader may not read is like one that
// does not exist.
func TestDocumentScope(t *testing.T) {
	t.Parallel()
	servertest.OnBothStores(t, func(t *testing.T, store servertest.Store) {
		deck := servertest.Document{Name: "deck.md", Content: "# Deck\n\nThe deck pump stops at sunset.\n"}
		s := guarded(t, servertest.Config{Store: store, Documents: []servertest.Document{vault, deck}}) // the ids 1 and 2; pump is 3
		if err := s.DB.Rights.SetRight(t.Context(), "vault", rights.Grant{Subject: "user:root", Level: rights.Manage}); err != nil {
			t.Fatal(err)
		}
		by := s.Person("user other")
		const question = "When does the pump stop?"
		for _, c := range []struct {
			document int
			want     string
		}{{2, "sunset"}, {3, "noon"}, {1, ""}, {999, ""}} {
			for protocol, got := range s.askDocument(t, by, question, c.document) {
				for _, word := range []string{"sunset", "noon", "Zqmidnight"} {
					if strings.Contains(got, word) != (word == c.want) {
						t.Errorf("%s in document %d: %v for %q: %.700s", protocol, c.document, strings.Contains(got, word), word, got)
					}
				}
			}
		}
		for body, id := range map[string]string{
			`{"model":"docent","metadata":{"documents":"two"},"messages":[{"role":"user","content":"hi"}]}`: "metadata.documents",
			`{"model":"docent","metadata":{"documents":[2]},"messages":[{"role":"user","content":"hi"}]}`:   "metadata.documents",
		} {
			if resp, got := by.Request(t, http.MethodPost, s.URL+"/v1/chat/completions", body, asJSON...); resp.StatusCode != http.StatusBadRequest || !strings.Contains(got, id) {
				t.Errorf("%s: %d %s", body, resp.StatusCode, got)
			}
		}
	})
}

// askDocument asks a document over each protocol, and returns the answers.
func (s *site) askDocument(t *testing.T, by who, question string, document int) map[string]string {
	t.Helper()
	got := map[string]string{}
	for name, r := range map[string]struct{ method, path, body string }{
		"search":    {http.MethodGet, fmt.Sprintf("/api/search?q=pump+stop&document=%d", document), ""},
		"ask":       {http.MethodPost, "/api/ask", fmt.Sprintf(`{"question":%q,"documents":[%d]}`, question, document)},
		"chat":      {http.MethodPost, "/v1/chat/completions", fmt.Sprintf(`{"model":"docent","metadata":{"documents":"%d"},"messages":[{"role":"user","content":%q}]}`, document, question)},
		"session":   {http.MethodPost, "/v1/chat/completions", fmt.Sprintf(`{"model":"docent","metadata":{"documents":"%d","session_id":"s%d"},"messages":[{"role":"user","content":%q}]}`, document, s.asked.Add(1), question)},
		"responses": {http.MethodPost, "/v1/responses", fmt.Sprintf(`{"model":"docent","metadata":{"documents":"%d"},"input":%q}`, document, question)},
	} {
		resp, body := by.Request(t, r.method, s.URL+r.path, r.body, asJSON...)
		if resp.StatusCode != http.StatusOK {
			t.Errorf("%s: %d %s", name, resp.StatusCode, body)
		}
		got[name] = body
	}
	c := by.Dial(t, fmt.Sprintf("%s/?session_id=w%d", s.URL, s.asked.Add(1)))
	say(t, c, wstest.MessageText, fmt.Sprintf(`{"action":"user_message","message":{"message":%q,"documents":[%d]}}`, question, document))
	got["WebSocket"] = until(t, c, "agent_reply_rag")
	session, err := s.mcpAs(t, by)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range []string{"ask", "search"} {
		collection := map[bool]string{true: "vault", false: "default"}[document == 1]
		result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: map[string]any{
			map[string]string{"ask": "question", "search": "query"}[tool]: question,
			"documents": []string{fmt.Sprintf("docent://%s/%d", collection, document)},
		}})
		got["MCP "+tool] = fmt.Sprintf("%+v %v", result.StructuredContent, err)
	}
	return got
}

// TestPlaceScope asks the documents of a folder or with a tag over all protocols. Those that the reader may not read are
// not among them.
func TestPlaceScope(t *testing.T) {
	t.Parallel()
	servertest.OnBothStores(t, func(t *testing.T, store servertest.Store) {
		const tagged = "---\ntags: [Marine, old]\n---\n"
		deck := servertest.Document{Name: "ship/upper/deck.md", Content: tagged + "# Deck\n\nThe deck pump stops at sunset.\n"}
		hidden := vault
		hidden.Name, hidden.Content = "ship/vault.md", tagged+hidden.Content
		s := guarded(t, servertest.Config{Store: store, Documents: []servertest.Document{hidden, deck}})
		if err := s.DB.Rights.SetRight(t.Context(), "vault", rights.Grant{Subject: "user:root", Level: rights.Manage}); err != nil {
			t.Fatal(err)
		}
		found, err := s.DB.Library.Documents(t.Context(), corpus.DocumentFilter{Place: corpus.Place{Tags: []string{"marine"}}, Collection: "default"})
		if err != nil || len(found) != 1 || !strings.HasSuffix(found[0].Folder, "/ship/upper") {
			t.Fatalf("tagged documents: %+v, %v", found, err)
		}
		by := s.Person("user other")
		const question = "When does the pump stop?"
		for name, value := range map[string]string{"tags": "marine", "folders": strings.TrimSuffix(found[0].Folder, "/upper")} {
			for protocol, got := range s.askPlace(t, by, question, name, value) {
				for word, want := range map[string]bool{"sunset": true, "noon": false, "Zqmidnight": false} {
					if strings.Contains(got, word) != want {
						t.Errorf("%s in %s %s: %v for %q: %.700s", protocol, name, value, !want, word, got)
					}
				}
			}
		}
		for path, want := range map[string]int{
			"/api/search?q=pump&tag=none": http.StatusNotFound, "/api/search?q=pump&tag=marine&collection=vault": http.StatusNotFound,
		} {
			if resp, got := by.Request(t, http.MethodGet, s.URL+path, ""); resp.StatusCode != want || strings.Contains(got, "Zqmidnight") {
				t.Errorf("%s: %d %s", path, resp.StatusCode, got)
			}
		}
	})
}

// askPlace asks a folder or a tag over each protocol, and returns the answers.
func (s *site) askPlace(t *testing.T, by who, question, name, value string) map[string]string {
	t.Helper()
	got := map[string]string{}
	for protocol, r := range map[string]struct{ method, path, body string }{
		"search":  {http.MethodGet, fmt.Sprintf("/api/search?q=pump+stop&%s=%s", strings.TrimSuffix(name, "s"), value), ""},
		"ask":     {http.MethodPost, "/api/ask", fmt.Sprintf(`{"question":%q,%q:[%q]}`, question, name, value)},
		"chat":    {http.MethodPost, "/v1/chat/completions", fmt.Sprintf(`{"model":"docent","metadata":{%q:%q},"messages":[{"role":"user","content":%q}]}`, name, value, question)},
		"session": {http.MethodPost, "/v1/chat/completions", fmt.Sprintf(`{"model":"docent","metadata":{%q:%q,"session_id":"p%d"},"messages":[{"role":"user","content":%q}]}`, name, value, s.asked.Add(1), question)},
	} {
		resp, body := by.Request(t, r.method, s.URL+r.path, r.body, asJSON...)
		if resp.StatusCode != http.StatusOK {
			t.Errorf("%s: %d %s", protocol, resp.StatusCode, body)
		}
		got[protocol] = body
	}
	c := by.Dial(t, fmt.Sprintf("%s/?session_id=q%d", s.URL, s.asked.Add(1)))
	say(t, c, wstest.MessageText, fmt.Sprintf(`{"action":"user_message","message":{"message":%q,%q:[%q]}}`, question, name, value))
	got["WebSocket"] = until(t, c, "agent_reply_rag")
	session, err := s.mcpAs(t, by)
	if err != nil {
		t.Fatal(err)
	}
	for tool, argument := range map[string]string{"ask": "question", "search": "query"} {
		result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: map[string]any{
			argument: question, name: []string{value},
		}})
		got["MCP "+tool] = fmt.Sprintf("%+v %v", result.StructuredContent, err)
	}
	return got
}
