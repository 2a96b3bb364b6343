package servertest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"docent/agent/session/journal"
	"docent/auth"
	"docent/internal/servertest"
	"docent/internal/wstest"
	"docent/payload"
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
	servertest.OnBothStores(t, func(t *testing.T, store servertest.Store) { privateFiles(t, servertest.Config{Store: store}) })
}

// TestPrivateFilesAndReaders checks that administrators who may read conversations find the file only there.
func TestPrivateFilesAndReaders(t *testing.T) {
	t.Parallel()
	s := guarded(t, servertest.Config{Settings: map[string]string{"read-conversations": "true"}})
	s.attached(t, s.Person("user owner"), "private")
	for _, name := range []string{"token root", "user root"} {
		s.wantNoFile(t, s.Person(name))
	}
}

func privateFiles(t *testing.T, cfg servertest.Config) {
	t.Helper()
	s := guarded(t, cfg)
	owner := s.Person("user owner")
	s.attached(t, owner, "private")
	// TestWhoMayDoWhat checks that other users have the rights of tokens with their scopes.
	for _, name := range []string{"nobody", "token owner", "token other", "token feeder", "token both", "token root", "token site", "user owner", "user root"} {
		s.wantNoFile(t, s.Person(name))
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
		case (strings.Contains(path, "{session}") || path == "/api/me/export") && own: // its conversations
			continue
		case sample.reads && s.reads && by.May(auth.Admin): // the view of administrators
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
	for what, r := range map[string]struct{ body, header string }{
		"chat in it":          {`{"model":"docent","messages":[{"role":"user","content":"` + privateQuestion + `"}]}`, "private"},
		"chat with its id":    {`{"model":"docent","metadata":{"session_id":"private"},"messages":[{"role":"user","content":"` + privateQuestion + `"}]}`, ""},
		"chat about the last": {`{"model":"docent","messages":[{"role":"user","content":"Repeat your last answer, and name your sources."}]}`, "private"},
	} {
		if own {
			continue
		}
		header := append(s.from(), asJSON...)
		if r.header != "" {
			header = append(header, "X-Session-ID", r.header)
		}
		_, body := by.Request(t, http.MethodPost, s.URL+"/v1/chat/completions", r.body, header...)
		wantSecret(t, by, what, body)
	}
	if session, err := s.mcpAs(t, by); err == nil {
		wantSecret(t, by, "MCP", useMCP(t, session)+askMCP(t, session))
	}
	for _, d := range dialects {
		if text := s.overheard(t, by, d, "private"); !own {
			wantSecret(t, by, d.name, text)
		} else if !strings.Contains(text, "zwanzigers") {
			t.Errorf("%s hears in %s: %s", by.Name, d.name, text)
		}
		wantSecret(t, by, d.name+" in a new conversation", s.overheard(t, by, d, uuid.NewString()))
	}
}

// askMCP asks privateQuestion in all ways of MCP.
func askMCP(t *testing.T, session *sdk.ClientSession) string {
	t.Helper()
	var all strings.Builder
	for tool, args := range map[string]map[string]any{
		"ask": {"question": privateQuestion}, "search": {"query": "budget of the harbor"},
		"fetch": {"id": "docent://default/2"}, "read_document": {"id": "docent://default/2"},
	} {
		result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: args})
		text, _ := json.Marshal(result)
		fmt.Fprintln(&all, string(text), err)
	}
	return all.String()
}

// overheard says everything in a conversation, asks privateQuestion, and returns all frames until the answer or
// the end of the connection.
func (s *site) overheard(t *testing.T, by who, d dialect, id string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), servertest.Patience)
	defer cancel()
	c, _, err := by.TryDial(t, s.URL+d.path+id, s.from()...)
	if err != nil {
		return err.Error()
	}
	defer func() { _ = c.CloseNow() }()
	frames := append(slices.Clone(d.verbs[:0]), frame(payload.FetchUserMessages, `null`), d.last)
	if d.late {
		frames = append([]string{frame(payload.HelloAction, `{"last_seq":0}`)}, frames...)
	}
	for _, f := range frames {
		if c.Write(ctx, wstest.MessageText, []byte(strings.ReplaceAll(f, "When does the feed pump stop?", privateQuestion))) != nil {
			break // closed already
		}
	}
	var heard strings.Builder
	for {
		_, data, err := c.Read(ctx)
		if ctx.Err() != nil {
			t.Fatalf("%s in %s as %s: no answer, only %.500s", d.name, id, by.Name, heard.String())
		}
		if err != nil {
			return heard.String()
		}
		heard.Write(data)
		if text := string(data); strings.Contains(text, "agent_reply_rag") || strings.Contains(text, "noon") || strings.Contains(text, `"type":"response"`) {
			return heard.String()
		}
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
