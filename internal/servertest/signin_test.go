package servertest_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"docent/internal/servertest"
)

// provider is an OpenID Connect provider whose user signs in at once. It checks docent's requests.
type provider struct {
	*httptest.Server
	t     *testing.T
	key   *rsa.PrivateKey
	other *rsa.PrivateKey

	mu     sync.Mutex // guards the fields below
	claims map[string]any
	forge  string // the part of the next token that is wrong
	codes  map[string]url.Values
	denied bool
	info   map[string]any // the answer for the user's data
}

func newProvider(t *testing.T) *provider {
	t.Helper()
	p := &provider{t: t, codes: map[string]url.Values{}}
	var err error
	for _, key := range []**rsa.PrivateKey{&p.key, &p.other} {
		if *key, err = rsa.GenerateKey(rand.Reader, 2048); err != nil {
			t.Fatal(err)
		}
	}
	mux := http.NewServeMux()
	reply := func(w http.ResponseWriter, v any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v)
	}
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, map[string]any{
			"issuer": p.URL, "jwks_uri": p.URL + "/keys", "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token",
			"userinfo_endpoint": p.URL + "/me", "scopes_supported": []string{"openid", "groups"},
		})
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, map[string]any{"keys": []any{map[string]any{
			"kty": "RSA", "kid": "k", "use": "sig", "alg": "RS256", "n": b64(p.key.N.Bytes()), "e": "AQAB",
		}}})
	})
	mux.HandleFunc("GET /authorize", p.authorize)
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) {
		if token := p.redeem(r); token != nil {
			reply(w, token)
			return
		}
		http.Error(w, `{"error":"invalid_grant"}`, http.StatusBadRequest)
	})
	mux.HandleFunc("GET /me", func(w http.ResponseWriter, _ *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		reply(w, p.info)
	})
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	return p
}

func b64(data []byte) string { return base64.RawURLEncoding.EncodeToString(data) }

// authorize sends the browser back with a code.
func (p *provider) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("client_id") != "docent" || q.Get("response_type") != "code" || q.Get("code_challenge_method") != "S256" ||
		q.Get("nonce") == "" || q.Get("state") == "" || !strings.Contains(q.Get("scope"), "openid") || !strings.Contains(q.Get("scope"), "groups") {
		p.t.Errorf("the request is %v", q)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	back := url.Values{"state": q["state"], "iss": {p.URL}}
	if p.denied {
		back.Set("error", "access_denied")
	} else {
		code := rand.Text()
		p.codes[code] = q
		back.Set("code", code)
	}
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
}

// redeem returns the tokens for a code; nil if a check fails.
func (p *provider) redeem(r *http.Request) map[string]any {
	p.mu.Lock()
	defer p.mu.Unlock()
	id, secret, _ := r.BasicAuth()
	q, known := p.codes[r.FormValue("code")]
	delete(p.codes, r.FormValue("code"))
	sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	if id != "docent" || secret != "hush-hush" || !known || b64(sum[:]) != q.Get("code_challenge") || r.FormValue("redirect_uri") != q.Get("redirect_uri") {
		p.t.Errorf("the code is redeemed with %v as %s", r.Form, id)
		return nil
	}
	now := time.Now()
	body := map[string]any{"iss": p.URL, "aud": "docent", "iat": now.Unix(), "exp": now.Add(time.Hour).Unix(), "nonce": q.Get("nonce")}
	maps.Copy(body, p.claims)
	key := p.key
	switch p.forge {
	case "nonce", "aud", "iss":
		body[p.forge] = "another"
	case "signature":
		key = p.other
	case "expiry":
		body["exp"] = now.Add(-time.Hour).Unix()
	}
	payload, err := json.Marshal(body)
	if err != nil {
		p.t.Error(err)
	}
	input := b64([]byte(`{"alg":"RS256","kid":"k"}`)) + "." + b64(payload)
	digest := sha256.Sum256([]byte(input))
	signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, digest[:])
	if err != nil {
		p.t.Error(err)
	}
	return map[string]any{"access_token": "t", "token_type": "Bearer", "id_token": input + "." + b64(signature)}
}

// set changes what the provider says about its user.
func (p *provider) set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}

// browser is a browser that goes to the provider and back.
type browser struct {
	t *testing.T
	s *servertest.Server
	*http.Client
}

func newBrowser(t *testing.T, s *servertest.Server) browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return browser{t, s, &http.Client{Jar: jar}}
}

// get returns the last address and the content of a page.
func (b browser) get(path string) (at, body string) {
	b.t.Helper()
	resp, err := b.Get(b.s.URL + path)
	if err != nil {
		b.t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // it is read
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return strings.TrimPrefix(resp.Request.URL.String(), b.s.URL), string(text)
}

// signIn signs in and wants to arrive at a place of the page, or at the id of an error.
func (b browser) signIn(query, want string) {
	b.t.Helper()
	if at, _ := b.get("/api/sign-in/start" + query); at != want {
		b.t.Errorf("the sign-in ends at %s, want %s", at, want)
	}
}

// me wants the user of the browser.
func (b browser) me(want string) {
	b.t.Helper()
	if _, body := b.get("/api/me"); !strings.Contains(body, want) {
		b.t.Errorf("the user is %s, want %s", body, want)
	}
}

// TestSignInWithProvider: users sign in with an OpenID Connect provider. The subject identifies them, names do not.
func TestSignInWithProvider(t *testing.T) {
	t.Parallel()
	servertest.OnBothStores(t, func(t *testing.T, store servertest.Store) {
		p := newProvider(t)
		s := servertest.Start(t, servertest.Config{Store: store, Auth: true, Documents: []servertest.Document{pump}})
		c := changes{t, s, s.Person("user root")}
		set := c.setSignIn
		newBrowser(t, s).signIn("", "/?sign-in=sign_in_provider_off")
		for _, bad := range []string{"http://login.example.com", "ftp://login.example.com", "https://user@login.example.com", "login"} {
			set("issuer", bad, http.StatusBadRequest)
		}
		set("issuer", p.URL, http.StatusOK)
		set("client-id", "docent", http.StatusOK)
		if got := set("client-secret", "hush-hush", http.StatusOK); strings.Contains(got, "hush") || !strings.Contains(got, `"has":true`) {
			t.Errorf("the secret is %s", got)
		}
		if got := c.do(http.MethodGet, "/api/settings", "", http.StatusOK); strings.Contains(got, "hush") {
			t.Error("the list of settings has the secret")
		}
		set("label", "Example", http.StatusOK)
		b := newBrowser(t, s)
		if _, got := b.get("/api/sign-in"); !strings.Contains(got, `"label":"Example"`) {
			t.Errorf("the button says %s", got)
		}

		// A user without an account, and then with one. Her groups count.
		p.set(func() {
			p.claims = map[string]any{"sub": "1", "preferred_username": "Eva", "groups": []string{"staff"}}
		})
		c.do(http.MethodPost, "/api/groups", `{"name":"staff"}`, http.StatusNoContent)
		c.do(http.MethodPut, "/api/collections/default/rights", `{"subject":"group:staff","right":"read"}`, http.StatusNoContent)
		b.signIn("", "/?sign-in=sign_in_unknown")
		set("create-users", "true", http.StatusOK)
		b.signIn("?to=%23%2Fdocuments", "/#/documents")
		b.me(`"id":"user:eva","name":"eva","scopes":["ask"]`)
		b.me(`"no_password":true`)
		if _, got := b.get("/api/documents"); !strings.Contains(got, "pump.md") {
			t.Errorf("the group gives no right: %s", got)
		}
		b.signIn("?to=https://evil.example", "/") // another sign-in is of the same user
		b.me(`"id":"user:eva"`)
		if log := c.do(http.MethodGet, "/api/admin/log", "", http.StatusOK); !strings.Contains(log, `"user:eva"`) {
			t.Errorf("the audit log has %s", log)
		}

		// Another subject with the name of an administrator is another user. Its groups come from the data of the user.
		p.set(func() {
			p.claims, p.info = map[string]any{"sub": "2", "preferred_username": "root", "email": "root@example.com"}, map[string]any{"sub": "2", "groups": []string{"staff"}}
		})
		second := newBrowser(t, s)
		second.signIn("", "/")
		second.me(`"id":"user:root-2","name":"root-2","scopes":["ask"]`)
		if _, got := second.get("/api/documents"); !strings.Contains(got, "pump.md") {
			t.Errorf("the group of the data gives no right: %s", got)
		}
		p.set(func() { p.claims["sub"] = "3" }) // the data is of another user
		third := newBrowser(t, s)
		third.signIn("", "/")
		third.me(`"id":"user:root-3"`)
		if _, got := third.get("/api/documents"); strings.Contains(got, "pump.md") {
			t.Errorf("the groups of another user count: %s", got)
		}

		forged(t, s, p)

		// Disabled users do not come in, and their logins end.
		c.do(http.MethodPatch, "/api/users/eva", `{"disabled":true}`, http.StatusNoContent)
		b.me("unauthorized")
		p.set(func() { p.claims["sub"] = "1" })
		b.signIn("", "/?sign-in=user_disabled")
		b.me("unauthorized")

		set("create-users", "false", http.StatusOK)
		invited := c.invited(p)

		// Signing out ends the login. So does a restart not.
		s.Restart()
		invited.s = s
		invited.me(`"id":"user:bob"`)
		resp, err := invited.Post(s.URL+"/api/logout", "application/json", nil)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		invited.me("unauthorized")
	})
}

// setSignIn changes a setting of the sign-in.
func (c changes) setSignIn(key, value string, want int) string {
	c.t.Helper()
	return c.do(http.MethodPut, "/api/settings/sign-in."+key, `{"value":"`+value+`"}`, want)
}

// forged: wrong responses sign nobody in.
func forged(t *testing.T, s *servertest.Server, p *provider) {
	t.Helper()
	for _, forge := range []string{"nonce", "aud", "iss", "signature", "expiry"} {
		p.set(func() { p.forge = forge })
		wrong := newBrowser(t, s)
		if at, _ := wrong.get("/api/sign-in/start"); !strings.HasPrefix(at, "/?sign-in=token_") {
			t.Errorf("with another %s, the sign-in ends at %s", forge, at)
		}
		wrong.me("unauthorized")
	}
	p.set(func() { p.forge = "" })
	if at, _ := newBrowser(t, s).get("/api/sign-in/callback?code=x&state=y"); at != "/?sign-in=sign_in_lost" {
		t.Errorf("without its cookie, the sign-in ends at %s", at)
	}
	p.set(func() { p.denied = true })
	newBrowser(t, s).signIn("", "/?sign-in=sign_in_canceled")
	p.set(func() { p.denied = false })
}

// invited: an invited user keeps the name of the invitation. The link works once.
func (c changes) invited(p *provider) browser {
	c.t.Helper()
	var link struct{ Link string }
	if err := json.Unmarshal([]byte(c.do(http.MethodPost, "/api/users", `{"name":"bob","scopes":["ask","ingest"]}`, http.StatusCreated)), &link); err != nil {
		c.t.Fatal(err)
	}
	p.set(func() { p.claims["sub"] = "4" })
	invited := newBrowser(c.t, c.s)
	invited.signIn("?link="+link.Link, "/")
	invited.me(`"id":"user:bob","name":"bob","scopes":["ask","ingest"]`)
	p.set(func() { p.claims["sub"] = "5" })
	newBrowser(c.t, c.s).signIn("?link="+link.Link, "/?sign-in=link_wrong")
	if users := c.do(http.MethodGet, "/api/users", "", http.StatusOK); !strings.Contains(users, `"name":"bob","scopes":["ask","ingest"],"groups":[],"disabled":false,"invited":false`) {
		c.t.Errorf("the users are %s", users)
	}
	return invited
}
