package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

var script = strings.Repeat("console.log('docent');\n", 200)

// built is a page as a build leaves it.
var built = fstest.MapFS{
	"index.html.gz":          {Data: pack("<!doctype html><head><title>docent</title>")},
	"placeholder.html":       {Data: []byte("not built")},
	"theme.js":               {Data: []byte("0")},
	"widget.js":              {Data: []byte("1")},
	"assets/main-abc1.js.gz": {Data: pack(script)},
}

func pack(text string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, text) // a bytes.Buffer does not fail
	_ = w.Close()
	return b.Bytes()
}

func get(t *testing.T, h http.Handler, method, target string, header ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(method, target, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func body(t *testing.T, r *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestSiteAddresses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		method, target string
		status         int
		holds, cache   string
	}{
		{"GET", "/", 200, "<title>docent", cacheRecheck},
		{"GET", "/index.html", 200, "<title>docent", cacheRecheck},
		{"GET", "/anything", 404, "not found", ""},
		{"GET", "/documentsx", 404, "not found", ""},
		{"GET", "/../../etc/passwd", 404, "not found", ""},
		{"GET", "/documents", 302, "", ""},
		{"GET", "/theme.js", 200, "0", cacheRecheck},
		{"GET", "/assets/main-abc1.js", 200, "console.log", cacheForever},
		{"GET", "/assets/gone-9.js", 404, "not found", ""},
		{"GET", "/assets/gone", 404, "not found", ""},
		{"GET", "/robots.txt", 404, "not found", ""},
		{"GET", "/placeholder.html", 404, "not found", ""},
		{"POST", "/", 405, "not allowed", ""},
	} {
		res := get(t, newSite(built), tt.method, tt.target)
		if got := body(t, res); res.StatusCode != tt.status || !strings.Contains(got, tt.holds) {
			t.Errorf("%s %s: status %d body %q, want %d with %q", tt.method, tt.target, res.StatusCode, got, tt.status, tt.holds)
		}
		if got := res.Header.Get("Cache-Control"); got != tt.cache {
			t.Errorf("%s %s: Cache-Control %q, want %q", tt.method, tt.target, got, tt.cache)
		}
		if csp := res.Header.Get("Content-Security-Policy"); !strings.HasPrefix(csp, "default-src 'none'; script-src 'self';") || strings.Contains(csp, "unsafe") {
			t.Errorf("%s %s: policy %q", tt.method, tt.target, csp)
		}
	}
}

func TestAddressesWithoutHash(t *testing.T) {
	t.Parallel()
	for target, want := range map[string]string{
		"/documents":                "/#/documents",
		"/settings/":                "/#/settings",
		"/documents/7":              "/#/documents/7",
		"/c/a%20b%2F%22%0d%0aX:%20": "/#/c/a%20b/%22%0D%0AX:%20",
		"//documents":               "/#/documents",
		"/settings?next=/x":         "/#/settings",
	} {
		res := get(t, newSite(built), "GET", target)
		for _, base := range []string{"", "/docent"} { // as browsers see it, also behind a proxy
			page, err := url.Parse("http://docent.example" + base + target)
			if err != nil {
				t.Fatal(err)
			}
			to, err := page.Parse(res.Header.Get("Location"))
			if err != nil || res.StatusCode != http.StatusFound || to.String() != "http://docent.example"+base+want {
				t.Errorf("%s%s: %d to %v, %v, want %q", base, target, res.StatusCode, to, err, want)
			}
		}
	}
}

func TestSiteWithoutBuildSaysHow(t *testing.T) {
	t.Parallel()
	h := newSite(fstest.MapFS{"placeholder.html": {Data: []byte("run make web")}})
	if got := body(t, get(t, h, "GET", "/")); got != "run make web" {
		t.Errorf("body %q", got)
	}
}

func TestHandlerServesWhatIsEmbedded(t *testing.T) {
	t.Parallel()
	res := get(t, Handler(func(context.Context) string { return "/docent" }, func() Look { return Look{} }), "GET", "/")
	if got := body(t, res); res.StatusCode != http.StatusOK || !strings.Contains(got, "docent") {
		t.Errorf("status %d body %q", res.StatusCode, got)
	}
}

// TestPageBelowBasePath reads the page of a proxy that removes the base path, and so hides whether the address in the
// browser ends in a slash.
func TestPageBelowBasePath(t *testing.T) {
	t.Parallel()
	h := newSite(built)
	h.base = func(context.Context) string { return "/docent" }
	res := get(t, h, "GET", "/", "Accept-Encoding", "gzip")
	if got := body(t, res); !strings.Contains(got, `<head><base href="/docent/"><title>`) || res.Header.Get("Content-Length") != strconv.Itoa(len(got)) {
		t.Errorf("%q, header %v", got, res.Header)
	}
	if policy := res.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "base-uri 'self'") {
		t.Errorf("the browser ignores the base path: %s", policy)
	}
}

func TestSiteSendsWhatIsPacked(t *testing.T) {
	t.Parallel()
	h := newSite(built)
	res := get(t, h, "GET", "/assets/main-abc1.js", "Accept-Encoding", "br, gzip")
	packed := body(t, res)
	if res.Header.Get("Content-Encoding") != "gzip" || res.Header.Get("Vary") != "Accept-Encoding" || packed != string(built["assets/main-abc1.js.gz"].Data) {
		t.Fatalf("%d bytes, headers %v", len(packed), res.Header)
	}
	if got := res.Header.Get("Content-Length"); got != strconv.Itoa(len(packed)) {
		t.Errorf("Content-Length %s for %d bytes", got, len(packed))
	}
	if got := res.Header.Get("Content-Type"); got != "text/javascript; charset=utf-8" {
		t.Errorf("Content-Type %s", got)
	}
	plain := get(t, h, "GET", "/assets/main-abc1.js", "Accept-Encoding", "gzip;q=0")
	if plain.Header.Get("Content-Encoding") != "" || plain.Header.Get("Vary") != "Accept-Encoding" || plain.Header.Get("ETag") == res.Header.Get("ETag") {
		t.Errorf("headers %v", plain.Header)
	}
	if got := body(t, plain); got != script || plain.Header.Get("Content-Length") != strconv.Itoa(len(script)) {
		t.Errorf("unpacked %d bytes, Content-Length %s, want %d", len(got), plain.Header.Get("Content-Length"), len(script))
	}
	for _, encoding := range []string{"gzip", "identity"} {
		head := get(t, h, "HEAD", "/assets/main-abc1.js", "Accept-Encoding", encoding)
		full := get(t, h, "GET", "/assets/main-abc1.js", "Accept-Encoding", encoding)
		for _, name := range []string{"Content-Length", "ETag", "Content-Encoding"} {
			if got, want := head.Header.Get(name), full.Header.Get(name); got != want {
				t.Errorf("%s: HEAD says %s %q, GET %q", encoding, name, got, want)
			}
		}
		if got := body(t, head); got != "" {
			t.Errorf("%s: HEAD has a body of %d bytes", encoding, len(got))
		}
		again := get(t, h, "GET", "/assets/main-abc1.js", "Accept-Encoding", encoding, "If-None-Match", full.Header.Get("ETag"))
		if got := body(t, again); again.StatusCode != http.StatusNotModified || got != "" || again.Header.Get("Content-Encoding") != "" {
			t.Errorf("%s: status %d, %d bytes, headers %v", encoding, again.StatusCode, len(got), again.Header)
		}
	}
	if res := get(t, h, "GET", "/assets/main-abc1.js.gz", "Accept-Encoding", "gzip"); res.StatusCode != http.StatusNotFound {
		t.Errorf("the packed file has an address: %d", res.StatusCode)
	}
	if res := get(t, h, "GET", "/theme.js", "Accept-Encoding", "gzip"); res.Header.Get("Content-Encoding") != "" || res.Header.Get("Vary") != "" {
		t.Errorf("what is not packed: headers %v", res.Header)
	}
}

// TestSharedFiles: other sites may run only the widget and its imports.
func TestSharedFiles(t *testing.T) {
	t.Parallel()
	for name, shared := range map[string]bool{"/widget.js": true, "/assets/main-abc1.js": true, "/": false, "/theme.js": false, "/c/1": false, "/assets/gone.js": false} {
		res := get(t, newSite(built), "GET", name, "Origin", "https://site.example")
		wantOrigin, wantPolicy := "", "same-origin"
		if shared {
			wantOrigin, wantPolicy = "*", "cross-origin"
		}
		if got := res.Header.Get("Access-Control-Allow-Origin"); got != wantOrigin {
			t.Errorf("%s: Access-Control-Allow-Origin %q, want %q", name, got, wantOrigin)
		}
		if got := res.Header.Get("Cross-Origin-Resource-Policy"); got != wantPolicy {
			t.Errorf("%s: Cross-Origin-Resource-Policy %q, want %q", name, got, wantPolicy)
		}
	}
	res := get(t, newSite(built), "GET", "/widget.js")
	if res.Header.Get("Cache-Control") != cacheRecheck || res.Header.Get("ETag") == "" {
		t.Errorf("the widget's headers are %v", res.Header)
	}
}

func TestPolicyNamesOnlyPlainHosts(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]string{
		"127.0.0.1:8765":  "connect-src 'self' ws://127.0.0.1:8765 wss://127.0.0.1:8765;",
		"[::1]:8765":      "connect-src 'self' ws://[::1]:8765 wss://[::1]:8765;",
		"a b; script-src": "connect-src 'self';",
		"":                "connect-src 'self';",
	} {
		h := http.Header{}
		secure(h, host)
		if csp := h.Get("Content-Security-Policy"); !strings.Contains(csp, want) {
			t.Errorf("host %q: %q", host, csp)
		}
	}
}
