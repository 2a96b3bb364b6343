package api

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"docent/api/ask"
	"docent/api/mcp"
	"docent/api/slots"
	"docent/auth"
	"docent/internal/fault"
	"docent/rag"
	"docent/rag/corpus"
)

const (
	initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
	mcpTypes   = "application/json, text/event-stream"
)

// asUser adds the header As to each request.
type asUser struct {
	http.RoundTripper

	as string
}

func (a asUser) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("As", a.as)
	return a.RoundTripper.RoundTrip(r)
}

// serveMCP serves a world whose sessions end with the test.
func (w *world) serveMCP(t *testing.T, edit ...func(*Config)) *client {
	t.Helper()
	clients := mcp.NewSessions()
	c := w.serve(t, append(edit, func(cfg *Config) { cfg.Clients = clients })...)
	t.Cleanup(func() { clients.Close(context.Background()) })
	return c
}

// overHTTP connects over HTTP.
func (w *world) overHTTP(t *testing.T, as string, options *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	c := w.serveMCP(t)
	transport := &sdk.StreamableClientTransport{Endpoint: c.url + "/mcp", HTTPClient: &http.Client{Transport: asUser{c.http.Transport, as}}}
	return connect(t, transport, options)
}

// overStreams connects over a pair of streams, as docent mcp does.
func (w *world) overStreams(t *testing.T, options *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	full := fault.New(fault.Busy, "x", "full")
	server := mcp.New(mcp.Config{
		Retriever: w, Library: w, Answers: ask.NewService(w, w, 4, nil), Searches: slots.New(4, full), Reads: slots.New(4, full), Version: "1.2.3",
	})
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- server.Run(context.Background(), in, out)
		_ = out.Close()
	}()
	t.Cleanup(func() {
		_ = toServer.Close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return connect(t, &sdk.IOTransport{Reader: fromServer, Writer: toServer}, options)
}

func connect(t *testing.T, transport sdk.Transport, options *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, options).Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// overBoth runs a test over both transports.
func overBoth(t *testing.T, test func(t *testing.T, w *world, connect func(*sdk.ClientOptions) *sdk.ClientSession)) {
	t.Run("http", func(t *testing.T) {
		t.Parallel()
		w := newWorld()
		test(t, w, func(o *sdk.ClientOptions) *sdk.ClientSession { return w.overHTTP(t, "user:ada ask", o) })
	})
	t.Run("streams", func(t *testing.T) {
		t.Parallel()
		w := newWorld()
		test(t, w, func(o *sdk.ClientOptions) *sdk.ClientSession { return w.overStreams(t, o) })
	})
}

// call calls a tool and returns its structured result as JSON, or the text of its
// error.
func call(t *testing.T, s *sdk.ClientSession, tool, args string) (result string, failed bool) {
	t.Helper()
	got, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: json.RawMessage(args)})
	if err != nil {
		t.Fatalf("%s %s: %v", tool, args, err)
	}
	text := got.Content[0].(*sdk.TextContent).Text
	if got.IsError {
		return text, true
	}
	structured, _ := json.Marshal(got.StructuredContent)
	if canonical(text) != canonical(string(structured)) {
		t.Errorf("%s: the text %s differs from the structured result %s", tool, text, structured)
	}
	return text, false
}

// TestMCPTools calls each tool over both transports.
func TestMCPTools(t *testing.T) {
	t.Parallel()
	overBoth(t, func(t *testing.T, w *world, connect func(*sdk.ClientOptions) *sdk.ClientSession) {
		w.docs[2].Collection = "my papers"
		w.docs[2].Text = "Schön."
		w.more = []corpus.CollectionInfo{{Name: "my papers"}}
		s := connect(nil)
		list, err := s.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, tool := range list.Tools {
			names = append(names, tool.Name)
			if tool.OutputSchema == nil || !tool.Annotations.ReadOnlyHint {
				t.Errorf("%s has the output schema %v", tool.Name, tool.OutputSchema)
			}
			if schema, err := json.Marshal(tool); err != nil || strings.Contains(string(schema), `"null"`) {
				t.Errorf("%s allows null: %s, %v", tool.Name, schema, err)
			}
		}
		if !slices.Equal(names, []string{"ask", "fetch", "list_documents", "read_document", "search"}) {
			t.Errorf("the tools are %q", names)
		}
		for _, c := range []struct{ tool, args, want string }{
			{"search", `{"query":"size","collections":["default"]}`, `{"results":[{"id":"docent://default/1","title":"A","url":"docent://default/1","passages":[{"text":"Größe","heading":"H › I","page":"iii","score":0.5}]}]}`},
			{"fetch", `{"id":"docent://default/1"}`, `{"id":"docent://default/1","title":"A","text":"Größe is a word.","url":"docent://default/1","metadata":{"collection":"default","source":"/docs/a.md","media_type":"text/markdown","language":""}}`},
			{"fetch", `{"id":"docent://my%20papers/4"}`, `{"id":"docent://my%20papers/4","title":"C","text":"Schön.","url":"https://x/evil.html","metadata":{"collection":"my papers","source":"https://x/evil.html","media_type":"text/html; charset=utf-8","language":""}}`},
			{"read_document", `{"id":"docent://default/1","offset":3,"limit":4}`, `{"id":"docent://default/1","title":"A","text":"öß","offset":2,"size":18,"next_offset":6}`},
			{"read_document", `{"id":"docent://default/1","offset":6}`, `{"id":"docent://default/1","title":"A","text":"e is a word.","offset":6,"size":18}`},
			{"list_documents", `{"limit":1,"after":1}`, `{"documents":[{"id":"docent://default/2","title":"B","url":"docent://default/2","collection":"default","media_type":"application/pdf","status":"ready","updated_at":"0001-01-01T00:00:00Z"}],"next":2}`},
			{"list_documents", `{"collection":"none"}`, `{"documents":[]}`},
			{"ask", `{"question":"What is a tuple?"}`, `{"answer":"A row [1]","abstained":false,"model":"m","sources":[]}`},
		} {
			if got, failed := call(t, s, c.tool, c.args); failed || canonical(got) != canonical(c.want) {
				t.Errorf("%s %s: %v %s\nwant %s", c.tool, c.args, failed, canonical(got), canonical(c.want))
			}
		}
		if q := w.queries[0]; q.Question != "size" || q.K != 10 || !slices.Equal(q.Collections, []string{"default"}) {
			t.Errorf("the query is %+v", q)
		}
	})
}

// TestMCPErrors checks the errors of tools over both transports.
func TestMCPErrors(t *testing.T) {
	t.Parallel()
	overBoth(t, func(t *testing.T, w *world, connect func(*sdk.ClientOptions) *sdk.ClientSession) {
		s := connect(nil)
		for _, c := range []struct{ tool, args, want string }{
			{"search", `{}`, "query"},
			{"search", `{"query":" "}`, "the question is empty"},
			{"search", `{"query":"x","limit":51}`, "maximum"},
			{"search", `{"query":"x","k":5}`, "additional properties"},
			{"search", `{"query":"a\u0000"}`, "query is not plain text"},
			{"ask", `{"question":"a\u0000"}`, "question is not plain text"},
			{"search", `{"query":"x","collections":["none"]}`, `there is no collection "none"`},
			{"search", `{"query":"x\u0000"}`, "not plain text"},
			{"ask", `{"question":"x","collections":["none"]}`, `there is no collection "none"`},
			{"ask", `{"question":""}`, "the question is empty"},
			{"fetch", `{"id":"docent://default/99"}`, `there is no document with the id "docent://default/99"`},
			{"fetch", `{"id":"docent://other/1"}`, `there is no document with the id "docent://other/1"`},
			{"fetch", `{"id":"1"}`, `there is no document with the id "1"`},
			{"read_document", `{"id":"x"}`, "there is no document"},
			{"list_documents", `{"limit":-1}`, "minimum"},
		} {
			if got, failed := call(t, s, c.tool, c.args); !failed || !strings.Contains(got, c.want) {
				t.Errorf("%s %s: %v %s, want %s", c.tool, c.args, failed, got, c.want)
			}
		}
		if _, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "delete_document"}); err == nil {
			t.Error("an unknown tool works")
		}
		w.answer = func(context.Context, rag.Request) iter.Seq2[rag.Part, error] { panic("secret") }
		if _, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "ask", Arguments: map[string]any{"question": "x"}}); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("after a panic: %v", err)
		}
		w.mu.Lock()
		w.broken = fmt.Errorf("secret")
		w.mu.Unlock()
		if got, failed := call(t, s, "list_documents", `{}`); !failed || got != fault.Message(w.broken) {
			t.Errorf("a failure says %s", got)
		}
	})
}

// TestMCPModels checks that ask passes the name of a model on, and that the error for an
// unknown one is an error of the tool.
func TestMCPModels(t *testing.T) {
	t.Parallel()
	overBoth(t, func(t *testing.T, w *world, connect func(*sdk.ClientOptions) *sdk.ClientSession) {
		w.answer = func(_ context.Context, req rag.Request) iter.Seq2[rag.Part, error] {
			return func(yield func(rag.Part, error) bool) {
				if req.Model == "slow" {
					yield(rag.Part{}, fault.New(fault.Invalid, "model_unknown", "there is no model %q; there are: extractive, fast", req.Model))
					return
				}
				yield(rag.Part{Answer: &rag.Answer{Text: "A row", Model: cmp.Or(req.Model, "default")}}, nil)
			}
		}
		s := connect(nil)
		for args, want := range map[string]string{
			`{"question":"x"}`:                  `"model":"default"`,
			`{"question":"x","model":"fast"}`:   `"model":"fast"`,
			`{"question":"x","model":"slow"}`:   `there is no model "slow"; there are: extractive, fast`,
			`{"question":"x","model":"\u0000"}`: "model is not plain text",
		} {
			if got, failed := call(t, s, "ask", args); !strings.Contains(got, want) || failed != !strings.HasPrefix(want, `"`) {
				t.Errorf("%s: %v %s, want %s", args, failed, got, want)
			}
		}
	})
}

// TestMCPResources reads resources and the prompt over both transports.
func TestMCPResources(t *testing.T) {
	t.Parallel()
	overBoth(t, func(t *testing.T, w *world, connect func(*sdk.ClientOptions) *sdk.ClientSession) {
		for id := int64(10); id < 210; id++ {
			w.docs = append(w.docs, corpus.Document{ID: id, Collection: "default", Source: fmt.Sprintf("/docs/%d.md", id), Status: corpus.Ready})
		}
		s := connect(nil)
		count := 0
		for r, err := range s.Resources(t.Context(), nil) {
			if err != nil {
				t.Fatal(err)
			}
			if count++; count == 1 && (r.URI != "docent://default/1" || r.Name != "a.md" || r.Title != "A") {
				t.Errorf("the first resource is %+v", r)
			}
		}
		if count != 202 {
			t.Errorf("%d resources are listed", count)
		}
		var refused *jsonrpc.Error
		if _, err := s.ListResources(t.Context(), &sdk.ListResourcesParams{Cursor: "x"}); !errors.As(err, &refused) || refused.Code != jsonrpc.CodeInvalidParams {
			t.Errorf("a wrong cursor: %v", err)
		}
		if _, err := s.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "answer_from_documents"}); !errors.As(err, &refused) || refused.Code != jsonrpc.CodeInvalidParams {
			t.Errorf("a prompt without its question: %v", err)
		}
		read, err := s.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "docent://default/1"})
		if err != nil || read.Contents[0].Text != "Größe is a word." {
			t.Errorf("the resource is %+v, %v", read, err)
		}
		for _, uri := range []string{"docent://default/9999", "docent://other/1", "docent://default/x", "file:///etc/passwd"} {
			if _, err := s.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri}); err == nil || !strings.Contains(err.Error(), "not found") {
				t.Errorf("%s: %v", uri, err)
			}
		}
		templates, err := s.ListResourceTemplates(t.Context(), nil)
		if err != nil || len(templates.ResourceTemplates) != 1 || templates.ResourceTemplates[0].URITemplate != "docent://{collection}/{document}" {
			t.Errorf("the templates are %+v, %v", templates, err)
		}
		prompt, err := s.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "answer_from_documents", Arguments: map[string]string{"question": "Why?"}})
		if err != nil || !strings.HasSuffix(prompt.Messages[0].Content.(*sdk.TextContent).Text, "Question: Why?") {
			t.Errorf("the prompt is %+v, %v", prompt, err)
		}
	})
}

// TestMCPProgress checks that a client with a progress token gets the phases, and that
// canceling a call cancels the answer.
func TestMCPProgress(t *testing.T) {
	t.Parallel()
	overBoth(t, func(t *testing.T, w *world, connect func(*sdk.ClientOptions) *sdk.ClientSession) {
		phases, canceled := make(chan string, 10), make(chan struct{})
		s := connect(&sdk.ClientOptions{ProgressNotificationHandler: func(_ context.Context, req *sdk.ProgressNotificationClientRequest) {
			phases <- req.Params.Message
		}})
		params := &sdk.CallToolParams{Name: "ask", Arguments: map[string]any{"question": "x"}}
		params.SetProgressToken("p")
		if _, err := s.CallTool(t.Context(), params); err != nil {
			t.Fatal(err)
		}
		if one, two := <-phases, <-phases; one != "searching" || two != "answering" {
			t.Errorf("the phases are %q, %q", one, two)
		}
		w.answer = func(ctx context.Context, _ rag.Request) iter.Seq2[rag.Part, error] {
			return func(yield func(rag.Part, error) bool) {
				if yield(rag.Part{Phase: rag.Searching}, nil) {
					<-ctx.Done()
					close(canceled)
					yield(rag.Part{}, ctx.Err())
				}
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			_, err := s.CallTool(ctx, params)
			ended <- err
		}()
		<-phases
		cancel()
		if err := <-ended; err == nil {
			t.Error("the canceled call has a result")
		}
		<-canceled
	})
}

// TestMCPClientLeaves ends a server whose client no longer reads. That is no error.
func TestMCPClientLeaves(t *testing.T) {
	t.Parallel()
	w, full := newWorld(), fault.New(fault.Busy, "x", "full")
	server := mcp.New(mcp.Config{
		Retriever: w, Library: w, Answers: ask.NewService(w, w, 4, nil), Searches: slots.New(4, full), Reads: slots.New(4, full), Version: "1.2.3",
	})
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	_ = fromServer.Close()
	go func() {
		_, _ = io.WriteString(toServer, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n")
		_ = toServer.Close()
	}()
	if err := server.Run(t.Context(), in, out); err != nil {
		t.Error(err)
	}
}

// TestMCPMalformed sends lines over streams that are no messages. Each gets an error, and
// the session goes on.
func TestMCPMalformed(t *testing.T) {
	t.Parallel()
	w := newWorld()
	full := fault.New(fault.Busy, "x", "full")
	server := mcp.New(mcp.Config{
		Retriever: w, Library: w, Answers: ask.NewService(w, w, 4, nil), Searches: slots.New(4, full), Reads: slots.New(4, full), Version: "1.2.3",
	})
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- server.Run(context.Background(), in, out) }()
	answers := bufio.NewScanner(fromServer)
	for _, line := range []struct{ text, want string }{
		{"{", `"id":null,"error":{"code":-32700,`},
		{"5\r", `"id":null,"error":{"code":-32600,`},
		{"\n" + `[{"jsonrpc":"2.0","id":7,"method":"ping"}]`, `"id":null,"error":{"code":-32600,`},
		{initialize, `"id":1,"result"`},
	} {
		if _, err := io.WriteString(toServer, line.text+"\n"); err != nil {
			t.Fatal(err)
		}
		if !answers.Scan() || !strings.Contains(answers.Text(), line.want) || !json.Valid(answers.Bytes()) {
			t.Fatalf("%s gets %s, want %s", line.text, answers.Text(), line.want)
		}
	}
	_ = toServer.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// begin begins a session and returns its id.
func (c *client) begin(as string) string {
	c.t.Helper()
	resp, body := c.do(http.MethodPost, "/mcp", initialize, "Accept", mcpTypes, "Content-Type", "application/json", "As", as)
	if resp.StatusCode != http.StatusOK || !strings.Contains(body, `"serverInfo"`) {
		c.t.Fatalf("initialize: %d %s", resp.StatusCode, body)
	}
	return resp.Header.Get("Mcp-Session-Id")
}

// TestMCPSessions checks owners and limits of sessions.
func TestMCPSessions(t *testing.T) {
	t.Parallel()
	c := newWorld().serveMCP(t)
	ping := func(id, as string) int {
		resp, _ := c.do(http.MethodPost, "/mcp", `{"jsonrpc":"2.0","id":2,"method":"ping"}`, "Accept", mcpTypes,
			"Content-Type", "application/json", "As", as, "Mcp-Session-Id", id)
		return resp.StatusCode
	}
	id := c.begin("user:ada ask")
	for as, want := range map[string]int{"user:ada ask": 200, "user:eve ask": 404, "user:ada admin": 404, "user:ada chat": 403, "- ": 401} {
		if got := ping(id, as); got != want {
			t.Errorf("as %s: %d, want %d", as, got, want)
		}
	}
	if got := ping("unknown", "user:ada ask"); got != 404 {
		t.Errorf("an unknown session: %d", got)
	}
	eve := c.begin("user:eve ask")
	var last string
	for range 32 {
		last = c.begin("user:ada ask")
	}
	for id, want := range map[string]int{id: 404, last: 200} {
		if got := ping(id, "user:ada ask"); got != want {
			t.Errorf("session %s: %d, want %d", id, got, want)
		}
	}
	if got := ping(eve, "user:eve ask"); got != 200 {
		t.Errorf("the session of another client: %d", got)
	}
	resp, _ := c.do(http.MethodDelete, "/mcp", "", "As", "user:eve ask", "Mcp-Session-Id", eve)
	if got := ping(eve, "user:eve ask"); resp.StatusCode != http.StatusNoContent || got != 404 {
		t.Errorf("after DELETE with %d: %d", resp.StatusCode, got)
	}
}

// mcpRefusals are the requests that are refused before the protocol.
// docs/reference/mcp.md lists them.
var mcpRefusals = []struct {
	name         string
	status       int
	code         fault.Kind
	says         string
	method, body string
	header       []string
}{
	{"a request without a token, with `--auth`", 401, fault.Unauthorized, "token", http.MethodPost, initialize, []string{"As", "- "}},
	{"a token with only the scope `chat`", 403, fault.Forbidden, "ask", http.MethodPost, initialize, []string{"As", "token:site chat"}},
	{"a token with only the scope `ingest`", 403, fault.Forbidden, "ask", http.MethodPost, initialize, []string{"As", "token:feeder ingest"}},
	{"a page of a foreign origin", 403, fault.Forbidden, "origin", http.MethodPost, initialize, []string{"Origin", "https://evil.example"}},
	{"an unknown host name", 403, fault.Forbidden, "host", http.MethodPost, initialize, []string{"Host", "evil.example"}},
	{"several messages in one request", 400, fault.Invalid, "one message", http.MethodPost, " [" + initialize + "]", nil},
	{"a message over 256 KiB", 413, fault.Invalid, "larger than", http.MethodPost, strings.Repeat(" ", 256<<10) + initialize, nil},
	{"`GET` without a session", 400, fault.Invalid, "Mcp-Session-Id", http.MethodGet, "", nil},
	{"`DELETE` without a session", 400, fault.Invalid, "Mcp-Session-Id", http.MethodDelete, "", nil},
	{"a session that has ended, or of somebody else", 404, fault.NotFound, "session", http.MethodPost, initialize, []string{"Mcp-Session-Id", "x"}},
}

// TestMCPRefusals checks the requests that are refused.
func TestMCPRefusals(t *testing.T) {
	t.Parallel()
	c := newWorld().serveMCP(t)
	header := []string{"Accept", mcpTypes, "Content-Type", "application/json"}
	for _, r := range mcpRefusals {
		c.wantError(r.status, r.code, r.says, r.method, "/mcp", r.body, append(slices.Clone(header), r.header...)...)
	}
	if resp, body := c.do(http.MethodPost, "/mcp", initialize, "Accept", mcpTypes, "Content-Type", "text/plain"); resp.StatusCode/100 != 4 {
		t.Errorf("a body that is not JSON: %d %s", resp.StatusCode, body)
	}
}

// TestMCPMetadata checks the metadata for clients that look for a token.
func TestMCPMetadata(t *testing.T) {
	t.Parallel()
	newWorld().serveMCP(t).wantError(404, fault.NotFound, "authentication is off", http.MethodGet, "/.well-known/oauth-protected-resource", "")
	c := newWorld().serveMCP(t, func(cfg *Config) { cfg.Logins, cfg.Issuer = new(auth.Authenticator), "https://id.example" })
	for _, path := range []string{"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"} {
		c.want(200, `{"resource":"https://`+strings.TrimPrefix(c.url, "http://")+`/mcp","resource_name":"docent","authorization_servers":["https://id.example"],`+
			`"scopes_supported":["ask"],"bearer_methods_supported":["header"]}`, http.MethodGet, path, "", "As", "- ", "X-Forwarded-Proto", "https")
	}
}

// FuzzMCPMessage sends any message and any arguments.
func FuzzMCPMessage(f *testing.F) {
	for _, body := range []string{
		initialize, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fetch","arguments":{"id":"docent://default/1"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{"cursor":"1"}}`, `[]`, `{}`, ``, "\x00",
		`{"query":"x","limit":5,"collections":["a"]}`, `{"id":"docent://default/1","offset":3,"limit":1}`,
	} {
		f.Add(body)
	}
	clients := mcp.NewSessions()
	f.Cleanup(func() { clients.Close(context.Background()) })
	w := newWorld()
	h, err := New(Config{RAG: w, Retriever: w, Library: w, Documents: w, Collections: managed{w}, Uploads: w, Directory: w, Memories: w, Prompts: w, Choices: w, Traces: w, Versions: w, Shares: w, Messages: w, Conversations: w, Embedder: w, Agents: []string{"docent"}, Clients: clients})
	if err != nil {
		f.Fatal(err)
	}
	send := func(t *testing.T, body, session string) *httptest.ResponseRecorder {
		ctx, cancel := context.WithTimeout(auth.NewContext(t.Context(), auth.Anyone()), time.Minute)
		defer cancel()
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/mcp", strings.NewReader(body))
		r.Header.Set("Accept", mcpTypes)
		r.Header.Set("Content-Type", "application/json")
		if session != "" {
			r.Header.Set("Mcp-Session-Id", session)
		}
		out := httptest.NewRecorder()
		h.ServeHTTP(out, r)
		if out.Code >= 500 {
			t.Errorf("%q: %d %s", body, out.Code, out.Body)
		}
		return out
	}
	var id atomic.Int64
	f.Fuzz(func(t *testing.T, text string) {
		send(t, text, "")
		session := send(t, initialize, "").Header().Get("Mcp-Session-Id")
		send(t, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, session)
		send(t, text, session)
		if !json.Valid([]byte(text)) {
			quoted, _ := json.Marshal(map[string]string{"id": text, "query": text})
			text = string(quoted)
		}
		for _, tool := range []string{"search", "fetch", "ask", "list_documents", "read_document"} {
			body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id.Add(1), tool, text)
			if out := send(t, body, session).Body.String(); strings.Contains(out, fault.Message(fmt.Errorf("x"))) {
				t.Errorf("%s: %s", body, out)
			}
		}
	})
}
