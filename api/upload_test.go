package api

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"docent/api/uploads"
	"docent/ingest"
	"docent/internal/fault"
)

// form returns a multipart body of fields and files: name, file name (empty for
// a field), and content in turn.
func form(t *testing.T, triples ...string) (body, contentType string) {
	t.Helper()
	var b bytes.Buffer
	m := multipart.NewWriter(&b)
	for i := 0; i < len(triples); i += 3 {
		var w io.Writer
		var err error
		if triples[i+1] == "" {
			w, err = m.CreateFormField(triples[i])
		} else {
			w, err = m.CreateFormFile(triples[i], triples[i+1])
		}
		if err == nil {
			_, err = io.WriteString(w, triples[i+2])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String(), m.FormDataContentType()
}

func TestUpload(t *testing.T) {
	t.Parallel()
	w := newWorld()
	c := w.serve(t)
	body, ct := form(t, "collection", "", "manuals", "ignored", "", "x", "file", "a.md", "# A", "file", "empty.md", "", "file", `C:\tmp\b.md`, "# B")
	c.want(200, `{"results":[{"source":"upload:a.md","status":"added","chunks":1,"document_id":103},
		{"source":"upload:empty.md","status":"failed","chunks":0,"reason":"it is empty","sentence":{"id":"document_empty","params":[]}},
		{"source":"upload:b.md","status":"added","chunks":1,"document_id":104}]}`, "POST", "/api/documents", body, "Content-Type", ct)
	if d := w.docs[3]; d.Collection != "manuals" || d.Text != "# A" {
		t.Errorf("stored %+v", d)
	}
	body, ct = form(t, "file", "c.md", "# C")
	c.do("POST", "/api/documents?collection=query", body, "Content-Type", ct)
	c.do("POST", "/api/documents", body, "Content-Type", ct)
	if a, b := w.docs[5].Collection, w.docs[6].Collection; a != "query" || b != "default" {
		t.Errorf("collections are %s and %s", a, b)
	}
}

// Equal names in one request never overwrite each other, even if they become
// equal only after cleaning. Folders distinguish files.
func TestUploadNames(t *testing.T) {
	t.Parallel()
	w := newWorld()
	c := w.serve(t)
	sources := func(names ...string) string {
		var triples []string
		for _, n := range names {
			triples = append(triples, "file", n, "# "+n)
		}
		body, ct := form(t, triples...)
		_, answer := c.do("POST", "/api/documents", body, "Content-Type", ct)
		var out struct{ Results []uploads.UploadResult }
		if err := json.Unmarshal([]byte(answer), &out); err != nil {
			t.Fatal(err, answer)
		}
		var got []string
		for _, r := range out.Results {
			got = append(got, strings.TrimPrefix(r.Source, "upload:"))
		}
		return strings.Join(got, "|")
	}
	for _, tc := range [][2]string{
		{"readme.md|readme.md|readme.md", "readme.md|readme (2).md|readme (3).md"},
		{"a/readme.md|b/readme.md|a/readme.md", "a/readme.md|b/readme.md|a/readme (2).md"},
		{"readme (2).md|readme.md|readme.md", "readme (2).md|readme.md|readme (3).md"},
		{"../../etc/passwd|./x//y.md|a/../b.md", "etc/passwd|x/y.md|a/b.md"},
		{"/home/ada/x.md|C:/Users/ada/x.md", "x.md|x (2).md"},
		{".profile|.profile|x.tar.gz|x.tar.gz", ".profile|.profile (2)|x.tar.gz|x.tar (2).gz"},
		{strings.Repeat("d/", 600) + "e.md", "e.md"},
	} {
		if got := sources(strings.Split(tc[0], "|")...); got != tc[1] {
			t.Errorf("%s became %s, want %s", tc[0], got, tc[1])
		}
	}
	if a, b := sources("again.md"), sources("again.md"); a != b {
		t.Errorf("in another request a name is %s and then %s", a, b)
	}
}

func TestUploadRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld()
	c := w.serve(t, func(cfg *Config) { cfg.UploadBytes = 100; cfg.limits.RequestBytes = 2000 })
	c.wantError(415, fault.Invalid, "multipart/form-data", "POST", "/api/documents", `{}`, "Content-Type", "application/json")
	body, ct := form(t, "other", "", "x")
	c.wantError(400, fault.Invalid, "no file", "POST", "/api/documents", body, "Content-Type", ct)
	body, ct = form(t, "file", "a.md", "x", "collection", "", "late")
	c.wantError(400, fault.Invalid, "before the files", "POST", "/api/documents", body, "Content-Type", ct)
	body, ct = form(t, "collection", "", "\x00", "file", "a.md", "x")
	c.wantError(400, fault.Invalid, "plain text", "POST", "/api/documents", body, "Content-Type", ct)
	body, ct = form(t, "collection", "", strings.Repeat("c", 300), "file", "a.md", "x")
	c.wantError(400, fault.Invalid, "longer than 200 bytes", "POST", "/api/documents", body, "Content-Type", ct)
	body, ct = form(t, "file", "a.md", "x")
	c.wantError(400, fault.Invalid, "cut off", "POST", "/api/documents", body[:len(body)-20], "Content-Type", ct)
	c.wantError(400, fault.Invalid, "no file", "POST", "/api/documents", "garbage", "Content-Type", ct)

	stored := len(w.docs)
	body, ct = form(t, "file", "a.md", strings.Repeat("x", 101))
	c.wantError(413, fault.Invalid, "the file is larger than 100 bytes", "POST", "/api/documents", body, "Content-Type", ct)
	body, ct = form(t, "file", "a.md", strings.Repeat("x", 3000))
	c.wantError(413, fault.Invalid, "the upload is larger than 2000 bytes", "POST", "/api/documents", body, "Content-Type", ct)
	if len(w.docs) != stored {
		t.Errorf("%d documents were stored of what was refused", len(w.docs)-stored)
	}
	body, ct = form(t, "file", "big.md", strings.Repeat("x", 200), "file", "a.md", strings.Repeat("x", 100))
	c.want(200, `{"results":[{"source":"upload:big.md","status":"failed","chunks":0,"reason":"the file is larger than 100 bytes",
		"sentence":{"id":"larger_than_limit","params":[{"id":"the_file","params":[],"message":"the file"},"100 bytes"]}},
		{"source":"upload:a.md","status":"added","chunks":1,"document_id":`+"104"+`}]}`, "POST", "/api/documents", body, "Content-Type", ct)

	w.read = func(_ context.Context, _, source string, r io.Reader) ([]ingest.Result, error) {
		if source == "upload:bad.md" {
			return nil, fault.New(fault.Invalid, "test_sentence", "not a good name")
		}
		return nil, fault.New(fault.Unavailable, "test_sentence", "the database is away")
	}
	body, ct = form(t, "file", "bad.md", "x")
	c.want(200, `{"results":[{"source":"upload:bad.md","status":"failed","chunks":0,"reason":"not a good name","sentence":{"id":"test_sentence","params":[]}}]}`, "POST", "/api/documents", body, "Content-Type", ct)
	body, ct = form(t, "file", "a.md", "x")
	c.wantError(503, fault.Unavailable, "away", "POST", "/api/documents", body, "Content-Type", ct)
}

// An endless body of unknown length is read as it arrives, and ends at the
// limit.
func TestUploadStreams(t *testing.T) {
	t.Parallel()
	w := newWorld()
	c := w.serve(t, func(cfg *Config) { cfg.UploadBytes = 64; cfg.limits.RequestBytes = 1 << 20 })
	r, wr := io.Pipe()
	m := multipart.NewWriter(wr)
	got := make(chan string, 1)
	w.read = func(_ context.Context, _, _ string, r io.Reader) ([]ingest.Result, error) {
		buf := make([]byte, 5)
		_, err := io.ReadFull(r, buf)
		got <- string(buf)
		_, _ = io.Copy(io.Discard, r)
		return nil, err
	}
	go func() {
		f, err := m.CreateFormFile("file", "endless")
		if err == nil {
			_, err = io.WriteString(f, "hello")
		}
		if text := <-got; text != "hello" {
			t.Errorf("the reader got %q before the body was complete", text)
		}
		for err == nil {
			_, err = f.Write(make([]byte, 1000))
		}
	}()
	req, err := http.NewRequestWithContext(t.Context(), "POST", c.url+"/api/documents", r)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", m.FormDataContentType())
	resp, err := c.http.Do(req)
	_ = r.CloseWithError(io.ErrClosedPipe)
	if err == nil { // the server may close before the client has read its answer
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("status is %d", resp.StatusCode)
		}
	}
}

func TestStalledUploadEnds(t *testing.T) {
	t.Parallel()
	w := newWorld()
	c := w.serve(t, func(cfg *Config) { cfg.StallTimeout = 50 * time.Millisecond })
	conn, err := net.Dial("tcp", strings.TrimPrefix(c.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, err = io.WriteString(conn, "POST /api/documents HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 1000\r\n\r\n"+
		"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\nhalf")
	if err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(conn)
	if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 408") || len(w.docs) != 3 {
		t.Errorf("answer is %q, %v", answer, err)
	}
}
