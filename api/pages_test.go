package api

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"image/png"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"docent/api/pages"
	"docent/ingest/extract"
	"docent/ingest/extract/pdf"
	"docent/ingest/intake"
	"docent/internal/fault"
)

// drawer counts the calls of the PDF library.
type drawer struct {
	*extract.Extractor
	drawn, read atomic.Int64
	hold        chan struct{} // if set, drawing waits for it or for the end of the request
	begun       chan struct{}
}

func (d *drawer) DrawPage(ctx context.Context, src intake.Source, page, width int) ([]byte, int, error) {
	d.drawn.Add(1)
	if d.hold != nil {
		d.begun <- struct{}{}
		select {
		case <-d.hold:
		case <-ctx.Done():
			return nil, 0, ctx.Err()
		}
	}
	return d.Extractor.DrawPage(ctx, src.Data, page, width)
}

func (d *drawer) ReadPage(ctx context.Context, src intake.Source, page int) (*pdf.Page, error) {
	d.read.Add(1)
	return d.Extractor.ReadPage(ctx, src.Data, page)
}

func (d *drawer) Shows(media string) bool { return media == "application/pdf" }

func hexSHA256(data string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(data))) }

// manualPDF returns a PDF with five pages.
func manualPDF(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("../ingest/extract/testdata/manual.pdf")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// withPages serves a world in which document 2 is the manual.
func withPages(t *testing.T, edit ...func(*Config)) (*world, *drawer, *client) {
	t.Helper()
	cache := t.TempDir()
	if dir, err := os.UserCacheDir(); err == nil {
		cache = filepath.Join(dir, "docent-test", "wasm")
	}
	e, err := extract.New(extract.Config{CacheDir: cache})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	w, d := newWorld(), &drawer{Extractor: e}
	data := manualPDF(t)
	doc, _, err := e.Extract(t.Context(), intake.Source{Name: "manual.pdf", Data: []byte(data)})
	if err != nil {
		t.Fatal(err)
	}
	w.docs[1].Text, w.docs[1].SHA256, w.original[2] = doc.Text, hexSHA256(data), data
	return w, d, w.serve(t, append([]func(*Config){func(c *Config) { c.Pages = d }}, edit...)...)
}

func TestPage(t *testing.T) {
	t.Parallel()
	w, d, c := withPages(t)
	c.want(200, `{"page":0,"pages":5,"label":"i","width":595.28,"height":841.89,"marks":[]}`, "GET", "/api/documents/2/pages/0", "")
	const sentence = "Open the valve before the motor starts."
	start := strings.Index(w.docs[1].Text, sentence)
	for page, marked := range []bool{false, true, false} {
		resp, body := c.do("GET", fmt.Sprintf("/api/documents/2/pages/%d?start=%d&end=%d", page, start, start+len(sentence)), "")
		var view pages.PageView
		if err := json.Unmarshal([]byte(body), &view); err != nil || resp.StatusCode != 200 {
			t.Fatal(body, err)
		}
		if view.Page != page || (len(view.Marks) > 0) != marked {
			t.Errorf("page %d: %s", page, body)
		}
		for _, m := range view.Marks {
			if m.X < 0 || m.Y < 0 || m.Width <= 0 || m.Height <= 0 || m.X+m.Width > 1 || m.Y+m.Height > 1 {
				t.Errorf("a mark is %+v", m)
			}
		}
	}
	if n := d.read.Load(); n != 3 {
		t.Errorf("3 pages were read %d times", n)
	}
	end := len(w.docs[1].Text)
	for query, says := range map[string]string{
		"start=5": "empty", "start=7&end=7": "empty", "start=9&end=8": "empty", "end=-1": "end", "start=a&end=5": "start",
		fmt.Sprintf("start=0&end=%d", end+1): "the text ends at byte",
	} {
		c.wantError(400, fault.Invalid, says, "GET", "/api/documents/2/pages/0?"+query, "")
	}
	w.docs[1].Text = "é"
	c.wantError(400, fault.Invalid, "cuts a character", "GET", "/api/documents/2/pages/0?start=0&end=1", "")
	for path, says := range map[string]string{
		"/api/documents/9/pages/0": "no document 9", "/api/documents/1/pages/0": "has no pages", "/api/documents/4/pages/0": "has no pages",
		"/api/documents/2/pages/5": "the document has 5",
	} {
		c.wantError(404, fault.NotFound, says, "GET", path, "")
		c.wantError(404, fault.NotFound, says, "GET", path+"/image", "")
	}
	c.wantError(400, fault.Invalid, "page", "GET", "/api/documents/2/pages/-1", "")
	if resp, body := c.do("HEAD", "/api/documents/2/pages/0", ""); resp.StatusCode != 200 || body != "" {
		t.Errorf("HEAD: %d %s", resp.StatusCode, body)
	}
}

func TestPageImage(t *testing.T) {
	t.Parallel()
	w, d, c := withPages(t)
	const path = "/api/documents/2/pages/1/image?width=300"
	resp, body := c.do("GET", path, "")
	img, err := png.DecodeConfig(strings.NewReader(body))
	if err != nil || img.Width != 300 || img.Height != 424 {
		t.Errorf("%d: %+v %v", resp.StatusCode, img, err)
	}
	etag := resp.Header.Get("ETag")
	for name, want := range map[string]string{
		"Content-Type": "image/png", "X-Content-Type-Options": "nosniff", "Content-Security-Policy": "sandbox; default-src 'none'",
		"Cache-Control": "private, no-cache", "Etag": etag, "Docent-Pages": "5", "Content-Length": fmt.Sprint(len(body)),
	} {
		if got := resp.Header.Get(name); got != want || got == "" {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	for _, none := range []string{etag, "W/" + etag, `"x", ` + etag} {
		resp, body := c.do("GET", path, "", "If-None-Match", none)
		if resp.StatusCode != 304 || body != "" || resp.Header.Get("ETag") != etag || resp.Header.Get("Cache-Control") != "private, no-cache" {
			t.Errorf("If-None-Match %s: %d, %v", none, resp.StatusCode, resp.Header)
		}
	}
	for _, none := range []string{`"other"`, "*", ""} {
		if resp, again := c.do("GET", path, "", "If-None-Match", none); resp.StatusCode != 200 || again != body {
			t.Errorf("If-None-Match %s: %d", none, resp.StatusCode)
		}
		c.wantError(404, fault.NotFound, "the document has 5", "GET", "/api/documents/2/pages/99/image", "", "If-None-Match", none)
	}
	if resp, body := c.do("HEAD", path, ""); resp.StatusCode != 200 || body != "" || resp.Header.Get("ETag") != etag {
		t.Errorf("HEAD: %d %v", resp.StatusCode, resp.Header)
	}
	if n := d.drawn.Swap(1); n != 1+3 { // plus three requests for a missing page
		t.Errorf("%d were drawn, want 4", n)
	}
	for _, other := range []string{"/api/documents/2/pages/2/image?width=300", "/api/documents/2/pages/1/image?width=301", "/api/documents/2/pages/1/image"} {
		if resp, _ := c.do("GET", other, "", "If-None-Match", etag); resp.StatusCode != 200 || resp.Header.Get("ETag") == etag {
			t.Errorf("%s: %d with %s", other, resp.StatusCode, resp.Header.Get("ETag"))
		}
	}
	for _, query := range []string{"width=199", "width=2401", "width=-5", "width=1e3"} {
		c.wantError(400, fault.Invalid, "width", "GET", "/api/documents/2/pages/1/image?"+query, "")
	}
	w.docs[1].SHA256 = "new" // the document is being replaced, but Original still has the old bytes
	for range 2 {
		if resp, _ := c.do("GET", path, "", "If-None-Match", etag); resp.StatusCode != 200 || resp.Header.Get("ETag") == etag {
			t.Errorf("after a change: %d with %s", resp.StatusCode, resp.Header.Get("ETag"))
		}
	}
	if n := d.drawn.Load(); n != 6 {
		t.Errorf("%d were drawn, want 6: nothing is kept under a hash that it does not have", n)
	}
}

// A listed PDF that cannot be shown returns an error.
func TestPageOfWhatCannotBeShown(t *testing.T) {
	t.Parallel()
	w, _, c := withPages(t)
	encrypted, err := os.ReadFile("../ingest/extract/testdata/encrypted.pdf")
	if err != nil {
		t.Fatal(err)
	}
	for original, says := range map[string]string{string(encrypted): "encrypted", "%PDF-1.7": "damaged", "": "damaged"} {
		w.original[2], w.docs[1].SHA256 = original, hexSHA256(original)
		c.wantError(404, fault.NotFound, says, "GET", "/api/documents/2/pages/0", "")
		c.wantError(404, fault.NotFound, says, "GET", "/api/documents/2/pages/0/image", "")
	}
	none := newWorld().serve(t) // without a PDF library
	none.wantError(404, fault.NotFound, "has no pages", "GET", "/api/documents/2/pages/0", "")
	none.wantError(404, fault.NotFound, "does not draw pages", "POST", "/api/pages", "x", "Content-Type", "application/pdf")
}

func TestDrawPage(t *testing.T) {
	t.Parallel()
	_, d, c := withPages(t)
	data := manualPDF(t)
	asPDF := []string{"Content-Type", "application/pdf"}
	for range 2 {
		resp, body := c.do("POST", "/api/pages?page=4&width=250", data, asPDF...)
		img, err := png.DecodeConfig(strings.NewReader(body))
		if err != nil || img.Width != 250 || resp.Header.Get("Docent-Pages") != "5" || resp.Header.Get("Content-Type") != "image/png" {
			t.Errorf("%d: %v %+v %v", resp.StatusCode, resp.Header, img, err)
		}
		if resp.Header.Get("Cache-Control") != "no-store" || resp.Header.Get("ETag") != "" || resp.Header.Get("Content-Security-Policy") != "sandbox; default-src 'none'" || resp.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("headers: %v", resp.Header)
		}
	}
	if n := d.drawn.Load(); n != 1 {
		t.Errorf("one page was drawn %d times", n)
	}
	c.wantError(404, fault.NotFound, "the document has 5", "POST", "/api/pages?page=5", data, asPDF...)
	c.wantError(400, fault.Invalid, "damaged", "POST", "/api/pages", "<script>alert(1)</script>", asPDF...)
	c.wantError(400, fault.Invalid, "damaged", "POST", "/api/pages", "", asPDF...)
	c.wantError(400, fault.Invalid, "width", "POST", "/api/pages?width=9999", data, asPDF...)
	c.wantError(415, fault.Invalid, "application/pdf", "POST", "/api/pages", data)
	c.wantError(415, fault.Invalid, "application/pdf", "POST", "/api/pages", data, "Content-Type", "text/html")
	c.wantError(413, fault.Invalid, "32 MiB", "POST", "/api/pages", strings.Repeat("x", pages.MaxSentBytes+1), asPDF...)
	// A body of unknown length is refused when it exceeds the limit.
	req, err := http.NewRequestWithContext(t.Context(), "POST", c.url+"/api/pages", io.LimitReader(endless{}, 2*pages.MaxSentBytes))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/pdf")
	if resp, err := c.http.Do(req); err == nil {
		if resp.StatusCode != 413 {
			t.Errorf("an endless body: %d", resp.StatusCode)
		}
		resp.Body.Close()
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// The number of concurrent drawings is bounded. Requests that time out or are
// canceled give their slots back.
func TestDrawingIsBounded(t *testing.T) {
	t.Parallel()
	_, d, c := withPages(t)
	d.hold, d.begun = make(chan struct{}), make(chan struct{}, 100)
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	get := func(ctx context.Context, page int) {
		req, err := http.NewRequestWithContext(ctx, "GET", fmt.Sprintf("%s/api/documents/2/pages/%d/image?width=200", c.url, page), nil)
		if err != nil {
			t.Error(err)
			return
		}
		if resp, err := c.http.Do(req); err == nil {
			_, _ = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
	}
	for i := range 3 * pdf.PageDrawers {
		wg.Go(func() { get(ctx, i%5) })
	}
	for range pdf.PageDrawers {
		<-d.begun
	}
	select {
	case <-d.begun:
		t.Errorf("more than %d are drawn at once", pdf.PageDrawers)
	case <-time.After(100 * time.Millisecond):
	}
	cancel()
	wg.Wait()
	close(d.hold)
	if resp, _ := c.do("GET", "/api/documents/2/pages/0/image?width=200", ""); resp.StatusCode != 200 {
		t.Errorf("afterwards: %d", resp.StatusCode)
	}
}

// Uploads do not wait for slow pages. Requests for more pages than fit in memory
// wait for a while and are then refused.
func TestUploadWhilePagesAreDrawn(t *testing.T) {
	t.Parallel()
	_, d, c := withPages(t)
	d.hold, d.begun = make(chan struct{}), make(chan struct{}, 100)
	var wg sync.WaitGroup
	for i := range 8 { // twice as many as may be in memory
		wg.Go(func() {
			data := manualPDF(t) + fmt.Sprintf("\n%%%d", i)
			req, err := http.NewRequestWithContext(t.Context(), "POST", c.url+"/api/pages?width=200", strings.NewReader(data))
			if err != nil {
				t.Error(err)
				return
			}
			req.Header.Set("Content-Type", "application/pdf")
			resp, err := c.http.Do(req)
			if err != nil {
				t.Error(err)
				return
			}
			defer resp.Body.Close()
			if resp.StatusCode != 200 && resp.StatusCode != 503 {
				t.Errorf("a page that waited: %d", resp.StatusCode)
			}
		})
	}
	for range pdf.PageDrawers {
		<-d.begun
	}
	body, kind := form(t, "file", "a.md", "# A")
	for range 2 * DefaultUploads {
		if resp, body := c.do("POST", "/api/documents", body, "Content-Type", kind); resp.StatusCode != 200 {
			t.Fatalf("an upload while pages are drawn: %d %s", resp.StatusCode, body)
		}
	}
	select {
	case <-d.begun:
		t.Errorf("more than %d are drawn at once", pdf.PageDrawers)
	default:
	}
	close(d.hold)
	wg.Wait()
}

// PDFs that arrive slowly take no slot that others need.
func TestSlowPDFs(t *testing.T) {
	t.Parallel()
	_, _, c := withPages(t)
	var wg sync.WaitGroup
	defer wg.Wait()
	for range 8 { // twice as many as may be in memory
		r, w := io.Pipe()
		defer w.Close()
		wg.Go(func() {
			req, err := http.NewRequestWithContext(t.Context(), "POST", c.url+"/api/pages", r)
			if err != nil {
				t.Error(err)
				return
			}
			req.Header.Set("Content-Type", "application/pdf")
			if resp, err := c.http.Do(req); err == nil {
				_ = resp.Body.Close()
			}
		})
		if _, err := w.Write([]byte("%PDF-1.7")); err != nil { // the server has begun to read
			t.Fatal(err)
		}
	}
	if resp, body := c.do("POST", "/api/pages?width=200", manualPDF(t), "Content-Type", "application/pdf"); resp.StatusCode != 200 {
		t.Errorf("a page beside slow PDFs: %d %s", resp.StatusCode, body)
	}
}

// Concurrent requests for one page get the same image, possibly from the cache.
func TestPagesAtOnce(t *testing.T) {
	t.Parallel()
	_, _, c := withPages(t)
	_, want := c.do("GET", "/api/documents/2/pages/3/image?width=220", "")
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			path := fmt.Sprintf("/api/documents/2/pages/%d", i%5)
			if i%2 == 0 {
				path = "/api/documents/2/pages/3/image?width=220"
			}
			if resp, body := c.do("GET", path, ""); resp.StatusCode != 200 || i%2 == 0 && body != want {
				t.Errorf("%s: %d", path, resp.StatusCode)
			}
		})
	}
	wg.Wait()
}
