package web

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"docent/ingest/source"
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

// synced is what a sync would keep of a source.
type synced struct {
	states  map[string][]byte
	bodies  map[string]string
	changed []string
	failed  map[string]error
	err     error
}

// sync lists and opens as the engine does. A complete listing removes items that
// are gone.
func (k *synced) sync(t *testing.T, src *Source) {
	t.Helper()
	if k.states == nil {
		k.states, k.bodies = map[string][]byte{}, map[string]string{}
	}
	k.changed, k.failed, k.err = nil, map[string]error{}, nil
	before := maps.Clone(k.states)
	seen := map[string]bool{}
	for item, err := range src.List(t.Context(), func(key string) ([]byte, bool) { st, ok := before[key]; return st, ok }) {
		if err != nil {
			k.err = err
			return
		}
		if seen[item.Key] {
			t.Errorf("%s is listed twice", item.Key)
		}
		seen[item.Key] = true
		if item.Err != nil {
			k.failed[item.Key] = item.Err
			continue
		}
		if !item.Unchanged {
			body, err := read(t, src, item)
			if err != nil {
				k.failed[item.Key] = err
				continue
			}
			k.bodies[item.Key] = body
			k.changed = append(k.changed, item.Key)
		}
		k.states[item.Key] = item.State
	}
	for key := range k.states {
		if !seen[key] {
			delete(k.states, key)
			delete(k.bodies, key)
		}
	}
}

func read(t *testing.T, src *Source, item source.Item) (string, error) {
	t.Helper()
	r, err := src.Open(t.Context(), item)
	if err != nil {
		return "", err
	}
	defer r.Close()
	body, err := io.ReadAll(r)
	return string(body), err
}

// keys are the kept items without the site's address.
func (k *synced) keys(s *site) []string {
	var out []string
	for key := range k.states {
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

func want(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
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
	var k synced
	k.sync(t, src)
	all := []string{"/docs/", "/docs/behind", "/docs/deep/three", "/docs/new", "/docs/one", "/docs/paper.pdf", "/docs/two.html"}
	want(t, "items", k.keys(s), all)
	if k.err != nil || len(k.failed) != 0 {
		t.Errorf("error %v, failed %v", k.err, k.failed)
	}
	for at, n := range s.requests {
		if n > 1 {
			t.Errorf("%s was requested %d times", at, n)
		}
	}
	for _, at := range []string{"/outside", "/docs/two.html?utm_source=x&fbclid=3"} {
		if s.requests[at] != 0 {
			t.Errorf("%s was requested", at)
		}
	}

	// Nothing changed: links come from the state, nothing is read.
	k.sync(t, src)
	want(t, "items again", k.keys(s), all)
	want(t, "changed", k.changed, nil)

	// One page changed, one is gone.
	s.pages["/docs/one"] += " changed"
	delete(s.pages, "/docs/two.html")
	k.sync(t, src)
	want(t, "changed", k.changed, []string{s.URL + "/docs/one"})
	want(t, "items", k.keys(s), slices.DeleteFunc(slices.Clone(all), func(s string) bool { return s == "/docs/two.html" }))

	// The start page is gone: that is an error and removes nothing.
	delete(s.pages, "/docs/")
	k.sync(t, src)
	if k.err == nil || len(k.states) != len(all)-1 {
		t.Errorf("without a start page: error %v, %d items", k.err, len(k.states))
	}
}

func TestFailedPagesStay(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"/": `<a href=a>`, "/a": `<a href=b>`, "/b": `b`})
	src := open(t, Config{URL: s.URL, Mode: ModeCrawl})
	var k synced
	k.sync(t, src)
	s.status["/a"] = http.StatusInternalServerError
	k.sync(t, src)
	want(t, "items", k.keys(s), []string{"/", "/a", "/b"})
	if k.err != nil || len(k.failed) != 1 {
		t.Errorf("error %v, failed %v", k.err, k.failed)
	}
	s.status["/a"], s.moved["/a"] = 0, "https://login.invalid/"
	k.sync(t, src)
	want(t, "items", k.keys(s), []string{"/", "/a", "/b"})
}

func TestLimits(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{})
	for i := range 50 {
		s.pages[fmt.Sprintf("/p%d", i)] = fmt.Sprintf(`<a href="/p%d">next</a>`, i+1)
	}
	var k synced
	k.sync(t, open(t, Config{URL: s.URL + "/p0", Prefixes: []string{"/"}, Mode: ModeCrawl, Depth: 3}))
	want(t, "depth 3", k.keys(s), []string{"/p0", "/p1", "/p2", "/p3"})
	k = synced{}
	k.sync(t, open(t, Config{URL: s.URL + "/p0", Prefixes: []string{"/"}, Mode: ModeCrawl, Depth: 100, MaxPages: 5}))
	want(t, "5 pages", k.keys(s), []string{"/p0", "/p1", "/p2", "/p3", "/p4"})
	k = synced{}
	k.sync(t, open(t, Config{URL: s.URL + "/p0", Prefixes: []string{"/"}, Exclude: []string{"/p2"}, Mode: ModeCrawl}))
	want(t, "excluded", k.keys(s), []string{"/p0", "/p1"})
}

func TestPage(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"/page": `<link rel=canonical href="/other"><a href="/page/2">`, "/page/2": "two"})
	src := open(t, Config{URL: s.URL + "/page#top"})
	var k synced
	k.sync(t, src)
	want(t, "items", k.keys(s), []string{"/page"})
	s.status["/page"] = http.StatusServiceUnavailable
	k.sync(t, src)
	want(t, "items of a broken server", k.keys(s), []string{"/page"})
	s.status["/page"] = http.StatusGone
	k.sync(t, src)
	want(t, "items when gone", k.keys(s), nil)
	if k.err != nil {
		t.Error(k.err)
	}
}

func TestFirstRedirect(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"/docs/v2/": `<a href=x>`, "/docs/v2/x": "x"})
	s.moved["/latest"], s.moved["/away"] = "/docs/v2/", "http://other.invalid/"
	s.moved["/loop1"], s.moved["/loop2"] = "/loop2", "/loop1"
	var k synced
	k.sync(t, open(t, Config{URL: s.URL + "/latest", Mode: ModeCrawl}))
	want(t, "items", k.keys(s), []string{"/docs/v2/", "/docs/v2/x"})
	for _, at := range []string{"/away", "/loop1"} {
		k = synced{}
		k.sync(t, open(t, Config{URL: s.URL + at, Mode: ModeCrawl}))
		if k.err == nil {
			t.Errorf("%s: items %v", at, k.keys(s))
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
	var k synced
	k.sync(t, open(t, Config{URL: s.URL, Mode: ModeCrawl}))
	want(t, "items", k.keys(s), []string{"/", "/open"})
	k.sync(t, open(t, Config{URL: s.URL, Mode: ModeCrawl, IgnoreRobots: true}))
	want(t, "items without robots.txt", k.keys(s), []string{"/", "/open", "/private/x"})
	s.pages["/robots.txt"] = "User-agent: docent\nDisallow: /\n"
	k.sync(t, open(t, Config{URL: s.URL, Mode: ModeCrawl}))
	if k.err == nil {
		t.Error("a forbidden start page is no error")
	}
	s.status["/robots.txt"] = http.StatusServiceUnavailable
	k.sync(t, open(t, Config{URL: s.URL, Mode: ModeCrawl}))
	if k.err == nil || len(k.states) != 3 {
		t.Errorf("unreadable robots.txt: error %v, %d items", k.err, len(k.states))
	}
}

func TestCharsetOfTheHeader(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"/": "<meta charset=utf-8>\xcf\xf0\xe8\xe2\xe5\xf2", "/utf": "<meta charset=latin1>Grüße"})
	s.types["/"], s.types["/utf"] = "text/html; charset=windows-1251", "text/html; charset=UTF-8"
	for at, body := range map[string]string{"/": mark + "<meta charset=utf-8>Привет", "/utf": mark + "<meta charset=latin1>Grüße"} {
		src := open(t, Config{URL: s.URL + at})
		var k synced
		k.sync(t, src)
		if got := k.bodies[s.URL+at]; got != body {
			t.Errorf("%s: %q", at, got)
		}
	}
	src := open(t, Config{URL: s.URL})
	again, err := read(t, src, source.Item{Key: s.URL + "/"}) // not from memory
	if err != nil || again != mark+"<meta charset=utf-8>Привет" {
		t.Errorf("read again: %q, %v", again, err)
	}
}
