package web

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"docent/ingest/source"
	"docent/ingest/source/sourcetest"
	"docent/internal/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// site is a web server with pages in memory. It counts requests.
type site struct {
	*httptest.Server
	mu       sync.Mutex
	pages    map[string]string // path with query → body
	types    map[string]string // path → Content-Type
	moved    map[string]string // path → Location
	status   map[string]int    // path → status
	requests map[string]int
}

func newSite(t *testing.T, pages map[string]string) *site {
	t.Helper()
	s := &site{pages: pages, types: map[string]string{}, moved: map[string]string{}, status: map[string]int{}, requests: map[string]int{}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := r.URL.RequestURI()
	s.requests[at]++
	if code := s.status[at]; code != 0 {
		w.WriteHeader(code)
		return
	}
	if to := s.moved[at]; to != "" {
		http.Redirect(w, r, to, http.StatusMovedPermanently)
		return
	}
	body, ok := s.pages[at]
	if !ok {
		http.NotFound(w, r)
		return
	}
	kind := s.types[at]
	if kind == "" {
		kind = "text/html"
	}
	w.Header().Set("Content-Type", kind)
	tag := fmt.Sprintf("%q", fmt.Sprint(len(body), strings.Count(body, "a"), strings.Count(body, "e")))
	w.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	_, _ = io.WriteString(w, strings.ReplaceAll(body, "BASE", s.URL))
}

func (s *site) total() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, c := range s.requests {
		n += c
	}
	return n
}

func (s *site) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.requests)
}

// keys returns the keys of the kept items without the site's address.
func keys(k sourcetest.Kept, s *site) []string {
	var out []string
	for key := range k.States {
		out = append(out, strings.TrimPrefix(key, s.URL))
	}
	slices.Sort(out)
	return out
}

func open(t *testing.T, cfg Config) *Source {
	t.Helper()
	cfg.AllowPrivate = true
	if cfg.RetryMillis == 0 {
		cfg.RetryMillis = 1
	}
	src, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	return src
}

func TestCrawl(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{
		"/docs/": `<a href=one>1</a> <a href="two.html#part">2</a> <a href="two.html?utm_source=x&fbclid=3">2</a>
			<a href="/outside">o</a> <a href="http://other.invalid/docs/x">x</a> <a href=pic.png>p</a> <a href="mailto:a@b">m</a>
			<a href="alias">a</a> <a href="old">m</a> <a href="dup?print=1">d</a> <a href=hidden>h</a> <a href=gone>g</a> <a href=paper.pdf>p</a>`,
		"/docs/one":         `<a href="/docs/deep/three">3</a>`,
		"/docs/two.html":    `<a href="./../docs/%6fne">again</a>`,
		"/docs/deep/three":  `three`,
		"/docs/pic.png":     "picture",
		"/docs/dup?print=1": `<link rel=canonical href="/docs/one">`,
		"/docs/hidden":      `<meta name=robots content="noindex"><a href="behind">b</a>`,
		"/docs/behind":      `behind`,
		"/docs/paper.pdf":   "%PDF-",
		"/docs/new":         "new",
		"/outside":          "outside",
	})
	s.types["/docs/pic.png"], s.types["/docs/paper.pdf"] = "image/png", "application/pdf"
	s.moved["/docs/old"], s.moved["/docs/alias"] = "/docs/new", "http://other.invalid/"
	src := open(t, Config{URL: s.URL + "/docs/", Mode: ModeCrawl})
	var k sourcetest.Kept
	k.Sync(t, src)
	all := []string{"/docs/", "/docs/behind", "/docs/deep/three", "/docs/new", "/docs/one", "/docs/paper.pdf", "/docs/two.html"}
	sourcetest.Equal(t, "items", keys(k, s), all)
	if k.Err != nil || len(k.Failed) != 0 {
		t.Errorf("error %v, failed %v", k.Err, k.Failed)
	}
	for at, n := range s.requests {
		if n > 1 {
			t.Errorf("%s was requested %d times", at, n)
		}
	}
	for _, at := range []string{"/outside", "/docs/pic.png", "/docs/two.html?utm_source=x&fbclid=3"} {
		if s.requests[at] != 0 {
			t.Errorf("%s was requested", at)
		}
	}

	// Nothing changed: the links come from the state, and no document is read.
	k.Sync(t, src)
	sourcetest.Equal(t, "items again", keys(k, s), all)
	sourcetest.Equal(t, "changed", k.Changed, nil)

	// One page changed, and one no longer exists.
	s.pages["/docs/one"] += " changed"
	delete(s.pages, "/docs/two.html")
	k.Sync(t, src)
	sourcetest.Equal(t, "changed", k.Changed, []string{s.URL + "/docs/one"})
	sourcetest.Equal(t, "items", keys(k, s), slices.DeleteFunc(slices.Clone(all), func(s string) bool { return s == "/docs/two.html" }))

	// The start page no longer exists. That is an error and removes nothing.
	delete(s.pages, "/docs/")
	k.Sync(t, src)
	if k.Err == nil || len(k.States) != len(all)-1 {
		t.Errorf("without a start page: error %v, %d items", k.Err, len(k.States))
	}
}

func TestFailedPagesStay(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"/": `<a href=a>`, "/a": `<a href=b>`, "/b": `b`})
	src := open(t, Config{URL: s.URL, Mode: ModeCrawl})
	var k sourcetest.Kept
	k.Sync(t, src)
	s.status["/a"] = http.StatusInternalServerError
	k.Sync(t, src)
	sourcetest.Equal(t, "items", keys(k, s), []string{"/", "/a", "/b"})
	if k.Err != nil || len(k.Failed) != 1 {
		t.Errorf("error %v, failed %v", k.Err, k.Failed)
	}
	s.status["/a"], s.moved["/a"] = 0, "https://login.invalid/"
	k.Sync(t, src)
	sourcetest.Equal(t, "items", keys(k, s), []string{"/", "/a", "/b"})
}

func TestLimits(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{})
	for i := range 50 {
		s.pages[fmt.Sprintf("/p%d", i)] = fmt.Sprintf(`<a href="/p%d">next</a>`, i+1)
	}
	var k sourcetest.Kept
	k.Sync(t, open(t, Config{URL: s.URL + "/p0", Prefixes: []string{"/"}, Mode: ModeCrawl, Depth: 3}))
	sourcetest.Equal(t, "depth 3", keys(k, s), []string{"/p0", "/p1", "/p2", "/p3"})
	k = sourcetest.Kept{}
	k.Sync(t, open(t, Config{URL: s.URL + "/p0", Prefixes: []string{"/"}, Mode: ModeCrawl, Depth: 100, MaxPages: 5}))
	sourcetest.Equal(t, "5 pages", keys(k, s), []string{"/p0", "/p1", "/p2", "/p3", "/p4"})
	if fault.TextOf(k.Err).ID != "web_too_many_pages" {
		t.Errorf("a crawl that was cut ends with %v", k.Err)
	}
	s.pages["/sitemap.xml"] = `<urlset><url><loc>BASE/p1</loc></url><url><loc>BASE/p2</loc></url></urlset>`
	for limit, want := range map[int]string{1: "web_too_many_pages", 2: ""} {
		k = sourcetest.Kept{}
		k.Sync(t, open(t, Config{URL: s.URL + "/sitemap.xml", MaxPages: limit}))
		if (k.Err == nil) != (want == "") || want != "" && fault.TextOf(k.Err).ID != want || len(k.States) != limit {
			t.Errorf("a sitemap of 2 pages with the limit %d: %v, %v", limit, keys(k, s), k.Err)
		}
	}
	k = sourcetest.Kept{}
	k.Sync(t, open(t, Config{URL: s.URL + "/p0", Prefixes: []string{"/"}, Exclude: []string{"/p2"}, Mode: ModeCrawl}))
	sourcetest.Equal(t, "excluded", keys(k, s), []string{"/p0", "/p1"})
}

func TestPage(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"/page": `<link rel=canonical href="/other"><a href="/page/2">`, "/page/2": "two"})
	src := open(t, Config{URL: s.URL + "/page#top"})
	var k sourcetest.Kept
	k.Sync(t, src)
	sourcetest.Equal(t, "items", keys(k, s), []string{"/page"})
	s.status["/page"] = http.StatusServiceUnavailable
	k.Sync(t, src)
	sourcetest.Equal(t, "items of a broken server", keys(k, s), []string{"/page"})
	s.status["/page"] = http.StatusGone
	k.Sync(t, src)
	sourcetest.Equal(t, "items when gone", keys(k, s), nil)
	if k.Err != nil {
		t.Error(k.Err)
	}
}

func TestFirstRedirect(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"/docs/v2/": `<a href=x>`, "/docs/v2/x": "x"})
	s.moved["/latest"], s.moved["/away"] = "/docs/v2/", "http://other.invalid/"
	s.moved["/loop1"], s.moved["/loop2"] = "/loop2", "/loop1"
	var k sourcetest.Kept
	k.Sync(t, open(t, Config{URL: s.URL + "/latest", Mode: ModeCrawl}))
	sourcetest.Equal(t, "items", keys(k, s), []string{"/docs/v2/", "/docs/v2/x"})
	for _, at := range []string{"/away", "/loop1"} {
		k = sourcetest.Kept{}
		k.Sync(t, open(t, Config{URL: s.URL + at, Mode: ModeCrawl}))
		if k.Err == nil {
			t.Errorf("%s: items %v", at, keys(k, s))
		}
	}
}

func TestRobots(t *testing.T) {
	t.Parallel()
	pages := map[string]string{
		"/":           `<a href=private/x> <a href=open>`,
		"/open":       "open",
		"/private/x":  "x",
		"/robots.txt": "User-agent: *\nDisallow: /private/\n",
	}
	s := newSite(t, pages)
	var k sourcetest.Kept
	k.Sync(t, open(t, Config{URL: s.URL, Mode: ModeCrawl}))
	sourcetest.Equal(t, "items", keys(k, s), []string{"/", "/open"})
	k.Sync(t, open(t, Config{URL: s.URL, Mode: ModeCrawl, IgnoreRobots: true}))
	sourcetest.Equal(t, "items without robots.txt", keys(k, s), []string{"/", "/open", "/private/x"})
	s.pages["/robots.txt"] = "User-agent: docent\nDisallow: /\n"
	k.Sync(t, open(t, Config{URL: s.URL, Mode: ModeCrawl}))
	if k.Err == nil {
		t.Error("a forbidden start page is no error")
	}
	s.status["/robots.txt"] = http.StatusServiceUnavailable
	k.Sync(t, open(t, Config{URL: s.URL, Mode: ModeCrawl}))
	if k.Err == nil || len(k.States) != 3 {
		t.Errorf("unreadable robots.txt: error %v, %d items", k.Err, len(k.States))
	}
}

func TestCharsetOfTheHeader(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"/": "<meta charset=utf-8>\xcf\xf0\xe8\xe2\xe5\xf2", "/utf": "<meta charset=latin1>Grüße"})
	s.types["/"], s.types["/utf"] = "text/html; charset=windows-1251", "text/html; charset=UTF-8"
	for at, body := range map[string]string{"/": mark + "<meta charset=utf-8>Привет", "/utf": mark + "<meta charset=latin1>Grüße"} {
		src := open(t, Config{URL: s.URL + at})
		var k sourcetest.Kept
		k.Sync(t, src)
		if got := k.Bodies[s.URL+at]; got != body {
			t.Errorf("%s: %q", at, got)
		}
	}
	src := open(t, Config{URL: s.URL})
	again, err := sourcetest.Read(t.Context(), src, source.Item{Key: s.URL + "/"}) // not from memory
	if err != nil || again != mark+"<meta charset=utf-8>Привет" {
		t.Errorf("read again: %q, %v", again, err)
	}
}
