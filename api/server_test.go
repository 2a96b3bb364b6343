package api

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"docent/agent"
	"docent/agent/chat"
	"docent/agent/session/journal"
	"docent/api/edge"
	"docent/api/route"
	"docent/auth"
	"docent/ingest"
	"docent/internal/fault"
	"docent/payload"
	"docent/profile"
	"docent/rag"
	"docent/rag/corpus"
	"docent/rag/retrieve"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is an installation in memory, on which the API works.
type world struct {
	mu       sync.Mutex
	docs     []corpus.Document
	chunks   map[int64][]corpus.Chunk
	original map[int64]string
	sessions []journal.SessionRecord
	messages map[int64][]agent.ChatMessage
	steps    map[int64][]chat.Reasoning
	queries  []retrieve.Query
	more     []corpus.CollectionInfo // besides the default one
	filters  []corpus.DocumentFilter
	texts    int // number of reads of a document with its text

	documents    []journal.Document // of session 7
	removedFiles []int64            // the turns of removed files
	copies       []string           // owner, name, and turn
	sent         []payload.File     // files that were attached
	started      string             // the last brief
	stopped      string             // the session of the last stopped answer

	answer      func(ctx context.Context, req rag.Request) iter.Seq2[rag.Part, error]
	read        func(ctx context.Context, collection, source string, r io.Reader) ([]ingest.Result, error)
	open        func(ctx context.Context)
	shares      []journal.Share
	facts       []journal.Memory
	prompts     []profile.Prompt
	preferences map[string]profile.Preferences
	// editors are the acts on prompts.
	editors []string
	// forgotten are the owners, agents, and keys of erased facts.
	forgotten [][3]string
	broken    error        // every store method fails with it
	whole     atomic.Int32 // answers to callers that wait for the whole
}

func newWorld() *world {
	page, at := 2, time.Date(2027, 1, 2, 3, 4, 5, 0, time.FixedZone("", 3600))
	return &world{
		docs: []corpus.Document{
			{ID: 1, Collection: "default", Source: "/docs/a.md", Title: "A", MediaType: "text/markdown", Status: corpus.Ready, Chunks: 1, Text: "Größe is a word.", SHA256: "aa", Size: 18, CreatedAt: at, UpdatedAt: at},
			{ID: 2, Collection: "default", Source: "upload:b.pdf", Title: "B", MediaType: "application/pdf", Status: corpus.Ready},
			{ID: 4, Collection: "other", Source: "https://x/evil.html", Title: "C", MediaType: "text/html; charset=utf-8", Status: corpus.Failed, Error: fault.Plain("it is encrypted")},
		},
		chunks:   map[int64][]corpus.Chunk{1: {{ID: 11, DocumentID: 1, Kind: corpus.Prose, Text: "Größe", Headings: []string{"H", "I"}, Page: &page, PageLabel: "iii", End: 7, Tokens: 2}, {ID: 12, Ordinal: 1}}},
		original: map[int64]string{1: "# Größe", 2: "%PDF-1.7", 4: "<script>alert(1)</script>"},
		sessions: []journal.SessionRecord{
			{RowID: 7, Key: journal.SessionKey{Agent: "docent", ID: "s1"}, Name: "First", Platform: "WebSocketPlatform", Username: "ada", UpdatedAt: at, Messages: 2, Seq: 4},
			{RowID: 6, Key: journal.SessionKey{Agent: "other", ID: "s2"}, First: "Hello"},
		},
		messages: map[int64][]agent.ChatMessage{7: {
			{Seq: 1, Turn: 1, Type: "str", Content: json.RawMessage(`"Hi"`), IsUser: true, Time: at},
			{Seq: 2, Turn: 1, Type: "rag_answer", Content: json.RawMessage(`{"answer":"x"}`), Time: at},
			{Seq: 2, Turn: 2, Type: "str", Content: json.RawMessage(`"Ho"`), IsUser: true, Sender: "ws://peer/", Time: at},
		}},
		steps: map[int64][]chat.Reasoning{7: {
			{Seq: 3, Turn: 1, ChatID: 12, Kind: "reasoning_step", StepKind: "tool_result", Step: 1, Summary: "f returned (1 chars)", Payload: json.RawMessage(`{"kind":"tool_result"}`), Time: at},
			{Seq: 4, Turn: 1, Kind: "task_list_update", Payload: json.RawMessage(`[]`), Time: at},
		}},
		answer: func(_ context.Context, req rag.Request) iter.Seq2[rag.Part, error] {
			return parts(rag.Part{Phase: rag.Searching}, rag.Part{Phase: rag.Answering}, rag.Part{Delta: "A tuple"}, rag.Part{Delta: "\nis <b>\"a row\"</b>"},
				rag.Part{Answer: &rag.Answer{Model: "m", Question: req.Question, Text: "A row [1]"}})
		},
	}
}

func parts(all ...rag.Part) iter.Seq2[rag.Part, error] {
	return func(yield func(rag.Part, error) bool) {
		for _, p := range all {
			if !yield(p, nil) {
				return
			}
		}
	}
}

func (w *world) Stream(ctx context.Context, req rag.Request) iter.Seq2[rag.Part, error] {
	return w.answer(ctx, req)
}

func (w *world) Run(ctx context.Context, req rag.Request) (rag.Answer, error) {
	w.whole.Add(1)
	for p, err := range w.answer(ctx, req) {
		if err != nil {
			return rag.Answer{}, err
		}
		if p.Answer != nil {
			return *p.Answer, nil
		}
	}
	return rag.Answer{}, errors.New("no message")
}

func (w *world) Retrieve(_ context.Context, q retrieve.Query) (retrieve.Retrieval, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.queries = append(w.queries, q)
	r := retrieve.Result{Rank: 1, Score: 0.5, Features: map[string]float64{"bm25": 1}}
	r.Passage = corpus.Passage{Chunk: w.chunks[1][0], Document: w.docs[0]}
	return retrieve.Retrieval{Question: q.Question, Evidence: 0.25, Results: []retrieve.Result{r}}, w.broken
}

func (w *world) DocumentIDs(ctx context.Context, f corpus.DocumentFilter) (ids []int64, err error) {
	docs, err := w.Documents(ctx, f)
	for _, d := range docs {
		ids = append(ids, d.ID)
	}
	return ids, err
}

func (w *world) Places(_ context.Context, f corpus.PlaceFilter) (folders, tags []corpus.PlaceCount, err error) {
	return []corpus.PlaceCount{{Name: "hr/" + f.Match, Documents: f.Limit}}, nil, w.broken
}

func (w *world) Facets(_ context.Context, collections []string) (corpus.Facets, error) {
	return corpus.Facets{Types: []corpus.PlaceCount{{Name: "text/html", Documents: len(collections)}}}, w.broken
}

func (w *world) Documents(_ context.Context, f corpus.DocumentFilter) ([]corpus.Document, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.filters = append(w.filters, f)
	var out []corpus.Document
	for _, d := range w.docs {
		if d.ID > f.After && (f.ID == 0 || f.ID == d.ID) && (f.Collection == "" || f.Collection == d.Collection) && (f.Status == "" || f.Status == d.Status) && len(out) < cmp.Or(f.Limit, 100) {
			d.Text = ""
			out = append(out, d)
		}
	}
	return out, w.broken
}

func (w *world) Document(_ context.Context, id int64) (corpus.Document, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.texts++
	for _, d := range w.docs {
		if d.ID == id {
			return d, w.broken
		}
	}
	return corpus.Document{}, fault.New(fault.NotFound, "no_document", "there is no document %d", id)
}

func (w *world) DocumentVersions(context.Context, int64) ([]corpus.Version, error) {
	return []corpus.Version{{At: time.Unix(1e9, 0), Title: "Pump", Added: 1, Edits: []corpus.Edit{{Added: true, Text: "new"}}}}, w.broken
}

func (w *world) DocumentChunks(ctx context.Context, id int64, after, limit int) ([]corpus.Chunk, error) {
	_, err := w.Document(ctx, id)
	chunks := slices.DeleteFunc(slices.Clone(w.chunks[id]), func(c corpus.Chunk) bool { return c.Ordinal <= after })
	return chunks[:min(limit, len(chunks))], err
}

func (w *world) Original(ctx context.Context, id int64) (io.ReadCloser, error) {
	if w.open != nil {
		w.open(ctx)
	}
	return io.NopCloser(strings.NewReader(w.original[id])), nil
}

func (w *world) Collections(context.Context) ([]corpus.CollectionInfo, error) {
	return append([]corpus.CollectionInfo{{Name: "default", Documents: 2, Chunks: 1}}, w.more...), w.broken
}

func (w *world) RemoveDocuments(_ context.Context, ids []int64) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	before := len(w.docs)
	w.docs = slices.DeleteFunc(w.docs, func(d corpus.Document) bool { return slices.Contains(ids, d.ID) })
	return before - len(w.docs), w.broken
}

func (w *world) TagDocuments(_ context.Context, ids []int64, add, _ []string) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range w.docs {
		if slices.Contains(ids, w.docs[i].ID) {
			w.docs[i].OwnTags = add
		}
	}
	return len(ids), w.broken
}

func (w *world) RenameDocument(_ context.Context, id int64, title string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range w.docs {
		if w.docs[i].ID == id {
			w.docs[i].Title, w.docs[i].FileTitle = title, w.docs[i].Title
		}
	}
	return w.broken
}

func (w *world) MoveDocuments(_ context.Context, ids []int64, collection string) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range w.docs {
		if slices.Contains(ids, w.docs[i].ID) {
			w.docs[i].Collection = collection
		}
	}
	return len(ids), w.broken
}

func (w *world) Replace(ctx context.Context, d corpus.Document, _ string, r io.Reader) ([]ingest.Result, error) {
	return w.Read(ctx, d.Collection, d.Source, r)
}

func (w *world) Read(ctx context.Context, collection, source string, r io.Reader) ([]ingest.Result, error) {
	if w.read != nil {
		return w.read(ctx, collection, source, r)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	if len(data) == 0 {
		return []ingest.Result{{Source: source, Status: ingest.Failed, Reason: fault.NewText("document_empty", "it is empty")}}, nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	d := corpus.Document{ID: int64(100 + len(w.docs)), Collection: collection, Source: source, Text: string(data), Status: corpus.Ready}
	w.docs = append(w.docs, d)
	return []ingest.Result{{Source: source, Status: ingest.Added, Chunks: 1, DocumentID: d.ID}}, nil
}

func (w *world) Sessions(_ context.Context, f journal.SessionFilter) ([]journal.SessionRecord, error) {
	var out []journal.SessionRecord
	for _, r := range w.sessions {
		if (f.ID == "" || f.ID == r.Key.ID) && (f.Agent == "" || f.Agent == r.Key.Agent) && (f.Username == "" || f.Username == r.Username) && (f.Owner == "" || f.Owner == r.Owner) && strings.Contains(strings.ToLower(r.Name), strings.ToLower(f.Match)) {
			out = append(out, r)
		}
	}
	return out, w.broken
}

func (w *world) find(key journal.SessionKey) int {
	return slices.IndexFunc(w.sessions, func(r journal.SessionRecord) bool { return r.Key == key })
}

func (w *world) Session(_ context.Context, key journal.SessionKey) (journal.SessionRecord, error) {
	i := w.find(key)
	if i < 0 {
		return journal.SessionRecord{}, fault.New(fault.NotFound, "no_session", "there is no such session")
	}
	return w.sessions[i], w.broken
}

func (w *world) ChangeSession(ctx context.Context, key journal.SessionKey, change journal.SessionChange) error {
	if _, err := w.Session(ctx, key); err != nil {
		return err
	}
	if change.Name != nil {
		w.sessions[w.find(key)].Name = *change.Name
	}
	if change.Pinned != nil {
		w.sessions[w.find(key)].Pinned = *change.Pinned
	}
	if change.Archived != nil {
		w.sessions[w.find(key)].Archived = *change.Archived
	}
	if change.Folder != nil {
		w.sessions[w.find(key)].Folder = *change.Folder
	}
	return nil
}

func (w *world) ExpireSessions(context.Context, time.Time, int) ([]journal.SessionKey, error) {
	return nil, errors.New("no route does this")
}

func (w *world) DeleteSession(ctx context.Context, key journal.SessionKey) error {
	if _, err := w.Session(ctx, key); err != nil {
		return err
	}
	w.sessions = slices.Delete(w.sessions, w.find(key), w.find(key)+1)
	return nil
}

func (w *world) Messages(_ context.Context, session int64, q journal.MessageQuery) ([]agent.ChatMessage, error) {
	var out []agent.ChatMessage
	for _, m := range w.messages[session] {
		if (q.Turn == 0 || m.Turn == q.Turn) && m.Seq > q.After && (q.Before == 0 || m.Seq < q.Before) {
			out = append(out, m)
		}
	}
	if q.Last > 0 {
		out = out[max(0, len(out)-q.Last):]
	}
	return out, w.broken
}

func (w *world) Branches(_ context.Context, session int64) (journal.Branches, error) {
	b := journal.Branches{Replaces: map[int64]int64{}}
	for _, m := range w.messages[session] {
		b.Turn = max(b.Turn, m.Turn)
		if m.Replaces > 0 {
			b.Replaces[m.Turn], b.Hidden = m.Replaces, append(b.Hidden, payload.TurnRange{First: m.Replaces, Until: m.Turn})
		}
	}
	return b, w.broken
}

func (w *world) ShowTurn(context.Context, int64, int64, int64) ([]payload.TurnRange, error) {
	return nil, w.broken
}

func (w *world) CopySession(_ context.Context, _, turn int64, to journal.SessionRecord, allow func(int) error) error {
	w.copies = append(w.copies, fmt.Sprint(to.Owner, " ", to.Name, " ", turn))
	return errors.Join(allow(1), w.broken)
}

func (w *world) SessionDocuments(context.Context, int64) ([]journal.Document, error) {
	return w.documents, w.broken
}

func (w *world) RemoveFile(_ context.Context, _, turn int64, _ json.RawMessage) error {
	w.removedFiles = append(w.removedFiles, turn)
	return w.broken
}

func (w *world) Steps(_ context.Context, session int64, q journal.MessageQuery) ([]chat.Reasoning, error) {
	var out []chat.Reasoning
	for _, r := range w.steps[session] {
		if r.Seq > q.After && (q.Before == 0 || r.Seq < q.Before) {
			out = append(out, r)
		}
	}
	if q.Last > 0 {
		out = out[max(0, len(out)-q.Last):]
	}
	return out, w.broken
}

// serve runs the API over a real HTTP server; edit changes its configuration.
func (w *world) serve(t *testing.T, edit ...func(*Config)) *client {
	t.Helper()
	log := &safeBuffer{}
	cfg := Config{
		RAG: w, Retriever: w, Library: w, Documents: w, Collections: managed{w}, Uploads: w, Directory: w, Memories: w, Prompts: w, Choices: w, Traces: w, Versions: w, Shares: w, Messages: w, Agents: []string{"docent"},
		Conversations: w, Embedder: w, Version: "1.2.3", Logger: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	for _, e := range edit {
		e(&cfg)
	}
	h, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	front := edge.Config{
		Guard: edge.GuardConfig{Loopback: true}, Known: as,
		StallTimeout: cfg.StallTimeout, Metrics: cfg.Metrics, Logger: cfg.Logger,
	}
	return serve(t, edge.Front(front)(h), log, nil)
}

// serve runs a handler over a real HTTP server. watch, if set, receives the
// states of connections.
func serve(t *testing.T, h http.Handler, log *safeBuffer, watch func(net.Conn, http.ConnState)) *client {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog, s.Config.ConnState = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError), watch
	s.Start()
	t.Cleanup(s.Close)
	t.Cleanup(s.Client().CloseIdleConnections)
	return &client{t: t, url: s.URL, http: s.Client(), log: log}
}

// as sets the principal to the header As: an id and, after a space, its scopes.
// "-" is nobody, and "!" is a client with a wrong token. Without the header it
// is auth.Anyone, as while authentication is off.
func as(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id, scopes, _ := strings.Cut(r.Header.Get("As"), " ")
		p := auth.Anyone()
		if id == "!" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if id != "" {
			p = auth.Principal{ID: id}
			for s := range strings.FieldsSeq(scopes) {
				p.Scopes = append(p.Scopes, auth.Scope(s))
			}
		}
		if id != "-" {
			r = r.WithContext(auth.NewContext(r.Context(), p))
		}
		next.ServeHTTP(w, r)
	})
}

type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

type client struct {
	t    *testing.T
	url  string
	http *http.Client
	log  *safeBuffer
	w    *world // of locked
}

// do sends a request. header holds names and values in turn.
func (c *client) do(method, path, body string, header ...string) (*http.Response, string) {
	c.t.Helper()
	req, err := http.NewRequestWithContext(c.t.Context(), method, c.url+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		if header[i] == "Host" {
			req.Host = header[i+1]
		}
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := c.http.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return resp, string(data)
}

// want sends a request and compares the response, as JSON if possible.
func (c *client) want(status int, want, method, path, body string, header ...string) {
	c.t.Helper()
	resp, got := c.do(method, path, body, header...)
	if resp.StatusCode != status || canonical(got) != canonical(want) {
		c.t.Errorf("%s %s: %d %s\nwant %d %s", method, path, resp.StatusCode, canonical(got), status, canonical(want))
	}
}

// wantError sends a request and checks the error in the response.
func (c *client) wantError(status int, code fault.Kind, says, method, path, body string, header ...string) {
	c.t.Helper()
	resp, got := c.do(method, path, body, header...)
	var e route.Error
	if err := json.Unmarshal([]byte(got), &e); err != nil || resp.StatusCode != status || e.Code != code || !strings.Contains(e.Message, says) || resp.Header.Get("Content-Type") != "application/json" {
		c.t.Errorf("%s %s: %d %s %s\nwant %d %s with %q", method, path, resp.StatusCode, resp.Header.Get("Content-Type"), got, status, code, says)
	}
	if e.Retryable != code.Retryable() {
		c.t.Errorf("%s %s: retryable is %v", method, path, e.Retryable)
	}
}

func canonical(s string) string {
	var v any
	if json.Unmarshal([]byte(s), &v) != nil {
		return s
	}
	out, _ := json.Marshal(v)
	return string(out)
}
