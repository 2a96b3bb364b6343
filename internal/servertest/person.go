package servertest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"docent/auth"
	"docent/internal/wiring"
	"docent/internal/wstest"
)

// Patience bounds each wait of a test. Only a broken server takes that long.
const Patience = 3 * time.Minute

// Password is the password of all users.
const Password = "correct horse battery staple"

// Person is somebody who uses a server. The zero Person shows no credentials.
type Person struct {
	// Name is "user NAME", "token NAME", or a description.
	Name string
	// ID is the id of the principal; "" without valid credentials.
	ID string
	// Scopes are the scopes of the principal.
	Scopes auth.Scopes
	// Header has the credentials of each request.
	Header http.Header
	// Token is the token, or "".
	Token string
	// Wrong says that the token is invalid.
	Wrong bool
}

// People creates users and tokens in a database. It returns them with their
// credentials, together with people who have none, or wrong ones.
func People(ctx context.Context, db *wiring.Database) ([]Person, error) {
	a, err := db.Authenticator(auth.Config{})
	if err != nil {
		return nil, err
	}
	defer a.Close()
	all := []Person{
		{Name: "nobody"},
		{Name: "bad token", Header: http.Header{"Authorization": {"Bearer docent_wrong"}}, Wrong: true},
		{Name: "bad cookie", Header: http.Header{"Cookie": {auth.CookieName + "=wrong"}}}, // counts as none
	}
	for _, p := range []struct {
		name   string
		scopes auth.Scopes
	}{
		{"owner", auth.Scopes{auth.Ask}},
		{"other", auth.Scopes{auth.Ask}},
		{"feeder", auth.Scopes{auth.Ingest}},
		{"both", auth.Scopes{auth.Ask, auth.Ingest}},
		{"root", auth.Scopes{auth.Admin}},
		{"site", auth.Scopes{auth.Chat}},
	} {
		token, err := a.CreateToken(ctx, auth.TokenSpec{Name: p.name, Scopes: p.scopes})
		if err != nil {
			return nil, fmt.Errorf("create token %s: %w", p.name, err)
		}
		all = append(all, Person{
			Name: "token " + p.name, ID: "token:" + p.name, Scopes: p.scopes, Token: token,
			Header: http.Header{"Authorization": {"Bearer " + token}},
		})
		if p.name == "site" { // no user may have this scope
			continue
		}
		if err := a.CreateUser(ctx, p.name, Password, p.scopes); err != nil {
			return nil, fmt.Errorf("create user %s: %w", p.name, err)
		}
		cookie, user, err := a.Password(ctx, p.name, Password, "127.0.0.1")
		if err != nil {
			return nil, fmt.Errorf("sign in as %s: %w", p.name, err)
		}
		all = append(all, Person{
			Name: "user " + p.name, ID: user.ID, Scopes: p.scopes, Header: http.Header{"Cookie": {auth.CookieName + "=" + cookie}},
		})
	}
	return all, nil
}

// May reports whether the principal has a scope.
func (p Person) May(scope auth.Scope) bool {
	return auth.Principal{ID: p.ID, Scopes: p.Scopes}.May(scope)
}

// Request sends a request. header has pairs of name and value. It returns the response
// with its body. It does not follow redirects.
func (p Person) Request(t testing.TB, method, url, body string, header ...string) (*http.Response, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), Patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = p.header(header)
	if host := req.Header.Get("Host"); host != "" {
		req.Host = host
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

// Dial opens a WebSocket at a URL of HTTP. The connection closes at the end of the
// test.
func (p Person) Dial(t testing.TB, url string) *wstest.Conn {
	t.Helper()
	c, _, err := p.TryDial(t, url) //nolint:bodyclose // a response to a handshake has no body to close
	if err != nil {
		t.Fatalf("%s at %s: %v", p.Name, url, err)
	}
	return c
}

// TryDial is Dial with additional headers. It returns the response of a server that
// refuses.
func (p Person) TryDial(t testing.TB, url string, header ...string) (*wstest.Conn, *http.Response, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), Patience)
	defer cancel()
	c, resp, err := wstest.Dial(ctx, "ws"+strings.TrimPrefix(url, "http"), &wstest.DialOptions{HTTPHeader: p.header(header)})
	if err != nil {
		return nil, resp, err //nolint:wrapcheck // the test reads it
	}
	c.SetReadLimit(8 << 20)
	t.Cleanup(func() { _ = c.CloseNow() })
	return c, resp, nil
}

// header returns the credentials together with pairs of name and value.
func (p Person) header(pairs []string) http.Header {
	h := p.Header.Clone()
	if h == nil {
		h = http.Header{}
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		h.Set(pairs[i], pairs[i+1])
	}
	return h
}
