package main

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"docent/auth"
	"docent/internal/wiring"
)

// who is somebody that uses a server.
type who struct {
	name   string
	id     string      // of the principal; "" of nobody
	scopes auth.Scopes // none of nobody
	shows  http.Header // with every request
	token  string      // "" without a token
	wrong  bool        // the token is invalid
}

// may reports whether that is in the scopes.
func (w who) may(scope auth.Scope) bool {
	return auth.Principal{ID: w.id, Scopes: w.scopes}.May(scope)
}

// password is that of every user in these tests.
const password = "correct horse battery staple"

// opened is databaseOf until the end of the test.
func opened(t *testing.T, env []string) *wiring.Database {
	t.Helper()
	db := databaseOf(t, env)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// crowd creates users and tokens and returns them, together with unknown users.
func crowd(t *testing.T, db *wiring.Database) []who {
	t.Helper()
	a, err := db.Authenticator(auth.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	all := []who{
		{name: "nobody"},
		{name: "bad token", shows: http.Header{"Authorization": {"Bearer docent_wrong"}}, wrong: true},
		{name: "bad cookie", shows: http.Header{"Cookie": {auth.CookieName + "=wrong"}}}, // is as none
	}
	for name, scopes := range map[string]auth.Scopes{
		"owner": {auth.Ask}, "other": {auth.Ask}, "feeder": {auth.Ingest}, "both": {auth.Ask, auth.Ingest}, "root": {auth.Admin}, "site": {auth.Chat},
	} {
		token, err := a.CreateToken(t.Context(), auth.TokenSpec{Name: name, Scopes: scopes})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, who{
			name: "token " + name, id: "token:" + name, scopes: scopes, token: token,
			shows: http.Header{"Authorization": {"Bearer " + token}},
		})
		if name == "site" { // no user may have this scope
			continue
		}
		if err := a.CreateUser(t.Context(), name, password, scopes); err != nil {
			t.Fatal(err)
		}
		cookie, p, err := a.Password(t.Context(), name, password, "127.0.0.1")
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, who{
			name: "user " + name, id: p.ID, scopes: scopes, shows: http.Header{"Cookie": {auth.CookieName + "=" + cookie}},
		})
	}
	return all
}

// request sends a request as a user and returns the response with its body.
func (w who) request(t *testing.T, method, at, body string, header ...string) (*http.Response, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, at, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, values := range w.shows {
		req.Header[name] = values
	}
	for i := 0; i+1 < len(header); i += 2 {
		if header[i] == "Host" {
			req.Host = header[i+1]
		}
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(text)
}
