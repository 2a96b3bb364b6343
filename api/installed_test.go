package api

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"docent/agent/session/journal"
	"docent/api/uploads"
	"docent/embed"
	"docent/index/bm25"
	"docent/index/chromem"
	"docent/ingest"
	"docent/ingest/worker"
	"docent/internal/fault"
	"docent/internal/sqlitetest"
	"docent/llm"
	"docent/llm/llmtest"
	"docent/payload"
	"docent/rag/pipeline"
	"docent/rag/retrieve"
	"docent/store/sqlite"
)

// installed serves the API over a real database, index, and reader. It answers
// with quotes, or with the given models; the first is the default.
func installed(t *testing.T, models ...*llm.OpenAI) (*client, *sqlite.Store, *retrieve.Retriever) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), sqlite.Config{Path: sqlitetest.Path(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	static, err := embed.NewStatic()
	if err != nil {
		t.Fatal(err)
	}
	retriever, err := retrieve.New(retrieve.Config{Corpus: db, Embedder: static, Static: static, Words: bm25.New(), Nearest: chromem.New()})
	if err != nil {
		t.Fatal(err)
	}
	if err := retriever.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	cfg := pipeline.Config{Retriever: retriever, Static: static, Shelf: db, Models: map[string]llm.Model{}}
	for _, m := range models {
		cfg.Models[m.Name()] = m
		cfg.DefaultModel = models[0].Name()
	}
	answers, err := pipeline.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	reader, err := worker.NewLocal(worker.Config{Tokens: static.Count})
	if err != nil {
		t.Fatal(err)
	}
	ingester, err := ingest.New(ingest.Config{Store: db, Embedder: static, Reader: reader})
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld()
	c := w.serve(t, func(cfg *Config) {
		cfg.RAG, cfg.Retriever, cfg.Uploads = answers, retriever, ingester
		cfg.Library, cfg.Documents, cfg.Directory, cfg.Messages = db, db, db, db
	})
	return c, db, retriever
}

const manual = `# Backups

A backup is a consistent copy of a database cluster.

## Restoring

To restore a backup, stop the server and run pg_restore with the file name of the dump.
Größe and naïve are words whose bytes are more than their letters.
`

func TestInstalled(t *testing.T) {
	t.Parallel()
	c, db, retriever := installed(t)
	body, ct := form(t, "collection", "", "manuals", "file", "backup.md", manual, "file", "broken.bin", "\x00\x01\x02\xff\xfe")
	_, answer := c.do("POST", "/api/documents", body, "Content-Type", ct)
	var up struct{ Results []uploads.UploadResult }
	if err := json.Unmarshal([]byte(answer), &up); err != nil || len(up.Results) != 2 {
		t.Fatal(answer, err)
	}
	added, failed := up.Results[0], up.Results[1]
	if added.Source != "upload:backup.md" || added.Status != ingest.Added || added.Chunks == 0 || added.DocumentID == 0 {
		t.Errorf("added %+v", added)
	}
	if failed.Source != "upload:broken.bin" || failed.Status != ingest.Failed || failed.Reason == "" || failed.Sentence == nil {
		t.Errorf("failed %+v", failed)
	}
	if err := retriever.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	doc := fmt.Sprintf("/api/documents/%d", added.DocumentID)

	_, list := c.do("GET", "/api/documents?collection=manuals&status=ready", "")
	if !strings.Contains(list, `"source":"upload:backup.md"`) || strings.Contains(list, "broken.bin") {
		t.Errorf("list is %s", list)
	}
	_, text := c.do("GET", doc+"/text", "")
	_, found := c.do("GET", "/api/search?explain=1&k=3&collection=manuals&q="+url.QueryEscape("How do I restore a backup?"), "")
	var search struct {
		Results []SearchResult
	}
	if err := json.Unmarshal([]byte(found), &search); err != nil || len(search.Results) == 0 {
		t.Fatal(found, err)
	}
	r := search.Results[0]
	if r.DocumentID != added.DocumentID || !strings.Contains(r.Text, "pg_restore") || len(r.Features) == 0 {
		t.Errorf("found %+v", r)
	}
	if got := text[r.Start:r.End]; got != r.Text {
		t.Errorf("the offsets give %q, the passage is %q", got, r.Text)
	}
	if _, none := c.do("GET", "/api/search?collection=default&q=restore", ""); !strings.Contains(none, `"results":[]`) {
		t.Errorf("another collection has %s", none)
	}
	c.wantError(404, fault.NotFound, "there are: default, manuals", "GET", "/api/search?collection=elsewhere&q=restore", "")
	resp, file := c.do("GET", doc+"/file", "")
	if file != manual || !strings.HasPrefix(resp.Header.Get("Content-Disposition"), "attachment") {
		t.Errorf("file is %q, %v", file, resp.Header)
	}
	if _, chunks := c.do("GET", doc+"/chunks", ""); !strings.Contains(chunks, "pg_restore") {
		t.Errorf("chunks are %s", chunks)
	}

	var message payload.RAGMessage
	_, answer = c.do("POST", "/api/ask", `{"question":"How do I restore a backup?","collections":["manuals"]}`)
	if err := json.Unmarshal([]byte(answer), &message); err != nil || !strings.Contains(message.Answer, "pg_restore") || len(message.Docs) == 0 {
		t.Errorf("answer is %s, %v", answer, err)
	}
	_, stream := c.do("POST", "/api/ask", `{"question":"How do I restore a backup?"}`, "Accept", "text/event-stream")
	if !strings.HasPrefix(stream, "event: phase\n") || !strings.Contains(stream, "event: message\ndata: {") {
		t.Errorf("stream is %s", stream)
	}

	c.want(204, "", "DELETE", doc, "")
	c.wantError(404, fault.NotFound, "", "GET", doc+"/text", "")
	c.wantError(404, fault.NotFound, "", "DELETE", doc, "")

	if _, _, err := db.OpenSession(t.Context(), journal.SessionRecord{Key: journal.SessionKey{Agent: "docent", ID: "a b/ü"}, Platform: "WebSocketPlatform"}); err != nil {
		t.Fatal(err)
	}
	session := "/api/sessions/" + url.PathEscape("a b/ü")
	c.want(204, "", "PATCH", session, `{"session_name":"Renamed"}`)
	if _, sessions := c.do("GET", "/api/sessions?agent_name=docent", ""); !strings.Contains(sessions, `"session_id":"a b/ü","agent_name":"docent","session_name":"Renamed"`) {
		t.Errorf("sessions are %s", sessions)
	}
	c.want(200, `{"feedback":[],"messages":[],"steps":[],"agent_name":"docent","seq":0,"reset_seq":0}`, "GET", session+"/messages", "")
	c.want(204, "", "DELETE", session, "")
	c.wantError(404, fault.NotFound, "", "GET", session+"/messages", "")
}

func TestInstalledWithModel(t *testing.T) {
	t.Parallel()
	s := llmtest.NewServer(llmtest.Script(
		llmtest.Reply{Text: []string{"Stop the server and ", "run pg_restore ", "[1]."}},
		llmtest.Reply{Status: 401, Body: `{"error":{"message":"bad key sk-123"}}`}))
	t.Cleanup(s.Close)
	m, err := llm.NewOpenAI(llm.Config{BaseURL: s.URL, Model: "scripted", APIKey: "sk-123", Settings: llm.Settings{Key: "DOCENT_LLM_KEY"}})
	if err != nil {
		t.Fatal(err)
	}
	c, _, retriever := installed(t, m)
	body, ct := form(t, "file", "backup.md", manual)
	c.do("POST", "/api/documents", body, "Content-Type", ct)
	if err := retriever.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	question := `{"question":"How do I restore a backup?"}`
	_, stream := c.do("POST", "/api/ask", question, "Accept", "text/event-stream")
	for _, want := range []string{"event: phase\ndata: {\"phase\":\"answering\"}", "event: delta\n", `"llm_name":"scripted"`, "run pg_restore [1]"} {
		if !strings.Contains(stream, want) {
			t.Errorf("the stream lacks %q: %s", want, stream)
		}
	}
	c.wantError(503, fault.Unavailable, "DOCENT_LLM_KEY", "POST", "/api/ask", question)
	if strings.Contains(c.log.String(), "sk-123") {
		t.Error("the key is in the log")
	}
}

func TestInstalledPages(t *testing.T) {
	t.Parallel()
	c, _, _ := installed(t)
	var files, want []string
	for i := range 7 {
		files = append(files, "file", fmt.Sprintf("n%d.txt", i), fmt.Sprintf("Note number %d is here.", i))
		want = append(want, fmt.Sprintf("upload:n%d.txt", i))
	}
	body, ct := form(t, files...)
	c.do("POST", "/api/documents", body, "Content-Type", ct)
	var got []string
	next := int64(0)
	for {
		_, body := c.do("GET", fmt.Sprintf("/api/documents?limit=3&after=%d", next), "")
		var page struct {
			Documents []Document
			Next      int64
		}
		if err := json.Unmarshal([]byte(body), &page); err != nil || len(page.Documents) == 0 {
			t.Fatal(body, err)
		}
		for _, d := range page.Documents {
			got = append(got, d.Source)
		}
		if next = page.Next; next == 0 {
			break
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("pages hold %v", got)
	}
}
