package api

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"docent/auth"
	"docent/internal/fault"
)

// TestTokens checks that a signed-in user can create, use, and revoke tokens.
func TestTokens(t *testing.T) {
	t.Parallel()
	c, a := locked(t)
	cookie := c.signIn()
	as := func(method, path, body string, header ...string) (int, string) {
		t.Helper()
		resp, got := c.do(method, path, body, append([]string{"Cookie", cookie, "Content-Type", "application/json"}, header...)...)
		return resp.StatusCode, got
	}
	refused := func(status int, says, method, path, body string, header ...string) {
		t.Helper()
		if got, answer := as(method, path, body, header...); got != status || !strings.Contains(answer, says) {
			t.Errorf("%s %s %s: %d %s, want %d with %q", method, path, body, got, answer, status, says)
		}
	}
	if status, body := as("GET", "/api/tokens", ""); status != 200 || body != "[]\n" {
		t.Fatalf("at first: %d %q", status, body)
	}
	ends := time.Now().Add(time.Hour).UTC().Truncate(time.Second)
	status, body := as("POST", "/api/tokens", fmt.Sprintf(`{"name":"ci","scopes":["ask"],"expires_at":%q}`, ends.Format(time.RFC3339)))
	var made NewToken
	if err := json.Unmarshal([]byte(body), &made); err != nil || status != 201 || made.ID == 0 || made.Name != "ci" || !strings.HasPrefix(made.Secret, "docent_") ||
		made.ExpiresAt == nil || !made.ExpiresAt.Equal(ends) || made.LastUsedAt != nil || fmt.Sprint(made.Scopes) != "[ask]" {
		t.Fatalf("made: %d %s, %v", status, body, err)
	}
	bearer := []string{"Authorization", "Bearer " + made.Secret}
	c.want(200, `{"id":"user:ann","name":"ann","scopes":["ask"],"auth":true,"manages":false}`, "GET", "/api/me", "", bearer...)
	c.wantError(403, fault.Forbidden, "sign in with a name and a password", "GET", "/api/tokens", "", bearer...)
	c.wantError(403, fault.Forbidden, "sign in", "POST", "/api/tokens", `{"name":"x","scopes":["ask"]}`, append(bearer, "Content-Type", "application/json")...)
	c.wantError(401, fault.Unauthorized, "", "GET", "/api/tokens", "")

	refused(409, "there is already a token", "POST", "/api/tokens", `{"name":"ci","scopes":["ask"]}`)
	refused(403, "scope admin", "POST", "/api/tokens", `{"name":"root","scopes":["ask","admin"]}`)
	for _, wrong := range []string{
		`{"name":"","scopes":["ask"]}`, `{"name":"a b","scopes":["ask"]}`, `{"name":"x","scopes":[]}`, `{"name":"x","scopes":["fly"]}`, `{"name":"x"}`,
		`{"name":"x","scopes":["ask"],"expires_at":"soon"}`, `{"name":"x","scopes":["ask"],"expires_at":"2001-01-01T00:00:00Z"}`,
		`{"name":"x","scopes":["ask"],"expires_at":"0001-01-01T00:00:00Z"}`, `{"name":"x","scopes":["ask"],"user":"bob"}`,
	} {
		refused(400, `"invalid"`, "POST", "/api/tokens", wrong)
	}
	// A page of another origin cannot create tokens.
	refused(403, "this origin", "POST", "/api/tokens", `{"name":"evil","scopes":["ask"]}`, "Origin", "https://evil.example")
	refused(403, "this origin", "POST", "/api/tokens", `{"name":"evil","scopes":["ask"]}`, "Origin", "http://127.0.0.1:1")
	refused(401, "sign in", "POST", "/api/tokens", `{"name":"evil","scopes":["ask"]}`, "Sec-Fetch-Site", "same-site")
	refused(403, "this origin", "DELETE", fmt.Sprint("/api/tokens/", made.ID), "", "Origin", "null")
	refused(401, "sign in", "DELETE", fmt.Sprint("/api/tokens/", made.ID), "", "Sec-Fetch-Site", "cross-site")
	refused(401, "sign in", "GET", "/api/tokens", "", "Sec-Fetch-Site", "cross-site")
	resp, answer := c.do("POST", "/api/tokens", `{"name":"evil","scopes":["ask"]}`, "Cookie", cookie, "Content-Type", "text/plain")
	if resp.StatusCode != 415 {
		t.Errorf("as a form may send it: %d %s", resp.StatusCode, answer)
	}

	// The tokens of other users look as if they did not exist.
	if err := a.CreateUser(t.Context(), "bob", "correct horse", auth.Scopes{auth.Ask}); err != nil {
		t.Fatal(err)
	}
	if _, err := a.CreateToken(t.Context(), auth.TokenSpec{Name: "bobs", Scopes: auth.Scopes{auth.Ask}, User: "bob"}); err != nil {
		t.Fatal(err)
	}
	refused(409, "there is already a token", "POST", "/api/tokens", `{"name":"bobs","scopes":["ask"]}`)
	for id := range 5 {
		if int64(id) != made.ID {
			refused(map[bool]int{true: 400, false: 404}[id == 0], `"code"`, "DELETE", fmt.Sprint("/api/tokens/", id), "")
		}
	}
	status, body = as("GET", "/api/tokens", "")
	var list []Token
	err := json.Unmarshal([]byte(body), &list)
	if err != nil || status != 200 || len(list) != 1 || list[0].ID != made.ID || strings.Contains(body, made.Secret) {
		t.Errorf("listed: %d %s, %v", status, body, err)
	}
	if status, body := as("DELETE", fmt.Sprint("/api/tokens/", made.ID), ""); status != 204 || body != "" {
		t.Errorf("revoked: %d %s", status, body)
	}
	c.wantError(401, fault.Unauthorized, "", "GET", "/api/me", "", bearer...)
	refused(404, "no such token", "DELETE", fmt.Sprint("/api/tokens/", made.ID), "")
	if log := c.log.String(); strings.Contains(log, made.Secret) || !strings.Contains(log, `msg="token made" principal=user:ann token=`) || !strings.Contains(log, `msg="token revoked" principal=user:ann`) {
		t.Errorf("the log says\n%s", log)
	}
	for i := range auth.MaxUserTokens {
		if _, err := a.CreateToken(t.Context(), auth.TokenSpec{Name: fmt.Sprint("t", i), Scopes: auth.Scopes{auth.Ask}, User: "ann"}); err != nil {
			t.Fatal(err)
		}
	}
	refused(409, "50 tokens", "POST", "/api/tokens", `{"name":"more","scopes":["ask"]}`)
}

func TestTokensWithoutAuthentication(t *testing.T) {
	t.Parallel()
	c := newWorld().serve(t)
	c.wantError(404, fault.NotFound, "authentication is off", "GET", "/api/tokens", "")
	c.wantError(404, fault.NotFound, "authentication is off", "POST", "/api/tokens", `{"name":"x","scopes":["ask"]}`)
	c.wantError(404, fault.NotFound, "authentication is off", "DELETE", "/api/tokens/1", "")
}
