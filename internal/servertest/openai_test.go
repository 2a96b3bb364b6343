package servertest_test

import (
	"net/http"
	"strings"
	"testing"

	"docent/auth/rights"
	"docent/internal/servertest"
	"docent/internal/wstest"
)

// TestOpenAISessions checks that a conversation below /v1 is stored, belongs to its
// owner, and continues over HTTP and WebSocket.
func TestOpenAISessions(t *testing.T) {
	t.Parallel()
	servertest.OnBothStores(t, func(t *testing.T, store servertest.Store) {
		s := guarded(t, servertest.Config{Store: store})
		owner := s.Person("user both")
		for i, header := range [][]string{{"X-Session-ID", "v1-session"}, nil} {
			body := `{"model":"docent","messages":[{"role":"user","content":"When does the pump stop?"}],"metadata":{"session_id":"v1-session"}}`
			resp, got := owner.Request(t, http.MethodPost, s.URL+"/v1/chat/completions", body, append(header, asJSON...)...)
			if resp.StatusCode != http.StatusOK || !strings.Contains(got, "noon") || !strings.Contains(got, `"url_citation"`) || !strings.Contains(got, `"docent":{`) {
				t.Errorf("answer %d: %d %s", i, resp.StatusCode, got)
			}
		}
		_, got := owner.Request(t, http.MethodGet, s.URL+"/api/sessions/v1-session/messages", "")
		if n := strings.Count(got, `"When does the pump stop?"`); n < 2 || strings.Count(got, `"rag_answer"`) != 2 {
			t.Errorf("the stored conversation is %s", got)
		}
		if _, got := owner.Request(t, http.MethodGet, s.URL+"/api/sessions", ""); !strings.Contains(got, `"v1-session"`) {
			t.Errorf("the owner does not find the conversation: %s", got)
		}
		c := owner.Dial(t, s.URL+"/?protocol=docent.v1&session_id=v1-session")
		say(t, c, wstest.MessageText, `{"action":"hello","message":{}}`)
		until(t, c, `"resumed":true`)
		_ = c.CloseNow()
		for _, name := range []string{"user other", "token both", "user root"} {
			w := s.Person(name)
			for path, body := range map[string]string{
				"/v1/chat/completions": `{"model":"docent","messages":[{"role":"user","content":"And why?"}]}`,
				"/v1/responses":        `{"model":"docent","input":"And why?","stream":true}`,
			} {
				resp, got := w.Request(t, http.MethodPost, s.URL+path, body, append([]string{"X-Session-ID", "v1-session"}, asJSON...)...)
				if resp.StatusCode != http.StatusOK || strings.Contains(got, "When does the pump stop?") { // a session of their own
					t.Errorf("%s as %s: %d %s", path, name, resp.StatusCode, got)
				}
			}
		}
		if _, after := owner.Request(t, http.MethodGet, s.URL+"/api/sessions/v1-session/messages", ""); strings.Contains(after, "And why?") {
			t.Errorf("others wrote to the conversation: %s", after)
		}
	})
}

// TestOpenAIModelsOfOthers checks that a collection without a right looks like one
// that does not exist.
func TestOpenAIModelsOfOthers(t *testing.T) {
	t.Parallel()
	s := guarded(t, servertest.Config{Documents: []servertest.Document{vault}})
	if err := s.DB.Rights.SetRight(t.Context(), "vault", rights.Grant{Subject: "user:root", Level: rights.Manage}); err != nil {
		t.Fatal(err)
	}
	w := s.Person("user both")
	if _, got := w.Request(t, http.MethodGet, s.URL+"/v1/models", ""); strings.Contains(got, "vault") || !strings.Contains(got, `"docent/default"`) {
		t.Errorf("the models are %s", got)
	}
	ask := func(model string) string {
		body := `{"model":"docent/` + model + `","messages":[{"role":"user","content":"x"}]}`
		resp, got := w.Request(t, http.MethodPost, s.URL+"/v1/chat/completions", body, asJSON...)
		return resp.Status + strings.ReplaceAll(got, model, "NAME")
	}
	if hidden, missing := ask("vault"), ask("nothing"); hidden != missing || !strings.Contains(hidden, `"model_not_found"`) {
		t.Errorf("a collection of others: %s, a missing one: %s", hidden, missing)
	}
}
