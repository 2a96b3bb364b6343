package servertest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"docent/agent/session/journal"
	"docent/auth"
	"docent/internal/servertest"
)

// privateFile is a file of a conversation. Requests of the tests contain none of privateWords.
const privateFile = "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"zanzibar.md\"\r\n\r\n" +
	"# Memo of Quetzal\n\nThe budget of the harbor is seventy zwanzigers.\n\r\n--x--\r\n"

// privateWords are the file name, the title, and words of the text.
var privateWords = []string{"zanzibar", "Quetzal", "zwanziger"}

const privateQuestion = "What is the budget of the harbor?"

// attached attaches privateFile to a conversation, and asks about it.
func (s *site) attached(t *testing.T, by who, session string) {
	t.Helper()
	at := s.URL + "/api/sessions/" + session + "/files"
	resp, body := by.Request(t, http.MethodPost, at, privateFile, "Content-Type", "multipart/form-data; boundary=x")
	if want := `{"turn":1,"name":"zanzibar.md","title":"Memo of Quetzal","media_type":"text/markdown","passages":1}`; resp.StatusCode != http.StatusOK || strings.TrimSpace(body) != want {
		t.Fatalf("%s attaches a file: %d %s, want %s", by.Name, resp.StatusCode, body, want)
	}
	if _, body = by.Request(t, http.MethodGet, at, ""); !strings.Contains(body, "zanzibar.md") {
		t.Errorf("%s lists the files %s", by.Name, body)
	}
	if body = s.askIn(t, by, session); !strings.Contains(body, "seventy zwanzigers") {
		t.Errorf("%s asks in the conversation: %s", by.Name, body)
	}
}

// askIn asks privateQuestion in a conversation, and returns its messages.
func (s *site) askIn(t *testing.T, by who, session string) string {
	t.Helper()
	_, answer := by.Request(t, http.MethodPost, s.URL+"/agui",
		fmt.Sprintf(`{"threadId":%q,"runId":"r%d","messages":[{"role":"user","content":%q}]}`, session, s.asked.Add(1), privateQuestion), asJSON...)
	_, stored := by.Request(t, http.MethodGet, s.URL+"/api/sessions/"+session+"/messages", "")
	return answer + stored
}

// wantSecret fails if a response contains a word of the file.
func wantSecret(t *testing.T, by who, what, body string) {
	t.Helper()
	for _, word := range privateWords {
		if strings.Contains(strings.ToLower(body), strings.ToLower(word)) {
			t.Errorf("%s gets %q by %s: %.300s", by.Name, word, what, body)
		}
	}
}

// TestPrivateFiles checks that nobody finds the file of a conversation outside of it, by
// any route.
func TestPrivateFiles(t *testing.T) {
	t.Parallel()
	servertest.OnBothStores(t, func(t *testing.T, store servertest.Store) {
		s := guarded(t, servertest.Config{Store: store})
		owner := s.Person("user owner")
		s.attached(t, owner, "private")
		for _, by := range s.People {
			s.wantNoFile(t, by)
		}
		for _, question := range []string{privateQuestion, "When does the pump stop?"} { // the library is still searched
			_, body := owner.Request(t, http.MethodPost, s.URL+"/agui",
				fmt.Sprintf(`{"threadId":"private","runId":%q,"messages":[{"role":"user","content":%q}]}`, question, question), asJSON...)
			if !strings.Contains(body, map[bool]string{true: "zwanzigers", false: "noon"}[question == privateQuestion]) {
				t.Errorf("%s: %s", question, body)
			}
		}
		s.Restart()
		if body := s.askIn(t, owner, "private"); strings.Count(body, "seventy zwanzigers") < 3 {
			t.Errorf("after a restart: %s", body)
		}
		s.wantGone(t, owner)
	})
}

// wantNoFile sends requests to all routes that read documents or conversations.
func (s *site) wantNoFile(t *testing.T, by who) {
	t.Helper()
	own := by.Name == "user owner"
	for route, sample := range samples {
		method, path, _ := strings.Cut(route, " ")
		if sample.path != "" {
			path = sample.path
		}
		switch {
		case method != http.MethodGet || strings.Contains(path, "_websocket"):
			continue
		case strings.Contains(path, "{session}") && own: // its conversation
			continue
		}
		_, body := by.Request(t, method, s.URL+strings.ReplaceAll(path, "{session}", "private"), "", s.from()...)
		wantSecret(t, by, route, body)
	}
	for what, r := range map[string]struct{ method, path, body string }{
		"search":         {http.MethodGet, "/api/search?k=50&explain=true&q=budget+harbor", ""},
		"ask":            {http.MethodPost, "/api/ask", `{"question":"` + privateQuestion + `"}`},
		"ask in parts":   {http.MethodPost, "/api/ask?stream=true", `{"question":"` + privateQuestion + `","stream":true}`},
		"chat":           {http.MethodPost, "/v1/chat/completions", `{"model":"docent","messages":[{"role":"user","content":"` + privateQuestion + `"}]}`},
		"responses":      {http.MethodPost, "/v1/responses", `{"model":"docent","input":"` + privateQuestion + `"}`},
		"agui":           {http.MethodPost, "/agui", fmt.Sprintf(`{"threadId":"t%d","runId":"r","messages":[{"role":"user","content":"%s"}]}`, s.asked.Add(1), privateQuestion)},
		"documents":      {http.MethodGet, "/api/documents?limit=1000", ""},
		"collections":    {http.MethodGet, "/api/collections", ""},
		"holdings":       {http.MethodPost, "/agui", fmt.Sprintf(`{"threadId":"t%d","runId":"r","messages":[{"role":"user","content":"list your documents"}]}`, s.asked.Add(1))},
		"mcp":            {http.MethodPost, "/mcp", initialize},
		"metrics":        {http.MethodGet, "/metrics", ""},
		"sessions":       {http.MethodGet, "/api/sessions?match=harbors&limit=1000", ""},
		"document 2":     {http.MethodGet, "/api/documents/2", ""},
		"text 2":         {http.MethodGet, "/api/documents/2/text", ""},
		"file 2":         {http.MethodGet, "/api/documents/2/file", ""},
		"chunks 2":       {http.MethodGet, "/api/documents/2/chunks", ""},
		"publish":        {http.MethodPost, "/api/sessions/private/files/1/publish", `{}`},
		"remove":         {http.MethodDelete, "/api/sessions/private/files/1", ""},
		"foreign thread": {http.MethodPost, "/agui", `{"threadId":"private","runId":"x","messages":[{"role":"user","content":"` + privateQuestion + `"}]}`},
	} {
		if own && slices.Contains([]string{"publish", "remove", "foreign thread"}, what) {
			continue
		}
		header := append(s.from(), asMCP...)
		_, body := by.Request(t, r.method, s.URL+r.path, r.body, header...)
		if what == "metrics" || what == "sessions" {
			body = strings.ReplaceAll(body, "match=harbors", "")
		}
		wantSecret(t, by, what, body)
	}
	if by.May(auth.Ask) {
		c := by.Dial(t, s.URL+"/agent_websocket?session_id="+fmt.Sprintf("w%d", s.asked.Add(1)))
		hear(t, c)
	}
}

// wantGone checks that publishing, removing, and the end of the conversation work.
func (s *site) wantGone(t *testing.T, owner who) {
	t.Helper()
	publish := func(by who, session, collection string) (int, string) {
		resp, body := by.Request(t, http.MethodPost, s.URL+"/api/sessions/"+session+"/files/1/publish", `{"collection":"`+collection+`"}`, asJSON...)
		return resp.StatusCode, body
	}
	if status, body := publish(owner, "private", "memos"); status != http.StatusForbidden {
		t.Errorf("without ingest, publishing: %d %s", status, body)
	}
	both := s.Person("user both")
	s.attached(t, both, "public")
	status, body := publish(both, "public", "memos")
	if status != http.StatusOK || !strings.Contains(body, `"source":"upload:zanzibar.md","status":"added"`) {
		t.Errorf("publishing: %d %s", status, body)
	}
	var list struct {
		Documents []struct{ Collection, Source string }
	}
	_, body = s.Person("user other").Request(t, http.MethodGet, s.URL+"/api/documents?collection=memos", "")
	if err := json.Unmarshal([]byte(body), &list); err != nil || len(list.Documents) != 1 || list.Documents[0].Source != "upload:zanzibar.md" {
		t.Errorf("published documents: %s, %v", body, err)
	}
	if resp, body := both.Request(t, http.MethodDelete, s.URL+"/api/sessions/public/files/1", ""); resp.StatusCode != http.StatusNoContent {
		t.Errorf("removing: %d %s", resp.StatusCode, body)
	}
	if status, body := publish(both, "public", "memos"); status != http.StatusNotFound {
		t.Errorf("publishing a removed file: %d %s", status, body)
	}
	record, err := s.DB.Sessions.Session(t.Context(), journal.SessionKey{Agent: "docent", ID: "private"})
	if err != nil {
		t.Fatal(err)
	}
	if resp, body := owner.Request(t, http.MethodDelete, s.URL+"/api/sessions/private", ""); resp.StatusCode != http.StatusNoContent {
		t.Errorf("deleting the conversation: %d %s", resp.StatusCode, body)
	}
	left, err := s.DB.Sessions.SessionDocuments(context.WithoutCancel(t.Context()), record.RowID)
	if err != nil || len(left) != 0 {
		t.Errorf("the deleted conversation has the documents %v, %v", left, err)
	}
}
