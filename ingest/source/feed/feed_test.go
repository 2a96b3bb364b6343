package feed

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"docent/ingest/source"
	"docent/ingest/source/sourcetest"
	"docent/internal/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const rss = `<?xml version="1.0" encoding="UTF-8"?><rss version="2.0"><channel><title>News</title>
<item><title>First &amp; best</title><link>/one</link><guid isPermaLink="false">id-1</guid><description>&lt;p&gt;Short one&lt;/p&gt;</description><pubDate>Mon, 02 Feb 2026 10:00:00 GMT</pubDate></item>
<item><title>Second</title><link>BASE/two</link><description>Plain text</description></item>
<item><title>Again</title><guid>id-1</guid></item>
<item></item>
</channel></rss>`

const atom = `<?xml version="1.0" encoding="ISO-8859-1"?><feed xmlns="http://www.w3.org/2005/Atom"><title>Blog</title>
<entry><id>tag:x,1</id><title>Gr` + "\xfc\xdf" + `e</title><link href="BASE/one"/><updated>2026-02-03T00:00:00Z</updated><author><name>Ada</name></author>
<content type="html">&lt;p&gt;Text ` + "\xe4" + `&lt;/p&gt;</content></entry></feed>`

// blog is a server with one feed and two pages.
type blog struct {
	*httptest.Server
	mu   sync.Mutex
	feed string
	code int
}

func (b *blog) set(feed string, code int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.feed, b.code = feed, code
}

func newBlog(t *testing.T, feed string) *blog {
	t.Helper()
	b := &blog{feed: feed, code: http.StatusOK}
	b.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.mu.Lock()
		defer b.mu.Unlock()
		switch r.URL.Path {
		case "/feed":
			w.WriteHeader(b.code)
			_, _ = io.WriteString(w, strings.ReplaceAll(b.feed, "BASE", b.URL))
		case "/one":
			if r.Header.Get("Authorization") != "" {
				t.Error("the secret went to a linked page")
			}
			http.Redirect(w, r, "/page", http.StatusFound)
		case "/page":
			w.Header().Set("Content-Type", "text/html; charset=windows-1251")
			_, _ = w.Write([]byte("\xcf\xf0\xe8"))
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(b.Close)
	return b
}

func open(t *testing.T, cfg Config) *Source {
	t.Helper()
	cfg.AllowPrivate, cfg.RetryMillis = true, 1
	src, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	return src
}

func TestFeeds(t *testing.T) {
	t.Parallel()
	b := newBlog(t, rss)
	src := open(t, Config{URL: b.URL + "/feed"})
	var k sourcetest.Kept
	k.Sync(t, src)
	sourcetest.Equal(t, "items", k.Keys(), []string{b.URL + "/two", "id-1"})
	if k.Err != nil || len(k.Failed) > 0 {
		t.Fatalf("error %v, failed %v", k.Err, k.Failed)
	}
	one := k.Items["id-1"]
	if one.Address != b.URL+"/one" || one.Name != "first-best.html" || one.Modified.IsZero() {
		t.Errorf("item %+v", one)
	}
	for _, part := range []string{"<h1>First &amp; best</h1>", "2 February 2026", "<p>Short one</p>"} {
		if !strings.Contains(k.Bodies["id-1"], part) {
			t.Errorf("%q is missing in %q", part, k.Bodies["id-1"])
		}
	}
	k.Sync(t, src)
	sourcetest.Equal(t, "changed", k.Changed, nil)
	b.set(strings.Replace(rss, "Short one", "Longer one", 1), http.StatusOK)
	k.Sync(t, src)
	sourcetest.Equal(t, "changed", k.Changed, []string{"id-1"})
	for _, code := range []int{http.StatusInternalServerError, http.StatusNotFound} {
		b.set(rss, code)
		if k.Sync(t, src); k.Err == nil || len(k.States) != 2 {
			t.Errorf("status %d: error %v, items %v", code, k.Err, k.Keys())
		}
	}
	b.set(atom, http.StatusOK)
	k = sourcetest.Kept{}
	k.Sync(t, src)
	if body := k.Bodies["tag:x,1"]; !strings.Contains(body, "<h1>Grüße</h1>") || !strings.Contains(body, "Text ä") || !strings.Contains(body, "Ada") {
		t.Errorf("Atom: %q, error %v", body, k.Err)
	}
	if !src.Partial() || open(t, Config{URL: b.URL, RemoveOld: true}).Partial() {
		t.Error("Partial is wrong")
	}
}

func TestLinkedPages(t *testing.T) {
	t.Parallel()
	b := newBlog(t, rss)
	var k sourcetest.Kept
	k.Sync(t, open(t, Config{URL: b.URL + "/feed", Linked: true, Authorization: "Bearer x"}))
	if k.Bodies["id-1"] != "\ufeffПри" || len(k.Failed) != 1 {
		t.Errorf("body %q, failed %v", k.Bodies["id-1"], k.Failed)
	}
}

func TestServerThatFailsHalfTheTime(t *testing.T) {
	t.Parallel()
	b := newBlog(t, rss)
	b.Config.Handler = sourcetest.Flaky(2, b.Config.Handler)
	src := open(t, Config{URL: b.URL + "/feed"})
	var k sourcetest.Kept
	for range 5 {
		if k.Sync(t, src); k.Err == nil && len(k.States) != 2 {
			t.Errorf("items %v", k.Keys())
		}
	}
	if len(k.States) != 2 {
		t.Errorf("items %v, error %v", k.Keys(), k.Err)
	}
}

func TestHostileFeeds(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"html":   "<!doctype html><p>x",
		"empty":  "",
		"deep":   "<rss><channel><item>" + strings.Repeat("<a>", 1_000_000),
		"json":   `{"version":"https://jsonfeed.org/version/1","items":` + strings.Repeat("[", 1_000_000),
		"binary": "\x00\x01\x02",
		"many":   `<rss version="2.0"><channel>` + strings.Repeat("<item/>", maxElements+1) + `</channel></rss>`,
		"commas": `{"version":"https://jsonfeed.org/version/1","items":[{}` + strings.Repeat(",{}", 4*maxElements+1) + `]}`,
	} {
		if _, err := parse([]byte(text)); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: error %v", name, err)
		}
	}
	var many strings.Builder
	many.WriteString(`<rss version="2.0"><channel>`)
	for i := range 2 * maxEntries {
		fmt.Fprintf(&many, "<item><guid>%d</guid></item>", i)
	}
	many.WriteString(`</channel></rss>`)
	b := newBlog(t, many.String())
	var k sourcetest.Kept
	if k.Sync(t, open(t, Config{URL: b.URL + "/feed"})); len(k.States) != maxEntries {
		t.Errorf("%d entries, error %v", len(k.States), k.Err)
	}
	if k.Sync(t, open(t, Config{URL: b.URL + "/feed", MaxBytes: 1000})); fault.KindOf(k.Err) != fault.Invalid {
		t.Errorf("large: error %v", k.Err)
	}
}

func TestConfig(t *testing.T) {
	t.Parallel()
	for field, cfg := range map[string]Config{
		"url":       {URL: "feed.example.com"},
		"private":   {URL: "http://192.168.0.1/feed"},
		"max_bytes": {URL: "https://feed.example.com", MaxBytes: -1},
	} {
		if _, err := New(cfg); err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: %v", field, err)
		}
	}
	var _ source.Source = &Source{}
}

func FuzzFeed(f *testing.F) {
	f.Add([]byte(rss))
	f.Add([]byte(atom))
	f.Add([]byte(`{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"1","content_text":"x"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		parsed, err := parse(data)
		if err != nil {
			return
		}
		for _, e := range parsed.Items {
			if e != nil && len(keyOf(e)) > maxKey {
				t.Error("long key")
			}
			if e != nil {
				page(e)
				slug(e.Title)
			}
		}
		sameState(data, "")
	})
}
