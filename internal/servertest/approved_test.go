package servertest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"docent/auth/rights"
	"docent/internal/servertest"
	"docent/internal/wstest"
	"docent/payload"
)

// Passages below an approved answer. Only root may read the first.
const (
	secretQuote = "vault pump stops at Zqmidnight"
	openQuote   = "feed pump stops at noon"
	askedOfAll  = "Who stops all pumps?"
)

// linking is a server with an approved answer that has passages.
type linking struct {
	*site
	root, manager, reader who
	at                    string // the path of the answer
}

// newLinking starts a server whose document 1 is in the vault, and document 2 is not.
func newLinking(t *testing.T, store servertest.Store) *linking {
	t.Helper()
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
	return &linking{site: s, root: s.Person("user root"), manager: s.Person("user both"), reader: s.Person("user other")}
}

// send sends a request, and wants a status.
func (l *linking) send(t *testing.T, w who, method, path, body string, want int) string {
	t.Helper()
	resp, got := w.Request(t, method, l.URL+path, body, asJSON...)
	if resp.StatusCode != want {
		t.Fatalf("%s %s: %d, want %d: %s", method, path, resp.StatusCode, want, got)
	}
	return got
}

// linked names a passage.
func linked(document int64, quote string) string {
	return fmt.Sprintf(`{"document_id":%d,"quote":%q}`, document, quote)
}

// linkedAnswer is the body of a changed answer.
func linkedAnswer(passages ...string) string {
	return fmt.Sprintf(`{"questions":[%q],"text":"Ms. Roth.","signed":"Support","passages":[%s]}`, askedOfAll, strings.Join(passages, ","))
}

// TestApprovedPassages links passages below an answer. Its readers see those that they may read, in each protocol, and its owner learns
// that one changed.
func TestApprovedPassages(t *testing.T) {
	t.Parallel()
	servertest.OnBothStores(t, func(t *testing.T, store servertest.Store) {
		l := newLinking(t, store)
		const path = "/api/insight/answers"
		added := func(passages ...string) string { return `{"collection":"default",` + linkedAnswer(passages...)[1:] }
		l.send(t, l.manager, http.MethodPost, path, added(linked(1, secretQuote)), http.StatusBadRequest)
		l.send(t, l.root, http.MethodPost, path, added(linked(2, "no such words")), http.StatusBadRequest)
		var answer struct{ ID int64 }
		body := l.send(t, l.root, http.MethodPost, path, added(linked(1, secretQuote), linked(2, openQuote)), http.StatusOK)
		if err := json.Unmarshal([]byte(body), &answer); err != nil || strings.Contains(body, `"due":true`) {
			t.Fatalf("the answer is %s", body)
		}
		l.at = fmt.Sprint(path, "/", answer.ID)
		l.sources(t)
		l.hidden(t)
		l.deleted(t)
	})
}

// sources asks the question.
func (l *linking) sources(t *testing.T) {
	t.Helper()
	ask := func(w who) (m payload.RAGMessage) {
		t.Helper()
		body := l.send(t, w, http.MethodPost, "/api/ask", fmt.Sprintf(`{"question":%q}`, askedOfAll), http.StatusOK)
		if err := json.Unmarshal([]byte(body), &m); err != nil {
			t.Fatal(err)
		}
		return m
	}
	eventually(t, "an administrator gets both passages", func() bool {
		m := ask(l.root)
		return strings.HasSuffix(m.Answer, "Ms. Roth. [1][2][3]") && strings.Contains(m.Docs[1].Content, "Zqmidnight") &&
			strings.Contains(m.Docs[2].Content, "noon")
	})
	if m := ask(l.reader); !strings.HasSuffix(m.Answer, "Ms. Roth. [1][2]") || !strings.Contains(m.Docs[1].Content, "noon") {
		t.Errorf("a reader gets %+v", m)
	}
	for _, w := range []who{l.root, l.reader} {
		may := w.Name == l.root.Name
		_, body := w.Request(t, http.MethodPost, l.URL+"/v1/chat/completions",
			`{"model":"docent","messages":[{"role":"user","content":"`+askedOfAll+`"}]}`, asJSON...)
		if !strings.Contains(body, "Ms. Roth.") || strings.Contains(body, "Zqmidnight") != may {
			t.Errorf("%s gets in the format of OpenAI: %s", w.Name, body)
		}
		c := w.Dial(t, fmt.Sprint(l.URL, "/ws?session_id=passages-", may))
		hear(t, c)
		say(t, c, wstest.MessageText, frame(payload.UserMessage, fmt.Sprintf("%q", askedOfAll)))
		if got := until(t, c, "agent_reply_rag"); strings.Contains(got, "Zqmidnight") != may {
			t.Errorf("%s gets over the WebSocket: %s", w.Name, got)
		}
	}
}

// hidden shows the answer to a manager who may not read one of the documents. The manager cannot remove its passage.
func (l *linking) hidden(t *testing.T) {
	t.Helper()
	page := l.send(t, l.manager, http.MethodGet, "/api/insight/answers", "", http.StatusOK)
	none(t, "the list of a manager", page, []string{"Zqmidnight", "Vault"})
	if !strings.Contains(page, `"hidden":true`) || !strings.Contains(page, openQuote) {
		t.Errorf("the list is %s", page)
	}
	body := l.send(t, l.manager, http.MethodPut, l.at, linkedAnswer(linked(2, openQuote)), http.StatusOK)
	none(t, "the answer of a manager", body, []string{"Zqmidnight", "Vault"})
	if body = l.send(t, l.root, http.MethodGet, "/api/insight/answers", "", http.StatusOK); !strings.Contains(body, secretQuote) {
		t.Errorf("the hidden passage is gone: %s", body)
	}
	// Known words of a passage are refused like unknown ones, and documents are ignored like missing ones.
	l.send(t, l.manager, http.MethodPut, l.at, linkedAnswer(linked(1, secretQuote)), http.StatusBadRequest)
	withDocuments := func(ids string) string { return `{"documents":` + ids + `,` + linkedAnswer(linked(2, openQuote))[1:] }
	if body = l.send(t, l.manager, http.MethodPut, l.at, withDocuments("[1,2,999]"), http.StatusOK); !strings.Contains(body, `"documents":[2]`) {
		t.Errorf("a manager linked documents: %s", body)
	}
	l.send(t, l.root, http.MethodPut, l.at, withDocuments("[1,2]")[:len(withDocuments("[1,2]"))-2]+","+linked(1, secretQuote)+"]}", http.StatusOK)
	if body = l.send(t, l.manager, http.MethodPut, l.at, linkedAnswer(linked(2, openQuote)), http.StatusOK); !strings.Contains(body, `"documents":[1]`) {
		t.Errorf("a manager removed a document: %s", body)
	}
}

// deleted deletes one of the documents.
func (l *linking) deleted(t *testing.T) {
	t.Helper()
	const list = "/api/insight/answers?due=true"
	if due := l.send(t, l.root, http.MethodGet, list, "", http.StatusOK); !strings.Contains(due, `"answers":[]`) {
		t.Errorf("answers to check: %s", due)
	}
	l.send(t, l.root, http.MethodDelete, "/api/documents/1", "", http.StatusNoContent)
	for _, w := range []who{l.root, l.manager} { // the manager does not learn about documents of others
		may := w.Name == l.root.Name
		due := l.send(t, w, http.MethodGet, list, "", http.StatusOK)
		if strings.Contains(due, `"deleted":true`) != may || strings.Contains(due, "Zqmidnight") != may || strings.Contains(due, `"answers":[]`) == may {
			t.Errorf("answers to check, for %s: %s", w.Name, due)
		}
		all := l.send(t, w, http.MethodGet, "/api/insight/answers", "", http.StatusOK)
		if strings.Contains(all, `"due":true`) != may || strings.Contains(all, `"changed":true`) != may || strings.Contains(all, `"changed":[1]`) != may {
			t.Errorf("answers, for %s: %s", w.Name, all)
		}
		if today := l.send(t, w, http.MethodGet, "/api/today", "", http.StatusOK); strings.Contains(today, `"answers_due"`) != may {
			t.Errorf("today, for %s: %s", w.Name, today)
		}
	}
	if digest := l.send(t, l.root, http.MethodGet, "/api/system/digest", "", http.StatusOK); !strings.Contains(digest, "1 approved answer to check") {
		t.Errorf("the digest is %s", digest)
	}
	body := l.send(t, l.manager, http.MethodPut, l.at, linkedAnswer(linked(2, openQuote)), http.StatusOK)
	if !strings.Contains(body, `"due":false`) {
		t.Errorf("without the passage of a deleted document: %s", body)
	}
}
