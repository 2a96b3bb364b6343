package web

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"docent/ingest/source/sourcetest"
	"docent/internal/fault"
)

func TestSitemap(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{
		"/a": `<a href=/unlisted>`, "/b": "b", "/c": "c", "/unlisted": "u",
		"/sitemap.xml": `<?xml version="1.0" encoding="UTF-8"?><sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
			<sitemap><loc>BASE/one.xml</loc></sitemap><sitemap><loc> <![CDATA[BASE/two.gz]]> </loc></sitemap>
			<sitemap><loc>BASE/lines.txt</loc></sitemap><sitemap><loc>http://other.invalid/x.xml</loc></sitemap></sitemapindex>`,
		"/one.xml":   `<urlset><url><loc>BASE/a?utm_source=s</loc><image:image><image:loc>BASE/pic</image:loc></image:image></url></urlset>`,
		"/lines.txt": "BASE/c\n\nBASE/a\n",
	})
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	fmt.Fprintf(z, `<urlset><url><loc>%s/b</loc></url></urlset>`, s.URL)
	z.Close()
	s.pages["/two.gz"], s.types["/two.gz"], s.types["/lines.txt"] = packed.String(), "application/gzip", "text/plain"
	src := open(t, Config{URL: s.URL + "/sitemap.xml"})
	var k sourcetest.Kept
	k.Sync(t, src)
	if k.Err != nil {
		t.Fatal(k.Err)
	}
	sourcetest.Equal(t, "items", keys(k, s), []string{"/a", "/b", "/c"})
	s.status["/one.xml"] = http.StatusInternalServerError
	k.Sync(t, src)
	if k.Err == nil || len(k.States) != 3 {
		t.Errorf("a broken part: error %v, items %v", k.Err, keys(k, s))
	}
}

func TestHostileSitemaps(t *testing.T) {
	t.Parallel()
	base := &url.URL{Scheme: "http", Host: "example.com", Path: "/sitemap.xml"}
	bomb := func(head, unit string) io.Reader {
		r, w := io.Pipe()
		go func() {
			z, _ := gzip.NewWriterLevel(w, gzip.BestSpeed)
			_, err := io.WriteString(z, head)
			block := strings.Repeat(unit, 1<<20/len(unit))
			for n := 0; n < 1<<10 && err == nil; n++ { // 1 GB
				_, err = io.WriteString(z, block)
			}
			z.Close()
			w.Close()
		}()
		t.Cleanup(func() { r.Close() })
		return r
	}
	for name, r := range map[string]io.Reader{
		"spaces":   bomb("<urlset>", " "),
		"elements": bomb("<urlset>", "<a>"),
		"text":     bomb("<urlset><url><loc>", "x"),
		"lines":    bomb("http://example.com/", "x"),
		"blank":    bomb("http://example.com/\n", "\n"),
		"html":     strings.NewReader("<!doctype html><p>Not found"),
		"empty":    strings.NewReader("<urlset"),
		"binary":   strings.NewReader("\x1f\x8bnot gzip"),
		"prose":    strings.NewReader("hello"),
	} {
		if _, err := parseSitemap(r, base, 1000, 2<<20); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: error %v", name, err)
		}
	}
	sm, err := parseSitemap(bomb("<urlset>", "<url><loc>http://example.com/x</loc></url>"), base, 1000, 2<<20)
	if err != nil || len(sm.pages) != 1000 {
		t.Errorf("endless: %d pages, error %v", len(sm.pages), err)
	}
}

func TestHostileServers(t *testing.T) {
	t.Parallel()
	var links strings.Builder
	for i := range 1_000_000 {
		fmt.Fprintf(&links, "<a href=%x>", i)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/robots.txt":
			http.NotFound(w, r)
		case "/endless":
			w.Header().Set("Content-Type", r.URL.RawQuery)
			block := make([]byte, 64<<10)
			for r.Context().Err() == nil {
				if _, err := w.Write(block); err != nil {
					return
				}
			}
		case "/slow":
			_, _ = w.Write([]byte("<p>"))
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		case "/trap":
			http.Redirect(w, r, "/trap?"+r.URL.RawQuery+"x", http.StatusFound)
		case "/links":
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, links.String())
		case "/header":
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("ETag", strings.Repeat("x", 100_000))
		default:
			fmt.Fprintf(w, `<a href="%s/more/">deeper</a><a href="/%d">other</a>`, r.URL.Path, rand.N(1<<60)) //nolint:gosec // a trap
		}
	}))
	t.Cleanup(server.Close)
	for _, at := range []string{"/endless?text/html", "/endless?application/pdf", "/slow", "/trap"} {
		var k sourcetest.Kept
		k.Sync(t, open(t, Config{URL: server.URL + at, TimeoutSeconds: 1, MaxBytes: 20 << 20}))
		if len(k.Failed) == 0 && k.Err == nil || len(k.States) > 0 {
			t.Errorf("%s: error %v, %d items", at, k.Err, len(k.States))
		}
	}
	for _, at := range []string{"/links", "/header", "/maze/"} {
		var k sourcetest.Kept
		k.Sync(t, open(t, Config{URL: server.URL + at, Prefixes: []string{"/"}, Mode: ModeCrawl, MaxPages: 200, Depth: 1000}))
		if k.Err != nil && fault.TextOf(k.Err).ID != "web_too_many_pages" || len(k.States) > 200 {
			t.Errorf("%s: error %v, %d items", at, k.Err, len(k.States))
		}
		for key, st := range k.States {
			if len(st) > 1<<20 {
				t.Errorf("%s has a state of %d bytes", key, len(st))
			}
		}
	}
}

func TestServerThatFailsHalfTheTime(t *testing.T) {
	t.Parallel()
	pages := map[string]string{"/": ""}
	for i := range 40 {
		pages["/"] += fmt.Sprintf("<a href=/%d>", i)
		pages[fmt.Sprintf("/%d", i)] = fmt.Sprintf("<a href=/%d/below>", i)
		pages[fmt.Sprintf("/%d/below", i)] = "below"
	}
	s := newSite(t, pages)
	s.Config.Handler = sourcetest.Flaky(7, s)
	src := open(t, Config{URL: s.URL, Mode: ModeCrawl})
	var k sourcetest.Kept
	most := 0
	for range 15 {
		k.Sync(t, src)
		if len(k.States) < most {
			t.Fatalf("items went from %d to %d: error %v", most, len(k.States), k.Err)
		}
		most = len(k.States)
	}
	if most != len(pages) {
		t.Errorf("%d of %d pages after 15 syncs", most, len(pages))
	}
}

// largeSite has an index page, list pages with 50 links, and n pages.
func largeSite(n int) map[string]string {
	pages := map[string]string{"/": ""}
	for i := range n {
		var body strings.Builder
		body.WriteString(strings.Repeat("text ", 1000))
		if i%50 == 0 {
			pages["/"] += fmt.Sprintf("<a href=/%d>", i)
			for j := range 50 {
				fmt.Fprintf(&body, "<a href=/%d>", i+j)
			}
		}
		pages[fmt.Sprintf("/%d", i)] = body.String()
	}
	return pages
}

func TestUnchangedPagesCostOneRequest(t *testing.T) {
	t.Parallel()
	s := newSite(t, largeSite(500))
	src := open(t, Config{URL: s.URL, Mode: ModeCrawl})
	var k sourcetest.Kept
	k.Sync(t, src)
	if len(k.States) != 501 || k.Err != nil {
		t.Fatalf("%d pages, error %v, failed %v", len(k.States), k.Err, k.Failed)
	}
	s.reset()
	k.Sync(t, src)
	if len(k.Changed) > 0 || len(k.States) != 501 || s.total() != 502 { // and robots.txt
		t.Errorf("%d changed, %d items, %d requests", len(k.Changed), len(k.States), s.total())
	}
}

func BenchmarkUnchangedSite(b *testing.B) {
	s := &site{
		pages: largeSite(2000), types: map[string]string{}, moved: map[string]string{},
		status: map[string]int{}, requests: map[string]int{},
	}
	s.Server = httptest.NewServer(s)
	defer s.Close()
	src, err := New(Config{URL: s.URL, Mode: ModeCrawl, AllowPrivate: true})
	if err != nil {
		b.Fatal(err)
	}
	defer src.Close()
	states := map[string][]byte{}
	list := func() (changed int) {
		before := maps.Clone(states)
		known := func(key string) ([]byte, bool) { st, ok := before[key]; return st, ok }
		for item, err := range src.List(b.Context(), known) {
			if err != nil {
				b.Fatal(err)
			}
			if !item.Unchanged {
				changed++
			}
			states[item.Key] = item.State
		}
		return changed
	}
	list()
	for b.Loop() {
		if n := list(); n != 0 || len(states) != 2001 {
			b.Fatalf("%d pages of %d changed", n, len(states))
		}
	}
}

func FuzzSitemap(f *testing.F) {
	f.Add([]byte(`<urlset><url><loc>http://example.com/a</loc></url></urlset>`))
	f.Add([]byte(`<sitemapindex><sitemap><loc>/b.xml</loc></sitemap></sitemapindex>`))
	f.Add([]byte("http://example.com/\n"))
	f.Add([]byte("\x1f\x8b\x08"))
	base := &url.URL{Scheme: "http", Host: "example.com", Path: "/sitemap.xml"}
	f.Fuzz(func(t *testing.T, data []byte) {
		sm, _ := parseSitemap(bytes.NewReader(data), base, 10, 1<<20)
		if len(sm.pages) > 11 {
			t.Errorf("%d pages", len(sm.pages))
		}
	})
}

func FuzzRobots(f *testing.F) {
	f.Add([]byte("User-agent: *\nDisallow: /*x$\nCrawl-delay: 1e99\nAllow: /"), "/x")
	f.Fuzz(func(_ *testing.T, data []byte, path string) {
		if g := parseRobots(data); g != nil {
			g.Test(path)
		}
	})
}

func FuzzState(f *testing.F) {
	f.Add([]byte(`{"e":"\"x\"","m":"Mon","h":"00","l":["/a","http://b/"]}`))
	page := &url.URL{Scheme: "http", Host: "example.com", Path: "/"}
	f.Fuzz(func(t *testing.T, data []byte) {
		st, ok := decodeState(data)
		if !ok {
			return
		}
		links := lengthen(page, st.Links)
		st.Links = shorten(page, links)
		again, ok := decodeState(st.encode())
		if !ok || len(lengthen(page, again.Links)) != len(links) {
			t.Errorf("%q is not kept", links)
		}
	})
}

func FuzzLinks(f *testing.F) {
	f.Add("<base href=/x/><a href='../y?utm_source=1&b=%7e#z'>", "http://Example.com:80/a/./b")
	f.Fuzz(func(t *testing.T, body, address string) {
		u, err := url.Parse(address)
		if err != nil {
			return
		}
		out := readLinks(u, []byte(body), func(string) bool { return true })
		for _, key := range out.links {
			v, err := url.Parse(key)
			if err != nil {
				t.Fatalf("%q is no address: %v", key, err)
			}
			if again, ok := canonical(v); !ok || again != key {
				t.Errorf("canonical(%q) = %q", key, again)
			}
		}
	})
}
