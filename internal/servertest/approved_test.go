package servertest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"docent/auth/rights"
	"docent/internal/servertest"
	"docent/internal/wstest"
	"docent/payload"
)

// TestApprovedPassages links passages below an answer. Its readers see those that they may read, in each protocol, and its owner learns
// that one changed.
func TestApprovedPassages(t *testing.T) {
	t.Parallel()
	servertest.OnBothStores(t, func(t *testing.T, store servertest.Store) {
		s := guarded(t, servertest.Config{Store: store, Documents: []servertest.Document{vault}})
		for name, grants := range map[string]map[string]rights.Level{
			"vault":   {"user:root": rights.Manage},
			"default": {"user:both": rights.Manage, "user:other": rights.Read, "user:root": rights.Manage},
		} {
			for subject, level := range grants {
				if err := s.DB.Rights.SetRight(t.Context(), name, rights.Grant{Subject: subject, Level: level}); err != nil {
					t.Fatal(err)
				}
			}
		}
		root, manager, reader := s.Person("user root"), s.Person("user both"), s.Person("user other")
		send := func(w who, method, path, body string, want int) string {
			t.Helper()
			resp, got := w.Request(t, method, s.URL+path, body, asJSON...)
			if resp.StatusCode != want {
				t.Fatalf("%s %s: %d, want %d: %s", method, path, resp.StatusCode, want, got)
			}
			return got
		}
		var listed struct {
			Documents []struct {
				ID         int64
				Collection string
			}
		}
		if err := json.Unmarshal([]byte(send(root, http.MethodGet, "/api/documents", "", http.StatusOK)), &listed); err != nil {
			t.Fatal(err)
		}
		in := func(collection string) int64 {
			return listed.Documents[slices.IndexFunc(listed.Documents, func(d struct {
				ID         int64
				Collection string
			},
			) bool {
				return d.Collection == collection
			})].ID
		}
		secret, open := in("vault"), in("default")
		const secretQuote, question = "vault pump stops at Zqmidnight", "Who stops all pumps?"
		fields := func(passages string) string {
			return fmt.Sprintf(`{"questions":[%q],"text":"Ms. Roth.","signed":"Support","passages":[%s]}`, question, passages)
		}
		added := func(passages string) string { return `{"collection":"default",` + fields(passages)[1:] }
		link := func(document int64, quote string) string {
			return fmt.Sprintf(`{"document_id":%d,"quote":%q}`, document, quote)
		}
		const openQuote = "feed pump stops at noon"
		send(manager, http.MethodPost, "/api/insight/answers", added(link(secret, secretQuote)), http.StatusBadRequest)
		send(root, http.MethodPost, "/api/insight/answers", added(link(open, "no such words")), http.StatusBadRequest)
		var answer struct{ ID int64 }
		body := send(root, http.MethodPost, "/api/insight/answers", added(link(secret, secretQuote)+","+link(open, openQuote)), http.StatusOK)
		if err := json.Unmarshal([]byte(body), &answer); err != nil || strings.Contains(body, `"due":true`) {
			t.Fatalf("the answer is %s", body)
		}
		at := fmt.Sprint("/api/insight/answers/", answer.ID)

		// The sources of the answer.
		ask := func(w who) payload.RAGMessage {
			t.Helper()
			var m payload.RAGMessage
			if err := json.Unmarshal([]byte(send(w, http.MethodPost, "/api/ask", fmt.Sprintf(`{"question":%q}`, question), http.StatusOK)), &m); err != nil {
				t.Fatal(err)
			}
			return m
		}
		eventually(t, "an administrator gets both passages", func() bool {
			m := ask(root)
			return strings.HasSuffix(m.Answer, "Ms. Roth. [1][2][3]") && strings.Contains(m.Docs[1].Content, "Zqmidnight") && strings.Contains(m.Docs[2].Content, "noon")
		})
		m := ask(reader)
		if !strings.HasSuffix(m.Answer, "Ms. Roth. [1][2]") || !strings.Contains(m.Docs[1].Content, "noon") {
			t.Errorf("a reader gets %+v", m)
		}
		const chat = `{"model":"docent","messages":[{"role":"user","content":"` + question + `"}]}`
		for _, w := range []who{root, reader} {
			_, body := w.Request(t, http.MethodPost, s.URL+"/v1/chat/completions", chat, asJSON...)
			if !strings.Contains(body, "Ms. Roth.") || strings.Contains(body, "Zqmidnight") != (w.Name == root.Name) {
				t.Errorf("%s gets in the format of OpenAI: %s", w.Name, body)
			}
			c := w.Dial(t, s.URL+"/ws?session_id=passages-"+fmt.Sprint(w.Name == root.Name))
			hear(t, c)
			say(t, c, wstest.MessageText, frame(payload.UserMessage, fmt.Sprintf("%q", question)))
			got := until(t, c, "agent_reply_rag")
			if strings.Contains(got, "Zqmidnight") != (w.Name == root.Name) {
				t.Errorf("%s gets over the WebSocket: %s", w.Name, got)
			}
		}

		// A manager who may not read one of the documents sees that there is a passage, and cannot remove it.
		page := send(manager, http.MethodGet, "/api/insight/answers", "", http.StatusOK)
		none(t, "the list of a manager", page, []string{"Zqmidnight", "Vault"})
		if !strings.Contains(page, `"hidden":true`) || !strings.Contains(page, openQuote) {
			t.Errorf("the list is %s", page)
		}
		body = send(manager, http.MethodPut, at, fields(link(open, openQuote)), http.StatusOK)
		none(t, "the answer of a manager", body, []string{"Zqmidnight", "Vault"})
		if body = send(root, http.MethodGet, "/api/insight/answers", "", http.StatusOK); !strings.Contains(body, secretQuote) {
			t.Errorf("the hidden passage is gone: %s", body)
		}

		// A changed passage.
		if due := send(root, http.MethodGet, "/api/insight/answers?due=true", "", http.StatusOK); !strings.Contains(due, `"answers":[]`) {
			t.Errorf("answers to check: %s", due)
		}
		send(root, http.MethodDelete, fmt.Sprint("/api/documents/", secret), "", http.StatusNoContent)
		for _, w := range []who{root, manager} {
			due := send(w, http.MethodGet, "/api/insight/answers?due=true", "", http.StatusOK)
			if !strings.Contains(due, `"deleted":true`) || strings.Contains(due, "Zqmidnight") != (w.Name == root.Name) {
				t.Errorf("answers to check, for %s: %s", w.Name, due)
			}
			if today := send(w, http.MethodGet, "/api/today", "", http.StatusOK); !strings.Contains(today, `"answers_due"`) {
				t.Errorf("today, for %s: %s", w.Name, today)
			}
		}
		if digest := send(root, http.MethodGet, "/api/system/digest", "", http.StatusOK); !strings.Contains(digest, "1 approved answer to check") {
			t.Errorf("the digest is %s", digest)
		}
		if body = send(manager, http.MethodPut, at, fields(link(open, openQuote)), http.StatusOK); !strings.Contains(body, `"due":false`) {
			t.Errorf("without the passage of a deleted document: %s", body)
		}
	})
}
