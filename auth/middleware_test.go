package auth_test

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"docent/api/edge"
	"docent/api/route"
	"docent/auth"
	"docent/internal/fault"
)

// seen records the requests of a handler behind the middleware.
type seen struct {
	who string // - is nobody
	uri string
	raw string
}

// ask sends a request through a middleware; header holds names and values.
func ask(t *testing.T, wrap func(http.Handler) http.Handler, method, target string, header ...string) (*httptest.ResponseRecorder, *seen) {
	t.Helper()
	var got *seen
	handler := wrap(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		got = &seen{"-", r.RequestURI, r.URL.RawQuery}
		if p, known := auth.FromContext(r.Context()); known {
			got.who = p.ID
		}
	}))
	r := httptest.NewRequestWithContext(t.Context(), method, target, http.NoBody)
	r.RemoteAddr = "192.0.2.7:1234"
	for i := 0; i+1 < len(header); i += 2 {
		switch header[i] {
		case "Host":
			r.Host = header[i+1]
		case "From":
			r.RemoteAddr = header[i+1]
		default:
			r.Header.Add(header[i], header[i+1])
		}
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w, got
}

// Handlers named by Config.Late get requests with wrong credentials without a
// principal, with the reason. These requests still count as guesses.
func TestLate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *auth.Config) { c.Late = func(r *http.Request) bool { return r.URL.Path == "/late" } })
	token := w.token(auth.TokenSpec{Name: "ci", Scopes: auth.Scopes{auth.Ask}})
	kinds := map[fault.Kind]int{}
	handler := w.Middleware(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		kind := fault.Kind("")
		if err := auth.Refusal(r.Context()); err != nil {
			kind = fault.KindOf(err)
			if kind == fault.RateLimited && auth.RetryAfter(err) == 0 {
				t.Error("it is not said how long to wait")
			}
		}
		if _, known := auth.FromContext(r.Context()); known != (kind == "") {
			t.Errorf("known %v, refused as %q", known, kind)
		}
		kinds[kind]++
	}))
	visit := func(path, token string) int {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody)
		r.Header.Set("Authorization", "Bearer "+token)
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, r)
		return answer.Code
	}
	for range 25 {
		visit("/late", "docent_wrong")
	}
	visit("/late", token)
	if kinds[fault.Unauthorized] != 20 || kinds[fault.RateLimited] != 5 || kinds[""] != 1 {
		t.Errorf("refused as %v", kinds)
	}
	if code := visit("/other", "docent_wrong"); code != http.StatusTooManyRequests {
		t.Errorf("elsewhere the status is %d", code)
	}
}

func TestMiddleware(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user("ann", auth.Ask)
	cookie := auth.CookieName + "=" + w.login("ann")
	header := w.token(auth.TokenSpec{Name: "header", Scopes: auth.Scopes{auth.Ask}})
	protocol := w.token(auth.TokenSpec{Name: "protocol", Scopes: auth.Scopes{auth.Ask}})
	query := w.token(auth.TokenSpec{Name: "query", Scopes: auth.Scopes{auth.Ask}})
	const wrong = "docent_wrong"
	for name, test := range map[string]struct {
		target string
		header []string
		want   string // "" is 401
	}{
		"nothing":                        {"/x?a=1", nil, "-"},
		"header":                         {"/x", []string{"Authorization", "Bearer " + header}, "token:header"},
		"header in other letters":        {"/x", []string{"authorization", "bearer   " + header + " "}, "token:header"},
		"another scheme":                 {"/x", []string{"Authorization", "Basic dXNlcjpwYXNz"}, "-"},
		"another scheme and a cookie":    {"/x", []string{"Authorization", "Basic dXNlcjpwYXNz", "Cookie", cookie}, "user:ann"},
		"protocol":                       {"/ws", []string{"Sec-WebSocket-Protocol", "docent.v1, docent.token." + protocol}, "token:protocol"},
		"protocol in lines":              {"/ws", []string{"Sec-WebSocket-Protocol", "docent.v1", "Sec-WebSocket-Protocol", "docent.token." + protocol}, "token:protocol"},
		"query":                          {"/ws?token=" + query, []string{"Upgrade", "WebSocket"}, "token:query"},
		"query of MCP":                   {"/mcp?token=" + query, nil, "token:query"},
		"query elsewhere":                {"/api/documents?a=1&token=" + query, nil, "-"},
		"query elsewhere and a cookie":   {"/api/documents?token=x", []string{"Cookie", cookie}, "user:ann"},
		"cookie":                         {"/x", []string{"Cookie", cookie}, "user:ann"},
		"cookie of an own page":          {"/x", []string{"Cookie", cookie, "Sec-Fetch-Site", "same-origin"}, "user:ann"},
		"cookie from a foreign page":     {"/x", []string{"Cookie", cookie, "Sec-Fetch-Site", "cross-site"}, "-"},
		"cookie from another port":       {"/x", []string{"Cookie", cookie, "Sec-Fetch-Site", "same-site"}, "-"},
		"cookie that has ended":          {"/x", []string{"Cookie", auth.CookieName + "=none"}, "-"},
		"empty cookie":                   {"/x", []string{"Cookie", auth.CookieName + "="}, "-"},
		"header wins":                    {"/ws?token=" + query, []string{"Authorization", "Bearer " + header, "Sec-WebSocket-Protocol", "docent.token." + protocol, "Cookie", cookie}, "token:header"},
		"protocol before query":          {"/ws?token=" + query, []string{"Sec-WebSocket-Protocol", "docent.token." + protocol, "Cookie", cookie}, "token:protocol"},
		"query before cookie":            {"/ws?token=" + query, []string{"Upgrade", "websocket", "Cookie", cookie}, "token:query"},
		"wrong header":                   {"/ws?token=" + query, []string{"Authorization", "Bearer " + wrong, "Cookie", cookie}, ""},
		"wrong protocol":                 {"/ws?token=" + query, []string{"Sec-WebSocket-Protocol", "docent.v1, docent.token.x", "Cookie", cookie}, ""},
		"wrong query":                    {"/ws?token=x", []string{"Upgrade", "websocket", "Cookie", cookie}, ""},
		"wrong query, twice":             {"/ws?token=x&token=" + query, []string{"Upgrade", "websocket"}, ""},
		"cookie's value as a token":      {"/x", []string{"Authorization", "Bearer " + strings.TrimPrefix(cookie, auth.CookieName+"=")}, ""},
		"a token as the cookie":          {"/x", []string{"Cookie", auth.CookieName + "=" + header}, "-"},
		"an empty query and a cookie":    {"/x?token=", []string{"Cookie", cookie}, "user:ann"},
		"an empty header and a cookie":   {"/x", []string{"Authorization", "Bearer ", "Cookie", cookie}, "user:ann"},
		"an empty protocol and a cookie": {"/x", []string{"Sec-WebSocket-Protocol", "docent.token.", "Cookie", cookie}, "user:ann"},
	} {
		answer, got := ask(t, w.Middleware, "GET", test.target, test.header...)
		if test.want != "" {
			if got == nil || got.who != test.want || strings.Contains(got.uri+got.raw, "token") {
				t.Errorf("%s: %+v %d", name, got, answer.Code)
			}
			continue
		}
		var e route.Error
		if err := json.Unmarshal(answer.Body.Bytes(), &e); err != nil || got != nil || answer.Code != 401 || e.Code != fault.Unauthorized || e.Message == "" || e.Retryable {
			t.Errorf("%s: %d %s, handled %+v", name, answer.Code, answer.Body, got)
		}
		if h := answer.Header(); !strings.HasPrefix(h.Get("WWW-Authenticate"), "Bearer") || h.Get("Cache-Control") != "no-store" || h.Get("Content-Type") != "application/json" {
			t.Errorf("%s: headers %v", name, h)
		}
	}
	for _, secret := range []string{header, protocol, query, wrong, cookie[20:]} {
		if strings.Contains(w.log.String(), secret) {
			t.Errorf("a token is in the log:\n%s", w.log)
		}
	}
}

func TestMiddlewareWithoutDatabase(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.token(auth.TokenSpec{Name: "x", Scopes: auth.Scopes{auth.Ask}})
	b := newWorldOn(t, broken{w.db})
	for _, header := range [][]string{{"Authorization", "Bearer " + token}, {"Cookie", auth.CookieName + "=x"}} {
		if answer, got := ask(t, b.Middleware, "GET", "/", header...); got != nil || answer.Code != 503 || !strings.Contains(answer.Body.String(), `"retryable":true`) {
			t.Errorf("%v: %d %s", header[0], answer.Code, answer.Body)
		}
	}
	if _, got := ask(t, b.Middleware, "GET", "/"); got == nil || got.who != "-" {
		t.Errorf("who shows nothing is %+v", got)
	}
}

func TestWrongTokensAreSlowed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	right := w.token(auth.TokenSpec{Name: "x", Scopes: auth.Scopes{auth.Ask}})
	try := func(token, from string) *httptest.ResponseRecorder {
		answer, _ := ask(t, w.Middleware, "GET", "/", "Authorization", "Bearer "+token, "From", from)
		return answer
	}
	for range 20 {
		if answer := try("x", "192.0.2.1:1"); answer.Code != 401 {
			t.Fatalf("%d %s", answer.Code, answer.Body)
		}
	}
	answer := try("x", "192.0.2.1:2")
	if answer.Code != 429 || answer.Header().Get("Retry-After") != "1" || !strings.Contains(answer.Body.String(), "rate_limited") {
		t.Errorf("%d %s %v", answer.Code, answer.Body, answer.Header())
	}
	if answer := try(right, "192.0.2.1:3"); answer.Code != 200 {
		t.Errorf("a right token: %d %s", answer.Code, answer.Body)
	}
	if answer := try("x", "192.0.2.2:1"); answer.Code != 401 {
		t.Errorf("another address: %d", answer.Code)
	}
	w.clock.pass(time.Second)
	if answer := try("x", "192.0.2.1:4"); answer.Code != 401 {
		t.Errorf("after the pause: %d", answer.Code)
	}
}

func TestOpen(t *testing.T) {
	t.Parallel()
	_, got := ask(t, auth.Open, "GET", "/ws?a=1&token=secret", "Authorization", "Bearer x")
	if got == nil || got.who != "" || got.raw != "a=1" || got.uri != "/ws?a=1" {
		t.Errorf("it is %+v", got)
	}
}

// TestOnlyTheOwnPageHasTheCookie: listed pages must use a token. Older browsers
// never send Sec-Fetch-Site, and other browsers send it over plain HTTP only on
// this machine.
func TestOnlyTheOwnPageHasTheCookie(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user("ann", auth.Ask)
	cookie := auth.CookieName + "=" + w.login("ann")
	token := w.token(auth.TokenSpec{Name: "shop", Scopes: auth.Scopes{auth.Ask}})
	guard := edge.Guard(edge.GuardConfig{Hosts: []string{"docs.corp.test"}, Origins: []string{"http://shop.corp.test:9400", "http://docs.corp.test:9400", "null"}})
	wrap := func(next http.Handler) http.Handler { return guard(w.Middleware(next)) }
	upgrade := []string{"Connection", "Upgrade", "Upgrade", "websocket"}
	for _, test := range []struct {
		origin, site string
		own          bool
	}{
		{"http://docs.corp.test:8765", "", true},
		{"http://docs.corp.test:8765", "same-origin", true},
		{"HTTP://DOCS.corp.test:8765", "", true},
		{"http://shop.corp.test:9400", "", false},
		{"http://shop.corp.test:9400", "same-site", false},
		{"http://shop.corp.test:9400", "same-origin", false}, // no browser sends this combination
		{"http://docs.corp.test:9400", "", false},            // the same host name with another port
		{"http://docs.corp.test:8765", "cross-site", false},
		{"null", "", false},
		{"null", "same-origin", false},
		{"", "", true}, // not the page of a browser
		{"", "none", true},
		{"", "same-site", false},
	} {
		for _, kind := range []string{"POST", "DELETE", "GET", "WebSocket"} {
			header := []string{"Host", "docs.corp.test:8765"}
			if test.origin != "" {
				header = append(header, "Origin", test.origin)
			}
			if test.site != "" {
				header = append(header, "Sec-Fetch-Site", test.site)
			}
			method := kind
			if kind == "WebSocket" {
				method, header = "GET", append(header, upgrade...)
			}
			want := map[bool]string{true: "user:ann", false: "-"}[test.own]
			if answer, got := ask(t, wrap, method, "/x", append(header, "Cookie", cookie)...); got == nil || got.who != want {
				t.Errorf("%s of %q, %q: %d %+v, want %s", kind, test.origin, test.site, answer.Code, got, want)
			}
			answer, got := ask(t, wrap, method, "/x", append(header, "Cookie", cookie, "Authorization", "Bearer "+token)...)
			if got == nil || got.who != "token:shop" {
				t.Errorf("%s of %q, %q by a token: %d %+v", kind, test.origin, test.site, answer.Code, got)
			}
		}
	}
	if _, got := ask(t, wrap, "POST", "/x", "Host", "docs.corp.test:8765", "Origin", "http://docs.corp.test:8765", "Origin", "http://shop.corp.test:9400", "Cookie", cookie); got == nil || got.who != "-" {
		t.Errorf("of two origins: %+v", got)
	}
}

// TestNoCrossSiteWebSocket: a foreign page cannot use the page's cookie to open
// a WebSocket or to change something.
func TestNoCrossSiteWebSocket(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user("ann", auth.Ask)
	cookie := auth.CookieName + "=" + w.login("ann")
	upgrade := []string{"Connection", "Upgrade", "Upgrade", "websocket", "Sec-WebSocket-Version", "13", "Cookie", cookie}
	for _, loopback := range []bool{false, true} {
		guard := edge.Guard(edge.GuardConfig{Addr: "docs.example:8765", Loopback: loopback, Hosts: []string{"docs.example"}})
		wrap := func(next http.Handler) http.Handler { return guard(w.Middleware(next)) }
		for _, test := range []struct {
			host, origin string
			allowed      bool
		}{
			{"docs.example", "http://docs.example", true},
			{"docs.example", "", true}, // not a browser
			{"docs.example", "https://evil.example", false},
			{"docs.example", "null", false},
			{"docs.example", "http://docs.example.evil.example", false},
			{"docs.example", "http://docs.example:81", false},
			{"evil.example", "http://evil.example", false},
			{"localhost:8765", "http://localhost:8765", true},
			{"localhost:8765", "http://localhost:3000", false}, // not signed in, or refused
		} {
			for _, header := range [][]string{upgrade, {"Cookie", cookie}} {
				method := "GET"
				if len(header) == 2 {
					method = "POST"
				}
				header = append([]string{"Host", test.host}, header...)
				if test.origin != "" {
					header = append(header, "Origin", test.origin)
				}
				answer, got := ask(t, wrap, method, "/ws", header...)
				if (got != nil && got.who == "user:ann") != test.allowed {
					t.Errorf("%s from %q to %s, loopback %v: %d %+v", method, test.origin, test.host, loopback, answer.Code, got)
				}
			}
		}
	}
}

func TestQueryTokenIsTakenOut(t *testing.T) {
	t.Parallel()
	for target, want := range map[string][3]string{
		"/x":                                  {"/x", "", ""},
		"/x?":                                 {"/x?", "", ""},
		"/x?a=b&token=t":                      {"/x?a=b", "a=b", "t"},
		"/x?token=t&a=%20b+&c":                {"/x?a=%20b+&c", "a=%20b+&c", "t"},
		"/x?token=t":                          {"/x", "", "t"},
		"/x?%74oken=t%2E1":                    {"/x", "", "t.1"},
		"/x?TOKEN=t":                          {"/x", "", "t"},
		"/x?token=a&token=b":                  {"/x", "", "a"},
		"/x?token":                            {"/x", "", ""},
		"/x?tokens=t&my_token=t":              {"/x?tokens=t&my_token=t", "tokens=t&my_token=t", ""},
		"/x?a;token=t":                        {"/x?a;token=t", "a;token=t", ""},
		"/a%2Fb?token=t":                      {"/a%2Fb", "", "t"},
		"http://docs.example/x?token=t&y=1":   {"/x?y=1", "y=1", "t"},
		"/x?session_id=1&token=t%zz&name=a+b": {"/x?session_id=1&name=a+b", "session_id=1&name=a+b", ""},
	} {
		r := httptest.NewRequest(http.MethodGet, target, http.NoBody)
		before := r.URL.String()
		out, token := auth.WithoutQueryToken(r)
		if got := [3]string{out.RequestURI, out.URL.RawQuery, token}; got != want {
			t.Errorf("%s: %q, want %q", target, got, want)
		}
		if r.URL.String() != before {
			t.Errorf("%s: the caller's request has changed", target)
		}
	}
}

func FuzzQueryToken(f *testing.F) {
	for _, seed := range []string{"token=x", "a=b&token=x&c", "%74oken=%zz", "&&=&token", "a;token=x", "ToKeN=x&token=y"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, query string) {
		r := &http.Request{URL: &url.URL{Path: "/x", RawQuery: query}, Header: http.Header{}}
		out, token := auth.WithoutQueryToken(r)
		if out.URL.Query().Has("token") {
			t.Errorf("%q leaves %q", query, out.URL.RawQuery)
		}
		if want := r.URL.Query().Get("token"); want != "" && token == "" && !strings.Contains(strings.ToLower(query), "token=&") {
			t.Errorf("%q has the token %q", query, want)
		}
		if _, again := auth.WithoutQueryToken(out); again != "" {
			t.Errorf("%q has another one after: %q", query, again)
		}
	})
}

// TestRemote: the server believes only trusted proxies, and each one only about
// the sender of its request.
func TestRemote(t *testing.T) {
	t.Parallel()
	trusted := []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32"), netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	for _, test := range []struct{ addr, forwarded, plain, proxied string }{
		{"192.0.2.1:5", "", "192.0.2.1", "192.0.2.1"},
		{"192.0.2.1:5", "198.51.100.9", "192.0.2.1", "192.0.2.1"}, // any client can send this header
		{"127.0.0.1:5", "", "127.0.0.1", "127.0.0.1"},
		{"127.0.0.1:5", "198.51.100.9", "127.0.0.1", "198.51.100.9"},
		{"127.0.0.1:5", "198.51.100.9:443", "127.0.0.1", "198.51.100.9"},
		{"127.0.0.1:5", "203.0.113.1, 198.51.100.9", "127.0.0.1", "198.51.100.9"},
		{"127.0.0.1:5", "203.0.113.1, 198.51.100.9, 10.1.2.3", "127.0.0.1", "198.51.100.9"},
		{"127.0.0.1:5", "203.0.113.1, 198.51.100.9\n10.1.2.3,127.0.0.1", "127.0.0.1", "198.51.100.9"},
		{"127.0.0.1:5", "10.1.2.3, 10.1.2.4", "127.0.0.1", "10.1.2.3"},
		{"127.0.0.1:5", "198.51.100.9, unknown", "127.0.0.1", "127.0.0.1"},
		{"127.0.0.1:5", "198.51.100.9, unknown, 10.1.2.3", "127.0.0.1", "10.1.2.3"},
		{"[::1]:5", "2001:db8:1:2:3:4:5:6", "::/64", "2001:db8:1:2::/64"},
		{"[::1]:5", "[2001:db8:1:2:3:4:5:6]:80", "::/64", "2001:db8:1:2::/64"},
		{"[2001:db8:1:2::9%eth0]:5", "", "2001:db8:1:2::/64", "2001:db8:1:2::/64"},
		{"[::ffff:192.0.2.1]:5", "", "192.0.2.1", "192.0.2.1"},
		{"[::ffff:127.0.0.1]:5", "198.51.100.9", "127.0.0.1", "198.51.100.9"},
		{"@", "198.51.100.9", "", ""},
		{"", "", "", ""},
	} {
		r := &http.Request{RemoteAddr: test.addr, Header: http.Header{}, URL: &url.URL{}}
		for line := range strings.SplitSeq(test.forwarded, "\n") {
			r.Header.Add("X-Forwarded-For", line)
		}
		if got := auth.Remote(r); got != test.plain {
			t.Errorf("%+v: %s without a middleware", test, got)
		}
		for _, proxies := range [][]netip.Prefix{nil, trusted} {
			want := test.plain
			if proxies != nil {
				want = test.proxied
			}
			w := newWorldOn(t, broken{}, func(c *auth.Config) { c.Proxies = proxies })
			w.Middleware(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				if got := auth.Remote(r); got != want {
					t.Errorf("%+v: %s behind %s", test, got, proxies)
				}
			})).ServeHTTP(httptest.NewRecorder(), r)
		}
	}
}

// TestPrincipalInLogs: the logs identify a token by its name, not by its
// secret.
func TestPrincipalInLogs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.token(auth.TokenSpec{Name: "x", Scopes: auth.Scopes{auth.Ask}})
	p, err := w.Token(t.Context(), token)
	ok(t, err)
	slog.New(slog.NewTextHandler(w.log, nil)).Info("who", "principal", p)
	if strings.Contains(w.log.String(), token) {
		t.Error("the token is in the log")
	}
}
