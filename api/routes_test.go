package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"docent/agent/session/journal"
	"docent/internal/fault"
	"docent/rag/corpus"
)

func TestHealthAndReady(t *testing.T) {
	t.Parallel()
	c := newWorld().serve(t)
	c.want(200, `{"status":"ok"}`, "GET", "/api/health", "")
	c.want(200, `{"status":"ok","checks":{}}`, "GET", "/api/ready", "")
	c = newWorld().serve(t, func(cfg *Config) {
		cfg.Ready = map[string]func(context.Context) error{
			"database": func(context.Context) error { return nil },
			"index": func(context.Context) error {
				return fault.Wrap(fault.Unavailable, errors.New("secret path"), "test_sentence", "the index is being loaded")
			},
		}
	})
	c.want(503, `{"status":"unavailable","checks":{"database":"ok","index":"the index is being loaded"},"sentences":{"index":{"id":"test_sentence","params":[]}}}`, "GET", "/api/ready", "")
}

func TestInfo(t *testing.T) {
	t.Parallel()
	c := newWorld().serve(t, func(cfg *Config) {
		cfg.Info = func(context.Context) (Info, error) {
			return Info{BuiltIn: true, Database: "sqlite", Model: ModelInfo{"extractive", "extractive", "set DOCENT_MODEL", nil}, Embedder: EmbedderInfo{"static", 256}, Encoders: []EncoderInfo{{"encoder", 2, 3}}, Index: IndexInfo{"bm25", "chromem", 3}}, nil
		}
	})
	_, body := c.do("GET", "/api/info", "")
	var got Info
	if err := json.Unmarshal([]byte(body), &got); err != nil || got.StartedAt.IsZero() || got.StartedAt.After(time.Now()) || !strings.HasPrefix(got.Go, "go") {
		t.Errorf("%s %v", body, err)
	}
	started, err := got.StartedAt.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	c.want(200, `{"name":"docent","version":"1.2.3","agent":"docent","agents":[{"name":"docent","built_in":false,"files":false}],"built_in":true,"database":"sqlite","model":{"name":"extractive","kind":"extractive","hint":"set DOCENT_MODEL"},
		"models":[],"embedder":{"name":"static","dimensions":256},"encoders":[{"model":"encoder","done":2,"total":3}],"files":false,"voice":{"listens":false,"speaks":false},"index":{"keyword":"bm25","vectors":"chromem","chunks":3},"started_at":`+string(started)+`,"go":"`+got.Go+`","collections":[{"name":"default","title":"default","documents":2,"failed":0,"chunks":1}],
		"limits":{"upload_bytes":67108864,"message_bytes":16384,"k":4},"auth":false,"public_links":false,"read_conversations":false}`, "GET", "/api/info", "")
}

const docA = `{"id":1,"collection":"default","source":"/docs/a.md","title":"A","media_type":"text/markdown","language":"","size":18,"sha256":"aa","status":"ready","chunks":1,"created_at":"2027-01-02T02:04:05Z","updated_at":"2027-01-02T02:04:05Z"}`

func TestDocuments(t *testing.T) {
	t.Parallel()
	w := newWorld()
	c := w.serve(t)
	c.want(200, docA, "GET", "/api/documents/1", "")
	c.want(200, `{"documents":[`+docA+`],"next":1}`, "GET", "/api/documents?limit=1&collection=default&status=ready&match=A", "")
	if f := w.filters[1]; f.Collection != "default" || f.Status != corpus.Ready || f.Match != "A" {
		t.Errorf("filter is %+v", f)
	}
	var ids []int64
	for next := int64(-1); next != 0; {
		_, body := c.do("GET", fmt.Sprintf("/api/documents?limit=2&after=%d", max(next, 0)), "")
		var page struct {
			Documents []Document
			Next      int64
		}
		if err := json.Unmarshal([]byte(body), &page); err != nil {
			t.Fatal(err)
		}
		for _, d := range page.Documents {
			ids = append(ids, d.ID)
		}
		next = page.Next
	}
	if !slices.Equal(ids, []int64{1, 2, 4}) {
		t.Errorf("pages hold %v", ids)
	}
	c.want(200, `{"documents":[]}`, "GET", "/api/documents?collection=none", "")
	c.want(200, `{"chunks":[{"id":11,"ordinal":0,"kind":"prose","text":"Größe","heading":"H › I","page":2,"page_label":"iii","start":0,"end":7,"tokens":2},
		{"id":12,"ordinal":1,"kind":"","text":"","heading":"","page":null,"page_label":null,"start":0,"end":0,"tokens":0}]}`, "GET", "/api/documents/1/chunks", "")
	first := `{"id":11,"ordinal":0,"kind":"prose","text":"Größe","heading":"H › I","page":2,"page_label":"iii","start":0,"end":7,"tokens":2}`
	c.want(200, `{"chunks":[`+first+`],"next":0}`, "GET", "/api/documents/1/chunks?limit=1", "")
	c.want(200, `{"chunks":[]}`, "GET", "/api/documents/1/chunks?after=1", "")
	c.wantError(400, fault.Invalid, "query.limit", "GET", "/api/documents/1/chunks?limit=1001", "")
	w.texts = 0
	c.do("GET", "/api/documents/1", "")
	c.do("GET", "/api/documents/1/file", "")
	if w.texts != 0 {
		t.Errorf("the text was read %d times for a title and a file", w.texts)
	}
	resp, text := c.do("GET", "/api/documents/1/text", "")
	if text != "Größe is a word." || resp.Header.Get("Content-Type") != "text/plain; charset=utf-8" {
		t.Errorf("text is %q, %v", text, resp.Header)
	}
	c.want(204, "", "DELETE", "/api/documents/1", "")
	for _, path := range []string{"", "/text", "/file", "/chunks"} {
		c.wantError(404, fault.NotFound, "no document 1", "GET", "/api/documents/1"+path, "")
	}
	c.wantError(404, fault.NotFound, "no document 1", "DELETE", "/api/documents/1", "")
}

func TestFilesAreHarmless(t *testing.T) {
	t.Parallel()
	c := newWorld().serve(t)
	for path, want := range map[string][3]string{
		"/api/documents/1/file": {"text/markdown", `attachment; filename=a.md`, "# Größe"},
		"/api/documents/2/file": {"application/pdf", `inline; filename=b.pdf`, "%PDF-1.7"},
		"/api/documents/4/file": {"text/html; charset=utf-8", `attachment; filename=evil.html`, "<script>alert(1)</script>"},
	} {
		resp, body := c.do("GET", path, "")
		h := resp.Header
		if h.Get("Content-Type") != want[0] || h.Get("Content-Disposition") != want[1] || body != want[2] {
			t.Errorf("%s: %s, %s, %q", path, h.Get("Content-Type"), h.Get("Content-Disposition"), body)
		}
		if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Content-Security-Policy") != "sandbox; default-src 'none'" {
			t.Errorf("%s: headers are %v", path, h)
		}
		resp, body = c.do("HEAD", path, "")
		if resp.StatusCode != 200 || body != "" {
			t.Errorf("HEAD %s: %d %q", path, resp.StatusCode, body)
		}
	}
}

// The number of originals in memory is bounded. Further requests wait.
func TestLargeReadsAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld()
	entered, leave := make(chan struct{}, 10), make(chan struct{})
	w.open = func(context.Context) { entered <- struct{}{}; <-leave }
	c := w.serve(t, func(cfg *Config) { cfg.limits.Reads = 2 })
	var all sync.WaitGroup
	for range 5 {
		all.Go(func() { c.want(200, "# Größe", "GET", "/api/documents/1/file", "") })
	}
	<-entered
	<-entered
	c.want(200, docA, "GET", "/api/documents/1", "") // small responses do not wait
	select {
	case <-entered:
		t.Error("a third original is read while two are being sent")
	default:
	}
	close(leave)
	all.Wait()
	c.want(200, "Größe is a word.", "GET", "/api/documents/1/text", "")
}

func TestUnknownCollection(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.more = []corpus.CollectionInfo{{Name: "manuals", Documents: 1}}
	c := w.serve(t)
	const says = `no collection "manual"; there are: default, manuals`
	c.wantError(404, fault.NotFound, says, "GET", "/api/search?q=x&collection=manuals&collection=manual", "")
	c.wantError(404, fault.NotFound, says, "POST", "/api/ask", `{"question":"x","collections":["manual"]}`)
	for _, name := range []string{"default", "manuals"} {
		if resp, body := c.do("GET", "/api/search?q=x&collection="+name, ""); resp.StatusCode != 200 {
			t.Errorf("%s: %d %s", name, resp.StatusCode, body)
		}
	}
}

func TestSearch(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.more = []corpus.CollectionInfo{{Name: "a"}, {Name: "b"}}
	c := w.serve(t)
	result := `"rank":1,"score":0.5,"source":"/docs/a.md","title":"A","heading":"H › I","page":2,"page_label":"iii","start":0,"end":7,"text":"Größe","document_id":1,"chunk_id":11`
	c.want(200, `{"question":"what is ß?","evidence":0.25,"results":[{`+result+`}]}`, "GET", "/api/search?q=what+is+%C3%9F%3F", "")
	c.want(200, `{"question":"x","evidence":0.25,"results":[{`+result+`,"features":{"bm25":1}}]}`, "GET", "/api/search?q=x&k=3&collection=a&collection=b&explain=true", "")
	if q := w.queries[1]; q.K != 3 || !slices.Equal(q.Collections, []string{"a", "b"}) || w.queries[0].K != 10 {
		t.Errorf("queries are %+v", w.queries)
	}
	c.wantError(400, fault.Invalid, "q", "GET", "/api/search", "")
	c.wantError(400, fault.Invalid, "q is empty", "GET", "/api/search?q=%20", "")
	c.wantError(400, fault.Invalid, "query.k", "GET", "/api/search?q=x&k=51", "")
	c.wantError(400, fault.Invalid, "query.k", "GET", "/api/search?q=x&k=few", "")
	c.wantError(400, fault.Invalid, "collection is not plain text", "GET", "/api/search?q=x&collection=%00", "")
	w.broken = fault.New(fault.Unavailable, "test_sentence", "the index is being loaded")
	c.wantError(503, fault.Unavailable, "being loaded", "GET", "/api/search?q=x", "")
}

func TestSessions(t *testing.T) {
	t.Parallel()
	c := newWorld().serve(t)
	first := `{"id":7,"session_id":"s1","agent_name":"docent","session_name":"First","platform_name":"WebSocketPlatform","timestamp":"2027-01-02T02:04:05Z","pinned":false,"messages":2}`
	c.want(200, "["+first+"]", "GET", "/api/sessions?agent_name=docent&username=ada", "")
	c.want(200, "["+first+`,{"id":6,"session_id":"s2","agent_name":"other","session_name":null,"first":"Hello","platform_name":"","timestamp":"0001-01-01T00:00:00Z","pinned":false,"messages":0}]`, "GET", "/api/sessions", "")
	c.want(200, "[]", "GET", "/api/sessions?agent_name=nobody", "")
	tasks := `{"seq":4,"turn":1,"chat_id":null,"kind":"task_list_update","step_kind":"","step":0,"summary":"","payload":[],"timestamp":"2027-01-02T02:04:05Z"}`
	c.want(200, `{"feedback":[],"messages":[{"seq":1,"turn":1,"type":"str","content":"Hi","is_user":true,"timestamp":"2027-01-02T02:04:05Z"},
		{"seq":2,"turn":1,"type":"rag_answer","content":{"answer":"x"},"is_user":false,"timestamp":"2027-01-02T02:04:05Z"},
		{"seq":2,"turn":2,"type":"str","content":"Ho","is_user":true,"sender":"ws://peer/","timestamp":"2027-01-02T02:04:05Z"}],
		"steps":[{"seq":3,"turn":1,"chat_id":12,"kind":"reasoning_step","step_kind":"tool_result","step":1,"summary":"f returned (1 chars)","payload":{"kind":"tool_result"},"timestamp":"2027-01-02T02:04:05Z"},
		`+tasks+`],"agent_name":"docent","seq":4,"reset_seq":0}`, "GET", "/api/sessions/s1/messages", "")
	c.want(200, `{"feedback":[],"messages":[],"steps":[`+tasks+`],"agent_name":"docent","seq":4,"reset_seq":0}`, "GET", "/api/sessions/s1/messages?after=3", "")
	c.want(200, `{"feedback":[],"messages":[],"steps":[],"agent_name":"other","seq":0,"reset_seq":0}`, "GET", "/api/sessions/s2/messages?agent_name=other", "")
	c.want(200, `{"feedback":[],"messages":[],"steps":[],"agent_name":"other","seq":0,"reset_seq":0}`, "GET", "/api/sessions/s2/messages", "")
	c.wantError(404, fault.NotFound, "session", "GET", "/api/sessions/s2/messages?agent_name=docent", "")
	c.want(204, "", "PATCH", "/api/sessions/s1", `{"session_name":"Renamed"}`)
	c.want(200, "["+strings.Replace(first, "First", "Renamed", 1)+"]", "GET", "/api/sessions?username=ada", "")
	renamed := strings.Replace(strings.Replace(first, "First", "Renamed", 1), `"pinned":false`, `"pinned":true`, 1)
	c.want(204, "", "PATCH", "/api/sessions/s1", `{"pinned":true}`)
	c.want(200, "["+renamed+"]", "GET", "/api/sessions?username=ada", "")
	c.want(204, "", "PATCH", "/api/sessions/s1", `{"pinned":false,"session_name":"First"}`)
	c.want(200, "["+first+"]", "GET", "/api/sessions?username=ada&match=%20FIRST%20", "")
	c.want(200, "[]", "GET", "/api/sessions?match=%25", "")
	c.wantError(400, fault.Invalid, "match", "GET", "/api/sessions?match="+strings.Repeat("x", 201), "")
	c.wantError(400, fault.Invalid, "match", "GET", "/api/sessions?match=%00", "")
	c.wantError(400, fault.Invalid, "pinned", "PATCH", "/api/sessions/s1", `{"pinned":"yes"}`)
	// Every valid session id works in a path.
	long := strings.Repeat("x", journal.MaxNameBytes)
	c.wantError(404, fault.NotFound, "session", "DELETE", "/api/sessions/"+long+"?agent_name="+long, "")
	c.wantError(404, fault.NotFound, "session", "DELETE", "/api/sessions?session_id="+long, "")
	c.wantError(404, fault.NotFound, "session", "GET", "/api/sessions/"+long+"/messages", "")
	c.wantError(400, fault.Invalid, "session_id", "DELETE", "/api/sessions/"+long+"x", "")
	c.wantError(404, fault.NotFound, "session", "PATCH", "/api/sessions/nope", `{"session_name":"x"}`)
	c.wantError(400, fault.Invalid, "session_name", "PATCH", "/api/sessions/s1", `{}`)
	c.wantError(400, fault.Invalid, "plain text", "PATCH", "/api/sessions/s1", `{"session_name":"\u0000"}`)
	c.want(204, "", "DELETE", "/api/sessions/s1", "")
	c.wantError(404, fault.NotFound, "session", "DELETE", "/api/sessions?session_id=s1", "")
	c.want(204, "", "DELETE", "/api/sessions?session_id=s2&agent_name=other", "")
	c.want(200, "[]", "GET", "/api/sessions", "")
}

func TestErrorsHaveOneShape(t *testing.T) {
	t.Parallel()
	w := newWorld()
	c := w.serve(t, func(cfg *Config) {
		cfg.Info = func(context.Context) (Info, error) { panic("a bug") }
	})
	c.wantError(404, fault.NotFound, "nothing at this path", "GET", "/api/nothing", "")
	c.wantError(404, fault.NotFound, "nothing at this path", "POST", "/nothing", "x")
	resp, _ := c.do("PUT", "/api/documents", "")
	if resp.Header.Get("Allow") == "" {
		t.Error("405 without Allow")
	}
	c.wantError(405, fault.Invalid, "PUT", "PUT", "/api/documents", "")
	c.wantError(400, fault.Invalid, "path.id", "GET", "/api/documents/x", "")
	c.wantError(400, fault.Invalid, "path.id", "GET", "/api/documents/0", "")
	c.wantError(400, fault.Invalid, "query.limit", "GET", "/api/documents?limit=1001", "")
	c.wantError(400, fault.Invalid, "query.status", "GET", "/api/documents?status=lost", "")
	c.wantError(426, fault.Invalid, "WebSocket", "GET", "/ws", "")
	c.wantError(426, fault.Invalid, "WebSocket", "GET", "/ws?protocol=docent.v1", "")
	c.wantError(405, fault.Invalid, "POST", "POST", "/ws", "")
	c.wantError(500, fault.Internal, "went wrong here", "GET", "/api/info", "")
	w.broken = errors.New("dial tcp 10.0.0.5:5432: password authentication failed")
	c.wantError(500, fault.Internal, "went wrong here", "GET", "/api/documents/1", "")
	for kind, status := range map[fault.Kind]int{
		fault.Conflict: 409, fault.RateLimited: 429, fault.Busy: 503, fault.Canceled: 499, fault.Forbidden: 403, fault.Unauthorized: 401,
	} {
		w.broken = fault.Wrap(kind, errors.New("secret"), "test_sentence", "say this")
		c.wantError(status, kind, "say this", "GET", "/api/documents/1", "")
	}
	w.broken = nil
	if _, body := c.do("GET", "/api/documents/1", ""); strings.Contains(body, "$schema") {
		t.Errorf("body is %s", body)
	}
	log := c.log.String()
	for _, want := range []string{"password authentication failed", "a bug", "route=\"GET /api/documents/{id}\"", "document=1"} {
		if !strings.Contains(log, want) {
			t.Errorf("the log lacks %q", want)
		}
	}
}

func TestLogHoldsIDsAndNoContent(t *testing.T) {
	t.Parallel()
	c := newWorld().serve(t)
	resp, _ := c.do("GET", "/api/search?q=confidential", "")
	c.do("POST", "/api/ask", `{"question":"confidential"}`)
	c.do("GET", "/api/confidential", "")
	log := c.log.String()
	if id := resp.Header.Get("X-Request-Id"); id == "" || !strings.Contains(log, id) {
		t.Errorf("request id %q is not in the log", id)
	}
	if strings.Contains(log, "confidential") {
		t.Errorf("log is %s", log)
	}
}

func TestSecurityHeaders(t *testing.T) {
	t.Parallel()
	c := newWorld().serve(t)
	for _, path := range []string{"/api/health", "/api/nothing", "/openapi.json", "/api/documents/1/text"} {
		resp, _ := c.do("GET", path, "")
		h := resp.Header
		if h.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(h.Get("Content-Security-Policy"), "default-src 'none'") || h.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: headers are %v", path, h)
		}
	}
}

func TestConfigNamesTheField(t *testing.T) {
	t.Parallel()
	if _, err := New(Config{}); err == nil || !strings.Contains(err.Error(), "Config.") {
		t.Errorf("error is %v", err)
	}
	w := newWorld()
	full := Config{RAG: w, Retriever: w, Library: w, Documents: w, Collections: managed{w}, Uploads: w, Directory: w, Memories: w, Prompts: w, Choices: w, Traces: w, Versions: w, Shares: w, Messages: w, Conversations: w, Embedder: w, Agents: []string{"a"}}
	if _, err := New(full); err != nil {
		t.Error(err)
	}
	full.StallTimeout = -time.Second
	if _, err := New(full); err == nil || !strings.Contains(err.Error(), "StallTimeout") {
		t.Errorf("error is %v", err)
	}
}

// spyMux records the registered patterns.
type spyMux struct {
	*http.ServeMux
	patterns []string
}

func (m *spyMux) HandleFunc(pattern string, handler func(http.ResponseWriter, *http.Request)) {
	m.patterns = append(m.patterns, pattern)
	m.ServeMux.HandleFunc(pattern, handler)
}

// contract lists every route. A change here is a change for clients.
var contract = []string{
	"GET /api/sources", "POST /api/sources", "GET /api/sources/{source_id}", "PATCH /api/sources/{source_id}", "DELETE /api/sources/{source_id}",
	"POST /api/sources/{source_id}/sync", "POST /api/sources/{source_id}/retry", "GET /api/sources/{source_id}/failures", "GET /api/source-kinds",
	"GET /api/health", "GET /api/ready", "GET /api/info",
	"POST /api/login", "POST /api/logout", "GET /api/sign-in", "GET /api/sign-in/start", "GET /api/sign-in/callback", "GET /api/me", "GET /api/tokens", "POST /api/tokens", "DELETE /api/tokens/{token_id}",
	"PUT /api/me/password", "GET /api/me/sign-ins", "DELETE /api/me/sign-ins/{sign_in_id}", "POST /api/me/delete", "GET /api/me/export", "GET /api/me/preferences", "PUT /api/me/preferences",
	"GET /api/prompts", "POST /api/prompts", "PUT /api/prompts/{prompt_id}", "DELETE /api/prompts/{prompt_id}", "GET /api/me/memory", "DELETE /api/me/memory",
	"POST /api/password-link", "PUT /api/password-link",
	"GET /api/users", "POST /api/users", "PATCH /api/users/{user}", "DELETE /api/users/{user}", "POST /api/users/{user}/link",
	"DELETE /api/users/{user}/sign-ins", "GET /api/users/{user}/access",
	"POST /api/documents", "GET /api/documents", "GET /api/documents/{id}", "PATCH /api/documents/{id}", "GET /api/documents/export", "GET /api/documents/{id}/versions", "PUT /api/documents/{id}/file", "DELETE /api/documents/{id}", "POST /api/documents/delete", "POST /api/documents/tag", "POST /api/documents/move", "GET /api/places", "GET /api/facets",
	"POST /api/documents/retry", "POST /api/documents/read-again", "GET /api/work", "POST /api/work/{work_id}/cancel",
	"GET /api/documents/{id}/text", "GET /api/documents/{id}/file", "GET /api/documents/{id}/chunks",
	"GET /api/documents/{id}/outline", "GET /api/documents/{id}/questions", "GET /api/documents/{id}/description", "GET /api/suggestions",
	"GET /api/documents/{id}/pages/{page}", "GET /api/documents/{id}/pages/{page}/image", "POST /api/pages",
	"GET /api/collections", "POST /api/collections", "PATCH /api/collections/{collection}", "DELETE /api/collections/{collection}",
	"POST /api/collections/{collection}/empty", "PUT /api/collections/{collection}/rights", "DELETE /api/collections/{collection}/rights",
	"GET /api/groups", "POST /api/groups", "DELETE /api/groups/{group}", "PUT /api/groups/{group}/members",
	"GET /api/search", "POST /api/ask", "POST /api/briefs", "POST /api/briefs/outline",
	"GET /v1/models", "GET /v1/models/{model}", "GET /v1/models/{prefix}/{name}", "POST /v1/chat/completions", "POST /v1/responses", "POST /v1/embeddings",
	"POST /agui",
	"POST /mcp", "GET /mcp", "DELETE /mcp", "GET /.well-known/oauth-protected-resource", "GET /.well-known/oauth-protected-resource/mcp",
	"GET /api/sessions", "DELETE /api/sessions", "PATCH /api/sessions/{session_id}", "DELETE /api/sessions/{session_id}", "POST /api/sessions/{session_id}/branch", "POST /api/sessions/{session_id}/stop", "GET /api/sessions/{session_id}/messages", "DELETE /api/sessions/{session_id}/solved/{turn}", "GET /api/sessions/{session_id}/export", "GET /api/sessions/{session_id}/trace", "GET /api/agent/picture",
	"GET /api/shares", "POST /api/shares", "DELETE /api/shares/{share_id}", "GET /api/shared/{share_id}",
	"GET /api/admin/conversations", "GET /api/admin/conversations/{session_id}/messages", "GET /api/admin/conversations/{session_id}/export", "GET /api/admin/log", "GET /api/admin/log/export",
	"GET /api/sessions/{session_id}/files", "POST /api/sessions/{session_id}/files", "DELETE /api/sessions/{session_id}/files/{turn}",
	"POST /api/sessions/{session_id}/files/{turn}/publish",
	"GET /api/today", "GET /api/insight/days", "GET /api/insight/questions", "GET /api/insight/questions/{id}", "PATCH /api/insight/questions/{id}",
	"GET /api/insight/gaps", "GET /api/insight/gaps/{id}", "PATCH /api/insight/gaps/{id}",
	"POST /api/setup", "POST /api/setup/check",
	"GET /api/insight/answers", "POST /api/insight/answers", "POST /api/insight/answers/import", "PUT /api/insight/answers/{id}",
	"GET /api/insight/quality", "POST /api/insight/quality/runs", "POST /api/insight/kept", "PUT /api/insight/kept/{id}",
	"DELETE /api/insight/kept/{id}", "GET /api/insight/thresholds",
	"GET /api/settings", "PUT /api/settings/{key}", "DELETE /api/settings/{key}",
	"GET /api/models", "PUT /api/models", "PUT /api/models/{name}", "DELETE /api/models/{name}", "POST /api/models/test", "GET /api/models/local",
	"GET /api/system", "GET /api/system/digest", "POST /api/system/digest", "GET /api/system/backups", "POST /api/system/backups",
	"POST /api/events", "POST /api/sessions/{session_id}/events",
	"POST /notify_websocket",
}

func TestOpenAPIDescribesEveryRoute(t *testing.T) {
	t.Parallel()
	w, mux := newWorld(), &spyMux{ServeMux: http.NewServeMux()}
	if _, err := newHandler(Config{RAG: w, Retriever: w, Library: w, Documents: w, Collections: managed{w}, Uploads: w, Directory: w, Memories: w, Prompts: w, Choices: w, Traces: w, Versions: w, Shares: w, Messages: w, Conversations: w, Embedder: w, Agents: []string{"docent"}}, mux); err != nil {
		t.Fatal(err)
	}
	c := w.serve(t)
	resp, body := c.do("GET", "/openapi.json", "")
	var spec struct {
		OpenAPI string
		Paths   map[string]map[string]struct {
			OperationID string
			Summary     string
			RequestBody struct {
				Content map[string]any
			}
			Responses map[string]struct{ Content map[string]any }
		}
		Components struct{ Schemas map[string]any }
	}
	if err := json.Unmarshal([]byte(body), &spec); err != nil || resp.StatusCode != 200 {
		t.Fatal(resp.StatusCode, err)
	}
	if !strings.HasPrefix(spec.OpenAPI, "3.1") {
		t.Errorf("version is %q", spec.OpenAPI)
	}
	var documented []string
	for path, methods := range spec.Paths {
		for method, op := range methods {
			if op.OperationID == "" || op.Summary == "" || len(op.Responses) == 0 {
				t.Errorf("%s %s lacks an id, a summary or responses", method, path)
			}
			documented = append(documented, strings.ToUpper(method)+" "+path)
		}
	}
	same := func(what string, got, want []string) {
		t.Helper()
		got, want = slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))
		if !slices.Equal(got, want) {
			t.Errorf("%s are\n%s\nwant\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	same("documented routes", documented, append([]string{"GET /ws", "GET /metrics"}, contract...))
	same("registered routes", mux.patterns, append([]string{"GET /openapi.json", "GET /ws", "GET /metrics"}, contract...))
	for path, methods := range spec.Paths {
		for method, op := range methods {
			for status, r := range op.Responses {
				if (status > "399" || status == "default") && r.Content["application/json"] == nil {
					t.Errorf("%s %s: the error %s is not described", method, path, status)
				}
			}
			if op.Responses["default"].Content == nil {
				t.Errorf("%s %s has no default error", method, path)
			}
		}
	}
	parameter := regexp.MustCompile(`\{[a-z_]+\}`)
	for _, route := range contract {
		method, path, _ := strings.Cut(route, " ")
		if resp, body := c.do(method, parameter.ReplaceAllString(path, "1"), ""); strings.Contains(body, "nothing at this path") || resp.StatusCode == 405 {
			t.Errorf("%s is documented and not served: %d %s", route, resp.StatusCode, body)
		}
	}
	for schema := range maps.Keys(spec.Components.Schemas) {
		if regexp.MustCompile(`Body$|Input|Output`).MatchString(schema) {
			t.Errorf("schema %s is named after Go, not after what it is", schema)
		}
	}
	if strings.Contains(body, `"422"`) || spec.Components.Schemas["RAGMessage"] == nil {
		t.Error("the description has what is never sent, or lacks the answer's schema")
	}
	upload := spec.Paths["/api/documents"]["post"]
	if upload.RequestBody.Content["multipart/form-data"] == nil {
		t.Error("the upload's body is not described")
	}
	ask := spec.Paths["/api/ask"]["post"]
	if ask.Responses["200"].Content["text/event-stream"] == nil || ask.Responses["200"].Content["application/json"] == nil {
		t.Error("the answer's forms are not described")
	}
}
