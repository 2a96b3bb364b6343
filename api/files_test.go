package api

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"docent/agent"
	"docent/agent/session/journal"
	"docent/ingest"
	"docent/internal/fault"
	"docent/payload"
)

// TestSessionFiles lists, attaches, publishes, and removes files of a conversation.
func TestSessionFiles(t *testing.T) {
	t.Parallel()
	w := newWorld()
	content, err := json.Marshal(agent.SessionDocument{Title: "Memo", Source: "memo.md", Media: "text/markdown"})
	if err != nil {
		t.Fatal(err)
	}
	w.documents = []journal.Document{{ID: 3, Turn: 5, Content: content}}
	file, err := json.Marshal(payload.NewFile("../memo.md", "text/markdown", []byte("# Memo")).Text())
	if err != nil {
		t.Fatal(err)
	}
	w.messages[7] = append(w.messages[7], agent.ChatMessage{
		Seq: 4, Turn: 5, Type: payload.TypeFile, Content: file, IsUser: true, Time: time.Unix(0, 0),
	})
	var read []string
	w.read = func(_ context.Context, collection, source string, r io.Reader) ([]ingest.Result, error) {
		text, err := io.ReadAll(r)
		read = append(read, collection+" "+source+" "+string(text))
		return []ingest.Result{{Source: source, Status: ingest.Added, Chunks: 1, DocumentID: 9}}, err
	}
	c := w.serve(t)
	one := `{"turn":5,"name":"memo.md","title":"Memo","media_type":"text/markdown","passages":0}`
	c.want(200, `{"files":[`+one+`]}`, "GET", "/api/sessions/s1/files", "")
	c.wantError(404, fault.NotFound, "no such session", "GET", "/api/sessions/none/files", "")
	for path, collection := range map[string]string{`{}`: "default", `{"collection":"memos"}`: "memos"} {
		c.want(200, `{"results":[{"source":"upload:memo.md","status":"added","chunks":1,"document_id":9}]}`, "POST", "/api/sessions/s1/files/5/publish", path)
		if !slices.Contains(read, collection+" upload:memo.md # Memo") {
			t.Errorf("read %q", read)
		}
	}
	c.wantError(404, fault.NotFound, "no such file", "POST", "/api/sessions/s1/files/1/publish", "{}")
	c.wantError(404, fault.NotFound, "no such file", "DELETE", "/api/sessions/s1/files/1", "")
	c.want(204, "", "DELETE", "/api/sessions/s1/files/5", "")
	if !slices.Equal(w.removedFiles, []int64{5}) {
		t.Errorf("removed %v", w.removedFiles)
	}
	for body, want := range map[string]struct {
		status int
		says   string
	}{
		"--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"../memo.md\"\r\n\r\n# Memo\r\n--x--\r\n":                             {200, one},
		"--x\r\nContent-Disposition: form-data; name=\"other\"\r\n\r\nx\r\n--x--\r\n":                                                          {400, "no file"},
		"--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\n" + strings.Repeat("x", MaxFileBytes+1) + "\r\n--x--\r\n": {413, "the file"},
		"--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\ncut off":                                                  {400, "cut off"},
	} {
		resp, got := c.do("POST", "/api/sessions/s1/files", body, "Content-Type", "multipart/form-data; boundary=x")
		if resp.StatusCode != want.status || !strings.Contains(got, want.says) {
			t.Errorf("%.90s: %d %s, want %d %s", body, resp.StatusCode, got, want.status, want.says)
		}
	}
	if len(w.sent) != 1 || w.sent[0].Name != "memo.md" {
		t.Errorf("%d files are sent", len(w.sent))
	}
}
