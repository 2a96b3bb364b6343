package api

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"docent/api/edge"
	"docent/auth"
	"docent/internal/fault"
	"docent/internal/sqlitetest"
	"docent/store/sqlite"
)

// locked serves the API with authentication and the user ann.
func locked(t *testing.T) (*client, *auth.Authenticator) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), sqlite.Config{Path: sqlitetest.Path(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	now := time.Now() // does not advance while passwords are checked
	a, err := auth.New(auth.Config{Tokens: db, Users: db, Logins: db, Links: db, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	if err := a.CreateUser(t.Context(), "ann", "correct horse", auth.Scopes{auth.Ask, auth.Ingest}); err != nil {
		t.Fatal(err)
	}
	w, log := newWorld(), &safeBuffer{}
	h, err := New(Config{
		RAG: w, Retriever: w, Library: w, Documents: w, Collections: managed{w}, Uploads: w, Directory: w, Memories: w, Prompts: w, Choices: w, Traces: w, Versions: w, Shares: w, Messages: w, Conversations: w, Embedder: w, Agents: []string{"docent"}, Logins: a,
		Logger: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(edge.Guard(edge.GuardConfig{Loopback: true, Origins: []string{"http://shop.example"}})(a.Middleware(h)))
	t.Cleanup(s.Close)
	t.Cleanup(s.Client().CloseIdleConnections)
	return &client{t: t, url: s.URL, http: s.Client(), log: log, w: w}, a
}

const (
	annLogin = `{"username":"ann","password":"correct horse"}`
	annIs    = `{"id":"user:ann","name":"ann","scopes":["ask","ingest"],"auth":true,"manages":false}`
)

// signIn returns the value for the header Cookie.
func (c *client) signIn(header ...string) string {
	c.t.Helper()
	resp, body := c.do("POST", "/api/login", annLogin, append([]string{"Content-Type", "application/json"}, header...)...)
	cookies := resp.Cookies()
	if resp.StatusCode != 200 || len(cookies) != 1 || canonical(body) != canonical(annIs) {
		c.t.Fatalf("login: %d %s %v", resp.StatusCode, body, resp.Header)
	}
	k := cookies[0]
	if k.Name != auth.CookieName || !k.HttpOnly || k.SameSite != http.SameSiteStrictMode || k.Path != "/" || k.Secure || k.MaxAge <= 0 {
		c.t.Errorf("cookie is %s", k)
	}
	return k.Name + "=" + k.Value
}

func TestLoginAndOut(t *testing.T) {
	t.Parallel()
	c, _ := locked(t)
	c.wantError(401, fault.Unauthorized, "", "GET", "/api/me", "")
	c.wantError(401, fault.Unauthorized, "", "GET", "/api/documents/1", "")
	cookie := c.signIn()
	c.want(200, annIs, "GET", "/api/me", "", "Cookie", cookie)
	c.want(200, docA, "GET", "/api/documents/1", "", "Cookie", cookie)
	other := c.signIn("Cookie", cookie) // instead of the first
	c.wantError(401, fault.Unauthorized, "", "GET", "/api/me", "", "Cookie", cookie)
	resp, body := c.do("POST", "/api/logout", "", "Cookie", other)
	if resp.StatusCode != 204 || body != "" || len(resp.Cookies()) != 1 || resp.Cookies()[0].MaxAge != -1 || resp.Cookies()[0].Value != "" {
		t.Errorf("logout: %d %q %v", resp.StatusCode, body, resp.Header)
	}
	c.wantError(401, fault.Unauthorized, "", "GET", "/api/me", "", "Cookie", other)
	c.want(204, "", "POST", "/api/logout", "", "Cookie", other) // again
	c.want(204, "", "POST", "/api/logout", "")
}

func TestLoginIsForTheOwnPage(t *testing.T) {
	t.Parallel()
	c, _ := locked(t)
	c.wantError(403, fault.Forbidden, "page", "POST", "/api/login", annLogin, "Content-Type", "application/json", "Origin", "https://evil.example")
	c.wantError(415, fault.Invalid, "", "POST", "/api/login", annLogin, "Content-Type", "text/plain")
	c.wantError(403, fault.Forbidden, "own page", "POST", "/api/login", annLogin, "Content-Type", "application/json", "Origin", "http://shop.example") // listed
	cookie := c.signIn("Origin", c.url)
	c.wantError(403, fault.Forbidden, "page", "POST", "/api/logout", "", "Cookie", cookie, "Origin", "https://evil.example")
	c.wantError(403, fault.Forbidden, "own page", "POST", "/api/logout", "", "Cookie", cookie, "Origin", "http://shop.example")
	c.wantError(401, fault.Unauthorized, "", "POST", "/api/tokens", `{"name":"x"}`, "Content-Type", "application/json", "Cookie", cookie, "Origin", "http://shop.example")
	c.wantError(401, fault.Unauthorized, "", "DELETE", "/api/documents/1", "", "Cookie", cookie, "Origin", "http://shop.example")
	c.want(200, annIs, "GET", "/api/me", "", "Cookie", cookie)
	resp, _ := c.do("POST", "/api/login", annLogin, "Content-Type", "application/json", "X-Forwarded-Proto", "https")
	if k := resp.Cookies(); len(k) != 1 || !k[0].Secure {
		t.Errorf("by TLS the cookie is %v", k)
	}
}

func TestWrongLogin(t *testing.T) {
	t.Parallel()
	c, _ := locked(t)
	const path, kind = "/api/login", "application/json"
	wrong := func(name, password string) (*http.Response, string) {
		return c.do("POST", path, fmt.Sprintf(`{"username":%q,"password":%q}`, name, password), "Content-Type", kind)
	}
	for _, body := range []string{`{}`, `{"username":"","password":"x"}`, `{"username":"ann"}`, `{"username":1,"password":"x"}`, `[]`, `{`} {
		c.wantError(400, fault.Invalid, "", "POST", path, body, "Content-Type", kind)
	}
	c.wantError(413, fault.Invalid, "", "POST", path, `{"username":"`+strings.Repeat("x", loginBytes)+`"}`, "Content-Type", kind)
	_, first := wrong("ann", "wrong horse")
	for _, try := range [][2]string{{"nadine", "wrong horse"}, {"nadine", "correct horse"}, {"ann", strings.Repeat("x", auth.MaxPasswordBytes+1)}} {
		if resp, body := wrong(try[0], try[1]); resp.StatusCode != 401 || body != first || len(resp.Cookies()) != 0 {
			t.Errorf("%s: %d %s", try[0], resp.StatusCode, body)
		}
	}
	for range 4 { // the password over the limit did not count as an attempt
		wrong("ann", "wrong horse")
	}
	resp, body := wrong("ann", "correct horse")
	if after := resp.Header.Values("Retry-After"); resp.StatusCode != 429 || len(after) != 1 || after[0] != "1" || !strings.Contains(body, `"rate_limited"`) {
		t.Errorf("after five wrong ones: %d %s %v", resp.StatusCode, body, resp.Header)
	}
	if log := c.log.String(); !strings.Contains(log, "login") || strings.Contains(log, "horse") || strings.Contains(log, "nadine") {
		t.Errorf("a password or a name is in the log, or nothing:\n%s", log)
	}
}

func TestMeByToken(t *testing.T) {
	t.Parallel()
	c, a := locked(t)
	token, err := a.CreateToken(t.Context(), auth.TokenSpec{Name: "ci", Scopes: auth.Scopes{auth.Ask}})
	if err != nil {
		t.Fatal(err)
	}
	c.want(200, `{"id":"token:ci","name":"ci","scopes":["ask"],"auth":true,"manages":false}`, "GET", "/api/me", "", "Authorization", "Bearer "+token)
	c.wantError(403, fault.Forbidden, "ingest", "DELETE", "/api/documents/1", "", "Authorization", "Bearer "+token)
	resp, _ := c.do("GET", "/api/me", "", "Authorization", "Bearer x")
	if resp.StatusCode != 401 || len(resp.Header.Values("WWW-Authenticate")) != 1 {
		t.Errorf("a wrong token: %d %v", resp.StatusCode, resp.Header)
	}
}

func TestAuthenticationIsOff(t *testing.T) {
	t.Parallel()
	c := newWorld().serve(t)
	c.want(200, `{"id":"","name":"","scopes":["admin"],"auth":false,"manages":true}`, "GET", "/api/me", "")
	c.wantError(404, fault.NotFound, "authentication is off", "POST", "/api/login", annLogin, "Content-Type", "application/json")
	c.want(204, "", "POST", "/api/logout", "", "Cookie", auth.CookieName+"=x")
}
