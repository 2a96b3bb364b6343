package servertest_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"docent/auth"
	"docent/internal/servertest"
)

// raw sends unchanged bytes and returns the response with its status.
func raw(t *testing.T, at, request string) (int, string) {
	t.Helper()
	var d net.Dialer
	c, err := d.DialContext(t.Context(), "tcp", strings.TrimPrefix(at, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(servertest.Patience)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Write([]byte(request)); err != nil {
		return 0, "" // it has hung up
	}
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return 0, ""
	}
	defer resp.Body.Close()
	var text strings.Builder
	_ = resp.Header.Write(&text)
	buf := make([]byte, 64<<10)
	for {
		n, err := resp.Body.Read(buf)
		text.Write(buf[:n])
		if err != nil || text.Len() > 1<<20 {
			return resp.StatusCode, text.String()
		}
	}
}

// TestPathsLeadNowhere: no spelling of a path shows anything except pages and
// routes.
func TestPathsLeadNowhere(t *testing.T) {
	t.Parallel()
	s := guarded(t, servertest.Config{})
	token := s.Person("token owner").Token
	climbs := []string{
		"../../../../etc/passwd", "..%2f..%2f..%2fetc%2fpasswd", "%2e%2e/%2e%2e/%2e%2e/etc/passwd", "%252e%252e%252fetc%252fpasswd",
		`..\..\..\etc\passwd`, "..%5c..%5cetc%5cpasswd", "....//....//etc/passwd", "%00", "docent.db%00.html", "..;/etc/passwd", "%c0%ae%c0%ae/etc/passwd",
		"/etc/passwd", "//etc/passwd", "C:%5cWindows%5cwin.ini", "assets/../../serve.go", "%ff%fe", ".git/config", "docent.db", "cache/index.bin",
	}
	for _, prefix := range []string{"/", "/assets/", "/api/", "/api/documents/", "/api/documents/1/", "/api/sessions/", "/metrics/", "//", "/api/../", "/./"} {
		for _, climb := range climbs {
			status, body := raw(t, s.URL, fmt.Sprintf("GET %s%s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nConnection: close\r\n\r\n", prefix, climb, token))
			if strings.Contains(body, "root:") || strings.Contains(body, "SQLite format") || strings.Contains(body, "package main") || status >= 500 {
				t.Errorf("%s%s: %d %.200s", prefix, climb, status, body)
			}
			if status == http.StatusOK && !strings.Contains(body, "text/html") {
				t.Errorf("%s%s: %d %.200s", prefix, climb, status, body)
			}
		}
	}
	// However it is spelled, what needs a token does.
	for _, path := range []string{
		"/api/documents", "/api//documents", "//api/documents", "/api/./documents", "/api/x/../documents", "/%61pi/documents", "/api%2fdocuments",
		"/API/documents", "/api/documents/", "/api/documents?token=", "/api/documents%00", "/metrics", "//metrics", "/%6detrics", "/metrics/../metrics", "/x/../metrics",
	} {
		status, body := raw(t, s.URL, "GET "+path+" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
		if strings.Contains(body, "pump") || strings.Contains(body, "docent_http") || status == http.StatusOK && !strings.Contains(body, "text/html") {
			t.Errorf("%s: %d %.200s", path, status, body)
		}
	}
}

// TestForeignPages: a page of another origin cannot use the cookie of a
// signed-in user.
func TestForeignPages(t *testing.T) {
	t.Parallel()
	s := guarded(t, servertest.Config{Settings: map[string]string{"origins": "https://app.example.com", "hosts": "docs.example.com"}})
	user, program := s.Person("user owner"), s.Person("token owner")
	own := strings.Replace(s.URL, "127.0.0.1", "localhost", 1)
	for _, foreign := range []string{"https://evil.example", "null", "http://localhost:1", "http://127.0.0.1:1", "http://docs.example.com", "file://"} {
		for _, path := range []string{"/", "/?protocol=docent.v1", "/agent_websocket"} {
			if _, resp, err := user.TryDial(t, s.URL+path, "Origin", foreign); err == nil || resp.StatusCode != http.StatusForbidden {
				t.Errorf("a page of %s opens %s: %v", foreign, path, err)
			}
		}
		key := s.session(t, user.ID)
		for _, method := range []string{"DELETE", "PATCH", "POST", "PUT"} {
			if resp, body := user.Request(t, method, s.URL+"/api/sessions/"+key.ID, `{"session_name":"x"}`, "Origin", foreign, "Content-Type", "application/json"); resp.StatusCode != http.StatusForbidden {
				t.Errorf("a page of %s: %s is %d %s", foreign, method, resp.StatusCode, body)
			}
		}
		s.wantUntouched(t, key, "a page of "+foreign)
		resp, _ := user.Request(t, "GET", s.URL+"/api/sessions", "", "Origin", foreign)
		if resp.Header.Get("Access-Control-Allow-Origin") != "" || resp.Header.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("a page of %s may read: %v", foreign, resp.Header)
		}
	}
	for _, site := range []string{"cross-site", "same-site"} { // of a page's image, say
		if resp, _ := user.Request(t, "GET", s.URL+"/api/sessions", "", "Sec-Fetch-Site", site); resp.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s: the cookie counts: %d", site, resp.StatusCode)
		}
	}
	for _, name := range []string{"evil.example", "evil.example:8765", "localhost.evil.example", "127.0.0.1.nip.io"} {
		if resp, _ := user.Request(t, "GET", s.URL+"/api/sessions", "", "Host", name); resp.StatusCode != http.StatusForbidden {
			t.Errorf("as %s: %d", name, resp.StatusCode)
		}
	}
	// Our own page may.
	if c, _, err := user.TryDial(t, own, "Origin", own); err != nil {
		t.Errorf("our own page: %v", err)
	} else {
		hear(t, c)
	}
	// A listed page may with a token, and never with a cookie.
	resp, _ := who{}.Request(t, "OPTIONS", s.URL+"/api/ask", "", "Origin", "https://app.example.com", "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "authorization,content-type")
	if h := resp.Header; resp.StatusCode != http.StatusNoContent || h.Get("Access-Control-Allow-Origin") != "https://app.example.com" ||
		!strings.EqualFold(h.Get("Access-Control-Allow-Headers"), "authorization,content-type") || h.Get("Access-Control-Allow-Credentials") != "" {
		t.Errorf("preflight: %d %v", resp.StatusCode, h)
	}
	resp, _ = program.Request(t, "POST", s.URL+"/api/ask", `{"question":"When does the pump stop?"}`, "Origin", "https://app.example.com", "Content-Type", "application/json")
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Access-Control-Allow-Credentials") != "" {
		t.Errorf("a listed page: %d %v", resp.StatusCode, resp.Header)
	}
}

// TestOddRequests: malformed requests get a plain error or no response.
func TestOddRequests(t *testing.T) {
	t.Parallel()
	s := guarded(t, servertest.Config{})
	w := s.Person("token both")
	with := "Host: localhost\r\nConnection: close\r\nAuthorization: Bearer " + w.Token + "\r\n"
	for _, method := range []string{"TRACE", "TRACK", "CONNECT", "PUT", "PROPFIND", "OPTIONS", "BREW", "DEBUG"} {
		for _, path := range []string{"/", "/api/documents", "/api/sessions/x/messages", "/metrics", "/openapi.json"} {
			status, body := raw(t, s.URL, method+" "+path+" HTTP/1.1\r\n"+with+"X-Echo: echoed\r\n\r\n")
			if status != http.StatusMethodNotAllowed && status != http.StatusNotFound && status != http.StatusBadRequest || strings.Contains(body, "echoed") {
				t.Errorf("%s %s: %d %.200s", method, path, status, body)
			}
		}
	}
	for name, c := range map[string]struct {
		request string
		want    []int
	}{
		"long header":      {"GET /api/health HTTP/1.1\r\n" + with + "X-Long: " + strings.Repeat("x", 128<<10) + "\r\n\r\n", []int{431, 0}},
		"many headers":     {"GET /api/health HTTP/1.1\r\n" + with + strings.Repeat("X-Many: yes\r\n", 8<<10) + "\r\n", []int{431, 0}},
		"long path":        {"GET /" + strings.Repeat("x", 128<<10) + " HTTP/1.1\r\n" + with + "\r\n", []int{431, 414, 0}},
		"no host":          {"GET /api/documents HTTP/1.1\r\nConnection: close\r\n\r\n", []int{400}},
		"two hosts":        {"GET /api/documents HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n", []int{400}},
		"absolute path":    {"GET http://evil.example/api/documents HTTP/1.1\r\n" + with + "\r\n", []int{403}},
		"lengths disagree": {"POST /api/ask HTTP/1.1\r\n" + with + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!", []int{400}},
		"length and chunk": {"POST /api/logout HTTP/1.1\r\n" + with + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", []int{204, 400}},
		"odd encoding":     {"POST /api/ask HTTP/1.1\r\n" + with + "Transfer-Encoding: gzip\r\n\r\n", []int{501, 400}},
		"split header":     {"GET /api/health HTTP/1.1\r\n" + with + "X-A: b\r\n continued\r\n\r\n", []int{200, 400}},
		"NUL in a header":  {"GET /api/health HTTP/1.1\r\n" + with + "X-A: b\x00c\r\n\r\n", []int{400}},
		"long question": {fmt.Sprintf("POST /api/ask HTTP/1.1\r\n%sContent-Type: application/json\r\nContent-Length: %d\r\n\r\n{\"question\":\"%s\"}", with, 300<<10+15,
			strings.Repeat("x", 300<<10)), []int{413, 0}},
		"long login": {fmt.Sprintf("POST /api/login HTTP/1.1\r\n%sContent-Type: application/json\r\nContent-Length: %d\r\n\r\n{\"username\":\"%s\"}", with, 32<<10+15,
			strings.Repeat("x", 32<<10)), []int{413, 0}},
		"long upload": {"POST /api/documents HTTP/1.1\r\n" + with + "Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 99999999999\r\n\r\n--x", []int{413}},
		"deep JSON":   {"POST /api/ask HTTP/1.1\r\n" + with + "Content-Type: application/json\r\nContent-Length: 40000\r\n\r\n" + strings.Repeat("[", 40000), []int{400}},
	} {
		status, body := raw(t, s.URL, c.request)
		found := false
		for _, want := range c.want {
			found = found || status == want
		}
		if !found {
			t.Errorf("%s: %d, want %v: %.300s", name, status, c.want, body)
		}
		wantNoInternals(t, name, body)
	}
	if resp, _ := w.Request(t, "GET", s.URL+"/api/health", ""); resp.StatusCode != http.StatusOK {
		t.Errorf("afterwards: %d", resp.StatusCode)
	}
}

// wantNoInternals: an answer says nothing of how it is made.
func wantNoInternals(t *testing.T, what, body string) {
	t.Helper()
	for _, internal := range []string{".go:", "goroutine", "/work/", "sqlite", "SQL", "panic", "runtime error", "docent_wrong", servertest.Password} {
		if strings.Contains(body, internal) {
			t.Errorf("%s: the answer has %q: %.300s", what, internal, body)
		}
	}
}

// TestAnswersAreSealed: the security headers of the page, the API, and every
// kind of error.
func TestAnswersAreSealed(t *testing.T) {
	t.Parallel()
	s := guarded(t, servertest.Config{})
	w, wrong := s.Person("token owner"), s.Person("bad token")
	described := strings.NewReplacer("sqlite", "", "SQLite", "", "/api/work/", "") // in /openapi.json
	for name, c := range map[string]struct {
		who    who
		path   string
		status int
		page   bool
		header []string
	}{
		"page":                 {who{}, "/", 200, true, nil},
		"address of the page":  {who{}, "/c/x", 302, true, nil},
		"no file":              {who{}, "/assets/none.js", 404, true, nil},
		"public":               {who{}, "/api/health", 200, false, nil},
		"description":          {who{}, "/openapi.json", 200, false, nil},
		"documents":            {w, "/api/documents", 200, false, nil},
		"a document's file":    {w, "/api/documents/1/file", 200, false, nil},
		"a document's text":    {w, "/api/documents/1/text", 200, false, nil},
		"sessions":             {w, "/api/sessions", 200, false, nil},
		"who":                  {w, "/api/me", 200, false, nil},
		"nobody":               {who{}, "/api/documents", 401, false, nil},
		"wrong token":          {wrong, "/api/documents", 401, false, nil},
		"wrong token, page":    {wrong, "/", 401, false, nil},
		"wrong token, sockets": {wrong, "/agent_websocket", 401, false, nil},
		"no scope":             {w, "/metrics", 403, false, nil},
		"not there":            {w, "/api/none", 404, false, nil},
		"not valid":            {w, "/api/search", 400, false, nil},
		"no name of ours":      {w, "/api/search", 403, false, []string{"Host", "evil.example"}},
		"no upgrade":           {w, "/ws", 426, false, nil},
		"no upgrade, typed":    {w, "/agent_websocket", 400, false, nil},
	} {
		resp, body := c.who.Request(t, "GET", s.URL+c.path, "", append(s.from(), c.header...)...)
		h, csp := resp.Header, resp.Header.Get("Content-Security-Policy")
		if resp.StatusCode != c.status {
			t.Errorf("%s: %d, want %d", name, resp.StatusCode, c.status)
		}
		if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "no-referrer" || h.Get("X-Frame-Options") != "DENY" ||
			!strings.Contains(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") {
			t.Errorf("%s: %v", name, h)
		}
		if !strings.Contains(csp, "frame-ancestors 'none'") && c.path != "/api/documents/1/file" { // which is shown in the page
			t.Errorf("%s may be framed: %s", name, csp)
		}
		if !c.page && h.Get("Cache-Control") != "no-store" {
			t.Errorf("%s may be kept: %q", name, h.Get("Cache-Control"))
		}
		if h.Get("Server") != "" || h.Get("X-Powered-By") != "" {
			t.Errorf("%s says what serves it: %v", name, h)
		}
		wantNoInternals(t, name, described.Replace(body))
		if c.status >= 400 && !c.page && c.path != "/agent_websocket" && !strings.HasPrefix(body, `{"code":"`) {
			t.Errorf("%s: the error is %s", name, body)
		}
	}
	resp, _ := who{}.Request(t, "POST", s.URL+"/api/login", fmt.Sprintf(`{"username":"owner","password":%q}`, servertest.Password), "Content-Type", "application/json")
	for _, cookie := range resp.Cookies() {
		if cookie.Name == auth.CookieName && (!cookie.HttpOnly || cookie.SameSite == http.SameSiteNoneMode || cookie.SameSite == http.SameSiteDefaultMode || cookie.Domain != "") {
			t.Errorf("the cookie is %v", cookie)
		}
	}
	if len(resp.Cookies()) != 1 {
		t.Errorf("signing in gives %v", resp.Header)
	}
}
