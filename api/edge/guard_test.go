package edge

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"docent/api/route"
)

func TestGuard(t *testing.T) {
	t.Parallel()
	loopback := GuardConfig{Addr: "127.0.0.1:8765", Loopback: true}
	public := GuardConfig{Addr: "0.0.0.0:8765", Hosts: []string{"Docs.example.com", "named:9000"}, Origins: []string{"https://App.example.com/", "null"}}
	open := GuardConfig{Addr: "127.0.0.1:8765", Loopback: true, Open: true}
	listing := GuardConfig{Addr: "127.0.0.1:8765", Loopback: true, Open: true, Origins: []string{"http://127.0.0.1:9420", "https://App.example.com"}}
	openToAll := GuardConfig{Addr: "0.0.0.0:8765", Open: true}
	for _, c := range []struct {
		name         string
		cfg          GuardConfig
		method, host string
		header       []string
		want         int
	}{
		{"own address", loopback, "GET", "127.0.0.1:8765", nil, 200},
		{"localhost", loopback, "GET", "localhost:8765", nil, 200},
		{"below localhost", loopback, "GET", "docent.localhost:8765", nil, 200},
		{"IPv6", loopback, "GET", "[::1]:8765", nil, 200},
		{"IPv6 without port", loopback, "GET", "[::1]", nil, 200},
		{"rebound name", loopback, "GET", "evil.example:8765", nil, 403},
		{"rebound name, trailing dot", loopback, "GET", "evil.example.:8765", nil, 403},
		{"name like localhost", loopback, "GET", "localhost.evil.example", nil, 403},
		{"name that begins like an address", loopback, "GET", "127.0.0.1.evil.example", nil, 403},
		{"loopback page reads while open", open, "GET", "localhost:8765", []string{"Origin", "http://localhost:3000", "Cookie", "docent_session=x"}, 200},
		{"loopback page changes while open", open, "DELETE", "localhost:8765", []string{"Origin", "http://127.0.0.1:3000", "Cookie", "docent_session=x"}, 200},
		{"its preflight", open, "OPTIONS", "localhost:8765", []string{"Origin", "http://localhost:3000", "Access-Control-Request-Method", "DELETE"}, 204},
		{"its preflight while not open", loopback, "OPTIONS", "localhost:8765", []string{"Origin", "http://localhost:3000", "Access-Control-Request-Method", "DELETE"}, 200},
		{"loopback page reads while not open", loopback, "GET", "localhost:8765", []string{"Origin", "http://localhost:3000"}, 200},
		{"loopback page changes with a cookie while not open", loopback, "DELETE", "localhost:8765", []string{"Origin", "http://localhost:3000", "Cookie", "docent_session=x"}, 403},
		{"loopback page reads while public", openToAll, "GET", "192.168.1.7:8765", []string{"Origin", "http://localhost:3000"}, 200},
		{"foreign page reads while open", open, "GET", "localhost:8765", []string{"Origin", "https://evil.example"}, 200},
		{"page below localhost reads while open", open, "GET", "localhost:8765", []string{"Origin", "http://evil.localhost:3000"}, 200},
		{"loopback page by a rebound name", open, "GET", "evil.example", []string{"Origin", "http://localhost:3000"}, 403},
		{"loopback page where others are listed", listing, "POST", "127.0.0.1:8765", []string{"Origin", "http://127.0.0.1:29421"}, 403},
		{"its WebSocket", listing, "GET", "127.0.0.1:8765", []string{"Origin", "http://127.0.0.1:29421", "Upgrade", "websocket"}, 403},
		{"it reads", listing, "GET", "127.0.0.1:8765", []string{"Origin", "http://localhost:3000"}, 200},
		{"its preflight where others are listed", listing, "OPTIONS", "127.0.0.1:8765", []string{"Origin", "http://localhost:3000", "Access-Control-Request-Method", "POST"}, 200},
		{"listed loopback page", listing, "POST", "127.0.0.1:8765", []string{"Origin", "http://127.0.0.1:9420"}, 200},
		{"its WebSocket where it is listed", listing, "GET", "localhost:8765", []string{"Origin", "http://127.0.0.1:9420", "Upgrade", "websocket"}, 200},
		{"own page where others are listed", listing, "POST", "localhost:8765", []string{"Origin", "http://localhost:8765"}, 200},
		{"listed page while only this machine connects", listing, "POST", "localhost:8765", []string{"Origin", "https://app.example.com"}, 200},
		{"listed name", public, "GET", "docs.example.com", nil, 200},
		{"listed name, any port", public, "GET", "DOCS.example.com.:8443", nil, 200},
		{"listed with its port", public, "GET", "named:9000", nil, 200},
		{"listed with another port", public, "GET", "named:9001", nil, 403},
		{"address while public", public, "GET", "192.168.1.7:8765", nil, 200},

		{"curl", loopback, "POST", "localhost:8765", nil, 200},
		{"own page", loopback, "POST", "localhost:8765", []string{"Origin", "http://localhost:8765"}, 200},
		{"another loopback page", loopback, "DELETE", "127.0.0.1:8765", []string{"Origin", "http://localhost:5173"}, 200},
		{"a page at 127.0.0.0/8", loopback, "POST", "localhost:8765", []string{"Origin", "http://127.9.9.9:5173"}, 200},
		{"a page at ::1", loopback, "POST", "localhost:8765", []string{"Origin", "http://[::1]:5173"}, 200},
		{"a page below localhost", loopback, "POST", "localhost:8765", []string{"Origin", "http://evil.localhost:5173"}, 403},
		{"own page below localhost", loopback, "POST", "docent.localhost:8765", []string{"Origin", "http://docent.localhost:8765"}, 200},
		{"a page at localhost.", loopback, "POST", "localhost:8765", []string{"Origin", "http://localhost.:5173"}, 403},
		{"another loopback page while public", public, "POST", "192.168.1.7:8765", []string{"Origin", "http://localhost:5173"}, 403},
		{"foreign page", loopback, "POST", "localhost:8765", []string{"Origin", "https://evil.example"}, 403},
		{"foreign page reads", loopback, "GET", "localhost:8765", []string{"Origin", "https://evil.example"}, 200},
		{"foreign page upgrades", loopback, "GET", "localhost:8765", []string{"Origin", "https://evil.example", "Upgrade", "websocket", "Connection", "Upgrade"}, 403},
		{"own page upgrades", loopback, "GET", "localhost:8765", []string{"Origin", "http://localhost:8765", "Upgrade", "websocket"}, 200},
		{"sandboxed page", loopback, "POST", "localhost:8765", []string{"Origin", "null"}, 403},
		{"origin that is none", loopback, "POST", "localhost:8765", []string{"Origin", "::::"}, 403},
		{"file origin", loopback, "POST", "localhost:8765", []string{"Origin", "file://localhost"}, 403},
		{"user in front", loopback, "POST", "localhost:8765", []string{"Origin", "http://localhost:8765@evil.example"}, 403},
		{"own name, TLS in front", public, "POST", "docs.example.com", []string{"Origin", "https://docs.example.com"}, 200},
		{"own name, other port", public, "POST", "docs.example.com", []string{"Origin", "https://docs.example.com:444"}, 403},
		{"listed page", public, "PATCH", "docs.example.com", []string{"Origin", "https://app.example.com"}, 200},
		{"listed null", public, "PATCH", "docs.example.com", []string{"Origin", "null"}, 200},
		{"preflight of a listed page", public, "OPTIONS", "docs.example.com", []string{"Origin", "https://app.example.com", "Access-Control-Request-Method", "PATCH"}, 204},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequest(c.method, "/x", nil)
			r.Host = c.host
			for i := 0; i < len(c.header); i += 2 {
				r.Header.Set(c.header[i], c.header[i+1])
			}
			w := httptest.NewRecorder()
			Guard(c.cfg)(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(200) })).ServeHTTP(w, r)
			if w.Code != c.want {
				t.Errorf("status is %d, want %d", w.Code, c.want)
			}
			listed := c.cfg.Origins != nil && w.Code != 403 && slices.Contains([]string{"https://app.example.com", "http://127.0.0.1:9420", "null"}, r.Header.Get("Origin")) ||
				c.cfg.Open && c.cfg.Loopback && c.cfg.Origins == nil && w.Code != 403 && strings.HasSuffix(r.Header.Get("Origin"), ":3000") && !strings.Contains(r.Header.Get("Origin"), "evil")
			if got := w.Header().Get("Access-Control-Allow-Origin"); (got != "") != listed {
				t.Errorf("Access-Control-Allow-Origin is %q", got)
			}
		})
	}
}

// TestPreflight checks the headers that a listed page may send and read.
func TestPreflight(t *testing.T) {
	t.Parallel()
	const openAI = "authorization,content-type,mcp-protocol-version,mcp-session-id,traceparent,x-session-id,x-stainless-os"
	guard := Guard(GuardConfig{Origins: []string{"https://app.example.com"}})(http.NotFoundHandler())
	for origin, test := range map[string]struct{ requested, allowed, exposed string }{
		"https://app.example.com":  {openAI, openAI, "Mcp-Session-Id, Retry-After, X-Request-ID"},
		"https://APP.example.com":  {strings.Repeat("x", 2<<10), "Authorization, Content-Type", "Mcp-Session-Id, Retry-After, X-Request-ID"},
		"https://evil.example.com": {openAI, "", ""},
	} {
		r := httptest.NewRequest(http.MethodOptions, "/v1/chat/completions", nil)
		r.Host = "localhost"
		r.Header.Set("Origin", origin)
		r.Header.Set("Access-Control-Request-Method", http.MethodPost)
		r.Header.Set("Access-Control-Request-Headers", test.requested)
		w := httptest.NewRecorder()
		guard.ServeHTTP(w, r)
		allowed, exposed := w.Header().Get("Access-Control-Allow-Headers"), w.Header().Get("Access-Control-Expose-Headers")
		if allowed != test.allowed || exposed != test.exposed {
			t.Errorf("%s may send %q and read %q", origin, allowed, exposed)
		}
	}
}

// TestErrorBody checks that Front refuses requests in the format of their path.
func TestErrorBody(t *testing.T) {
	t.Parallel()
	front := Front(Config{
		Known: func(next http.Handler) http.Handler { return next },
		ErrorBody: func(path string) route.ErrorBody {
			if path != "/v1/x" {
				return nil
			}
			return func(e *route.Error) any { return map[string]string{"error": e.ID} }
		},
	})(http.NotFoundHandler())
	for path, want := range map[string]string{"/v1/x": `{"error":"host_name_unknown"}`, "/api/x": `{"code":"forbidden"`} {
		r := httptest.NewRequest(http.MethodGet, path, http.NoBody)
		r.Host = "evil.example"
		w := httptest.NewRecorder()
		front.ServeHTTP(w, r)
		if w.Code != http.StatusForbidden || !strings.HasPrefix(w.Body.String(), want) {
			t.Errorf("%s: %d %s, want %s", path, w.Code, w.Body, want)
		}
	}
}

// FuzzGuard checks that no spelling of a foreign name or page gets through.
func FuzzGuard(f *testing.F) {
	for _, s := range []string{"", "x", "[", "]", "[::1", "localhost", "a:b:c", "127.0.0.1", "http://localhost", "http://[::1]:80", "null", "//", "http://a@localhost", "LOCALHOST.", "1.1.1.1:99999"} {
		f.Add(s, s)
	}
	guard := Guard(GuardConfig{Loopback: true})(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	f.Fuzz(func(t *testing.T, host, origin string) {
		r := httptest.NewRequest("POST", "/", nil)
		r.Host = host + ".evil.example"
		w := httptest.NewRecorder()
		guard.ServeHTTP(w, r)
		if w.Code == 200 {
			t.Errorf("host %q passes", r.Host)
		}
		r.Host = "localhost:8765"
		r.Header.Set("Origin", origin+".evil.example")
		w = httptest.NewRecorder()
		guard.ServeHTTP(w, r)
		if w.Code == 200 {
			t.Errorf("origin %q passes", r.Header.Get("Origin"))
		}
	})
}
