package auth_test

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"docent/auth"
	"docent/internal/fault"
)

// issuer is an OpenID Connect issuer that serves tests over HTTP.
type issuer struct {
	*httptest.Server
	rsa, next *rsa.PrivateKey
	ec        *ecdsa.PrivateKey
	ed        ed25519.PrivateKey

	down     atomic.Bool
	rotated  atomic.Bool
	huge     atomic.Bool
	asked    atomic.Int32 // requests for its configuration
	keysSent atomic.Int32
}

var rsaKeys = sync.OnceValue(func() [2]*rsa.PrivateKey {
	var out [2]*rsa.PrivateKey
	for i := range out {
		key, err := rsa.GenerateKey(rand.Reader, 2048)
		if err != nil {
			panic(err)
		}
		out[i] = key
	}
	return out
})

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	i := &issuer{rsa: rsaKeys()[0], next: rsaKeys()[1]}
	var err error
	i.ec, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	ok(t, err)
	_, i.ed, err = ed25519.GenerateKey(rand.Reader)
	ok(t, err)
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		i.asked.Add(1)
		if i.down.Load() {
			http.Error(w, "down", http.StatusBadGateway)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{
			"issuer": i.URL, "jwks_uri": i.URL + "/keys",
			// The configuration lists these algorithms, but docent accepts none of
			// them.
			"id_token_signing_alg_values_supported": []string{"RS256", "HS256", "none"},
		})
	})
	mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) {
		i.keysSent.Add(1)
		switch {
		case i.down.Load():
			http.Error(w, "down", http.StatusBadGateway)
		case i.huge.Load():
			fmt.Fprintf(w, `{"keys":[],"x":"%s"}`, strings.Repeat("x", auth.IssuerBytes))
		default:
			_ = json.NewEncoder(w).Encode(map[string]any{"keys": i.keys()})
		}
	})
	i.Server = httptest.NewServer(mux)
	t.Cleanup(i.Close)
	return i
}

var b64 = base64.RawURLEncoding.EncodeToString

func rsaJWK(kid string, key *rsa.PrivateKey) map[string]any {
	return map[string]any{"kty": "RSA", "kid": kid, "use": "sig", "n": b64(key.N.Bytes()), "e": "AQAB"}
}

func (i *issuer) keys() []map[string]any {
	if i.rotated.Load() {
		return []map[string]any{rsaJWK("rsa2", i.next)}
	}
	point, err := i.ec.PublicKey.Bytes()
	if err != nil {
		panic(err)
	}
	return []map[string]any{
		rsaJWK("rsa", i.rsa),
		{"kty": "EC", "kid": "ec", "crv": "P-256", "x": b64(point[1:33]), "y": b64(point[33:])},
		{"kty": "OKP", "kid": "ed", "crv": "Ed25519", "x": b64(i.ed.Public().(ed25519.PublicKey))},
	}
}

type claims map[string]any

// jwt makes a token. sign receives the data to sign.
func jwt(header, body claims, sign func(input []byte) []byte) string {
	h, err := json.Marshal(header)
	if err != nil {
		panic(err)
	}
	c, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	input := b64(h) + "." + b64(c)
	return input + "." + b64(sign([]byte(input)))
}

func signRSA(key *rsa.PrivateKey) func([]byte) []byte {
	return func(input []byte) []byte {
		digest := sha256.Sum256(input)
		out, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, digest[:])
		if err != nil {
			panic(err)
		}
		return out
	}
}

func (i *issuer) signEC(input []byte) []byte {
	digest := sha256.Sum256(input)
	r, s, err := ecdsa.Sign(rand.Reader, i.ec, digest[:])
	if err != nil {
		panic(err)
	}
	return append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...)
}

func signHMAC(key []byte) func([]byte) []byte {
	return func(input []byte) []byte {
		mac := hmac.New(sha256.New, key)
		mac.Write(input)
		return mac.Sum(nil)
	}
}

// claims returns the claims of a token that is valid at the world's time, with
// changes.
func (i *issuer) claims(w *world, change claims) claims {
	now := w.clock.now()
	out := claims{"iss": i.URL, "aud": "docent", "sub": "s-1", "iat": now.Unix(), "exp": now.Add(time.Hour).Unix(), "email": "ann@example.com"}
	maps.Copy(out, change)
	for name, value := range change {
		if value == nil {
			delete(out, name)
		}
	}
	return out
}

func (i *issuer) token(w *world, change claims) string {
	return jwt(claims{"alg": "RS256", "kid": "rsa", "typ": "JWT"}, i.claims(w, change), signRSA(i.rsa))
}

func newOIDC(t *testing.T) (*world, *issuer) {
	t.Helper()
	i := newIssuer(t)
	return newWorld(t, func(c *auth.Config) {
		c.Issuer, c.Audience, c.IssuerScopes = i.URL, "docent", auth.Scopes{auth.Ask, auth.Ingest}
	}), i
}

func TestJWT(t *testing.T) {
	t.Parallel()
	w, i := newOIDC(t)
	if i.asked.Load() != 0 {
		t.Error("the issuer is asked before it is needed")
	}
	id := "oidc:" + i.URL + "#s-1 "
	p, err := w.Token(t.Context(), i.token(w, nil))
	w.is(p, err, id+"ann@example.com ask ingest")
	if !p.Expires.Equal(w.clock.now().Add(time.Hour + auth.ClockSkew)) {
		t.Errorf("it ends at %s", p.Expires)
	}
	for name, token := range map[string]string{
		"user name first": i.token(w, claims{"preferred_username": "ann"}),
		"among audiences": i.token(w, claims{"aud": []string{"other", "docent"}, "preferred_username": "ann"}),
		"no kid":          jwt(claims{"alg": "RS256"}, i.claims(w, claims{"preferred_username": "ann"}), signRSA(i.rsa)),
		"ES256":           jwt(claims{"alg": "ES256", "kid": "ec"}, i.claims(w, claims{"preferred_username": "ann"}), i.signEC),
		"EdDSA": jwt(claims{"alg": "EdDSA", "kid": "ed"}, i.claims(w, claims{"preferred_username": "ann"}),
			func(input []byte) []byte { return ed25519.Sign(i.ed, input) }),
		"odd email":     i.token(w, claims{"email": "a\nb", "preferred_username": "ann"}),
		"just begun":    i.token(w, claims{"nbf": w.clock.now().Add(auth.ClockSkew).Unix(), "preferred_username": "ann"}),
		"just over":     i.token(w, claims{"exp": w.clock.now().Add(-auth.ClockSkew).Unix(), "preferred_username": "ann"}),
		"without email": i.token(w, claims{"email": nil, "preferred_username": "ann"}),
	} {
		p, err := w.Token(t.Context(), token)
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, w.log)
			continue
		}
		w.is(p, nil, id+"ann ask ingest")
	}
	p, err = w.Token(t.Context(), i.token(w, claims{"email": "a\nb"}))
	w.is(p, err, id+"s-1 ask ingest")
	if n, k := i.asked.Load(), i.keysSent.Load(); n != 1 || k != 1 {
		t.Errorf("the issuer was asked %d times and for its keys %d times", n, k)
	}
	w.clock.pass(time.Hour + auth.ClockSkew)
	fails(t, w.Valid(t.Context(), p), fault.Unauthorized, "ended")
}

// TestForgedJWT: algorithm confusion and other forgeries are rejected.
func TestForgedJWT(t *testing.T) {
	t.Parallel()
	w, i := newOIDC(t)
	der, err := x509.MarshalPKIXPublicKey(&i.rsa.PublicKey)
	ok(t, err)
	pkcs1 := x509.MarshalPKCS1PublicKey(&i.rsa.PublicKey)
	none := func([]byte) []byte { return nil }
	good := i.claims(w, nil)
	now := w.clock.now()
	stolen := strings.Split(i.token(w, nil), ".")
	admin, err := json.Marshal(i.claims(w, claims{"sub": "root"}))
	ok(t, err)
	evil := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("a token made docent ask %s", r.URL)
	}))
	defer evil.Close()
	own := rsaJWK("rsa", i.next)
	rs := func(header claims) claims {
		out := claims{"alg": "RS256", "kid": "rsa"}
		maps.Copy(out, header)
		return out
	}
	tokens := map[string]string{
		"alg none":             jwt(claims{"alg": "none"}, good, none),
		"alg None":             jwt(claims{"alg": "None", "kid": "rsa"}, good, none),
		"alg none, signed":     jwt(claims{"alg": "none", "kid": "rsa"}, good, signRSA(i.rsa)),
		"no alg":               jwt(claims{"kid": "rsa"}, good, signRSA(i.rsa)),
		"empty alg":            jwt(claims{"alg": "", "kid": "rsa"}, good, signRSA(i.rsa)),
		"alg rs256":            jwt(claims{"alg": "rs256", "kid": "rsa"}, good, signRSA(i.rsa)),
		"RS256, no signature":  jwt(rs(nil), good, none),
		"RS256, signed HS256":  jwt(rs(nil), good, signHMAC(der)),
		"RS384, signed RS256":  jwt(rs(claims{"alg": "RS384"}), good, signRSA(i.rsa)),
		"PS256, signed RS256":  jwt(rs(claims{"alg": "PS256"}), good, signRSA(i.rsa)),
		"ES256 by the RSA key": jwt(claims{"alg": "ES256", "kid": "rsa"}, good, i.signEC),
		"ES256 of zeros":       jwt(claims{"alg": "ES256", "kid": "ec"}, good, func([]byte) []byte { return make([]byte, 64) }),
		"another key":          jwt(rs(nil), good, signRSA(i.next)),
		"its own jwk":          jwt(rs(claims{"jwk": own}), good, signRSA(i.next)),
		"its own jku":          jwt(rs(claims{"jku": evil.URL, "x5u": evil.URL}), good, signRSA(i.next)),
		"unknown kid":          jwt(rs(claims{"kid": "rsa9"}), good, signRSA(i.rsa)),
		"kid of another key":   jwt(rs(claims{"kid": "ec"}), good, signRSA(i.rsa)),
		"kid is a path":        jwt(claims{"alg": "HS256", "kid": "../../dev/null"}, good, signHMAC(nil)),
		"kid is SQL":           jwt(claims{"alg": "HS256", "kid": "x' UNION SELECT 'a"}, good, signHMAC([]byte("a"))),
		"kid is a number":      jwt(claims{"alg": "RS256", "kid": 1}, good, signRSA(i.rsa)),
		"critical":             jwt(rs(claims{"crit": []string{"b64"}, "b64": false}), good, signRSA(i.rsa)),
		"other claims":         stolen[0] + "." + b64(admin) + "." + stolen[2],
		"other header":         b64([]byte(`{"alg":"RS256","kid":"rsa","x":1}`)) + "." + stolen[1] + "." + stolen[2],
		"cut signature":        stolen[0] + "." + stolen[1] + "." + stolen[2][:40],
		"wrong issuer":         i.token(w, claims{"iss": "https://id.example"}),
		"issuer with a slash":  i.token(w, claims{"iss": i.URL + "/"}),
		"no issuer":            i.token(w, claims{"iss": nil}),
		"wrong audience":       i.token(w, claims{"aud": "other"}),
		"part of the audience": i.token(w, claims{"aud": "docent-admin"}),
		"wrong audiences":      i.token(w, claims{"aud": []string{"a", "Docent"}}),
		"no audience":          i.token(w, claims{"aud": nil}),
		"expired":              i.token(w, claims{"exp": now.Add(-auth.ClockSkew - time.Second).Unix()}),
		"no expiry":            i.token(w, claims{"exp": nil}),
		"expiry 0":             i.token(w, claims{"exp": 0}),
		"expiry in words":      i.token(w, claims{"exp": "tomorrow"}),
		"not yet":              i.token(w, claims{"nbf": now.Add(auth.ClockSkew + 2*time.Second).Unix()}),
		"no subject":           i.token(w, claims{"sub": nil}),
		"empty subject":        i.token(w, claims{"sub": ""}),
		"subject with NUL":     i.token(w, claims{"sub": "a\x00"}),
		"subject is a number":  i.token(w, claims{"sub": 1}),
		"long subject":         i.token(w, claims{"sub": strings.Repeat("x", 256)}),
		"claims are a list":    stolen[0] + "." + b64([]byte("[]")) + "." + stolen[2],
	}
	for name, key := range map[string][]byte{
		"PEM":          pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}),
		"PEM, trimmed": []byte(strings.TrimSpace(string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})))),
		"PKCS1 PEM":    pem.EncodeToMemory(&pem.Block{Type: "RSA PUBLIC KEY", Bytes: pkcs1}),
		"DER":          der, "PKCS1": pkcs1, "n": i.rsa.N.Bytes(), "n in base64": []byte(b64(i.rsa.N.Bytes())), "empty": {},
	} {
		for _, alg := range []string{"HS256", "HS384", "HS512"} {
			tokens[alg+" by "+name] = jwt(claims{"alg": alg, "kid": "rsa"}, good, signHMAC(key))
		}
	}
	for name, token := range tokens {
		p, err := w.Token(t.Context(), token)
		if err == nil || fault.KindOf(err) != fault.Unauthorized || p.ID != "" {
			t.Errorf("%s: %+v %v", name, p, err)
			continue
		}
		if strings.Contains(err.Error(), token) || strings.Contains(w.log.String(), token) {
			t.Errorf("%s: the token is in the error or the log", name)
		}
	}
	_, err = w.Token(t.Context(), i.token(w, nil))
	ok(t, err)
	if k := i.keysSent.Load(); k != 1 {
		t.Errorf("%d forged tokens made docent ask for the keys %d times", len(tokens), k)
	}
}

// TestOnlyJWTsGoToTheIssuer checks that other tokens are not sent to the issuer,
// and that JWTs are refused without an issuer.
func TestOnlyJWTsGoToTheIssuer(t *testing.T) {
	t.Parallel()
	w, i := newOIDC(t)
	for _, token := range []string{"", "a.b.c", "eyJ.eyJ", "eyJh.eyJ.", "eyJh..x", "eyJh.eyJh.@", "eyJh.eyJh.eyJh.eyJh", "eyJh.eyJh.eyJh.eyJh.eyJh", `{"alg":"none"}`, "eyJ" + strings.Repeat("A", auth.MaxTokenBytes) + ".eyJh.eyJh"} {
		_, err := w.Token(t.Context(), token)
		fails(t, err, fault.Unauthorized, "unknown here")
	}
	if i.asked.Load() != 0 {
		t.Error("the issuer was asked")
	}
	_, err := newWorld(t).Token(t.Context(), i.token(w, nil))
	fails(t, err, fault.Unauthorized, "unknown here")
}

// TestIssuerDown: the server starts while the issuer is down, reports it, and
// recovers.
func TestIssuerDown(t *testing.T) {
	t.Parallel()
	w, i := newOIDC(t)
	docent := w.token(auth.TokenSpec{Name: "x", Scopes: auth.Scopes{auth.Ask}})
	i.down.Store(true)
	for range 30 { // a failure of the issuer is not an error of the client
		_, err := w.Token(t.Context(), i.token(w, nil))
		fails(t, err, fault.Unavailable, "does not answer")
	}
	if n := i.asked.Load(); n != 1 {
		t.Errorf("it was asked %d times", n)
	}
	_, err := w.Token(t.Context(), docent)
	ok(t, err)
	w.clock.pass(auth.IssuerPause)
	i.down.Store(false)
	_, err = w.Token(t.Context(), i.token(w, nil))
	ok(t, err)

	// The issuer is down again: the cached keys still verify tokens.
	i.down.Store(true)
	w.clock.pass(auth.IssuerPause)
	_, err = w.Token(t.Context(), i.token(w, nil))
	ok(t, err)
	rotated := jwt(claims{"alg": "RS256", "kid": "rsa2"}, i.claims(w, nil), signRSA(i.next))
	for range 2 {
		_, err = w.Token(t.Context(), rotated)
		fails(t, err, fault.Unavailable, "does not answer")
	}
	w.clock.pass(auth.IssuerPause)
	i.down.Store(false)
	i.huge.Store(true)
	_, err = w.Token(t.Context(), rotated)
	fails(t, err, fault.Unavailable, "does not answer")
	w.clock.pass(auth.IssuerPause)
	i.huge.Store(false)
	i.rotated.Store(true)
	_, err = w.Token(t.Context(), rotated)
	ok(t, err)
	_, err = w.Token(t.Context(), i.token(w, nil))
	fails(t, err, fault.Unauthorized, "not valid") // the key no longer exists
}

func TestIssuerOfAnotherName(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	other := httptest.NewServer(i.Config.Handler) // its configuration names i as the issuer
	defer other.Close()
	w := newWorld(t, func(c *auth.Config) { c.Issuer, c.Audience = other.URL, "docent" })
	_, err := w.Token(t.Context(), i.token(w, nil))
	fails(t, err, fault.Unavailable, "does not answer")
	if !strings.Contains(w.log.String(), "level=WARN") {
		t.Errorf("the log is %s", w.log)
	}
}

// TestIssuerThatHangs: callers may stop waiting for the issuer, and it gets one
// request.
func TestIssuerThatHangs(t *testing.T) {
	t.Parallel()
	asked, leave := make(chan struct{}, 9), make(chan struct{})
	hanging := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked <- struct{}{}
		<-leave
		w.WriteHeader(http.StatusBadGateway)
	}))
	defer hanging.Close()
	i := newIssuer(t)
	w := newWorld(t, func(c *auth.Config) { c.Issuer, c.Audience = hanging.URL, "docent" })
	token := i.token(w, nil)
	var all sync.WaitGroup
	all.Go(func() {
		if _, err := w.Token(t.Context(), token); fault.KindOf(err) != fault.Unavailable {
			t.Errorf("the first: %v", err)
		}
	})
	<-asked
	ctx, cancel := context.WithCancel(t.Context())
	for range 3 {
		all.Go(func() {
			if _, err := w.Token(ctx, token); fault.KindOf(err) != fault.Canceled {
				t.Errorf("one that gave up: %v", err)
			}
		})
	}
	cancel()
	close(leave)
	all.Wait()
	if len(asked) != 0 {
		t.Errorf("it was asked %d times more", len(asked))
	}
}

func FuzzJWT(f *testing.F) {
	f.Add(`{"alg":"RS256","kid":"rsa"}`, `{"iss":"x"}`, []byte("x"))
	f.Add(`{"alg":"none"}`, `{}`, []byte{})
	f.Add(`{"alg":"HS256","jwk":{"kty":"oct","k":"AA"}}`, `{"exp":1e400,"aud":{}}`, []byte{0})
	keys := httptest.NewServer(nil)
	f.Cleanup(keys.Close)
	keys.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"issuer": keys.URL, "jwks_uri": keys.URL + "/keys", "keys": []any{rsaJWK("rsa", rsaKeys()[0])}})
	})
	cfg := config(empty{})
	cfg.Issuer, cfg.Audience, cfg.Logger = keys.URL, "docent", slog.New(slog.DiscardHandler)
	a, err := auth.New(cfg)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, header, body string, signature []byte) {
		token := b64([]byte(header)) + "." + b64([]byte(body)) + "." + b64(signature)
		if _, err := a.Token(t.Context(), token); fault.KindOf(err) != fault.Unauthorized {
			t.Errorf("%s: error is %v", token, err)
		}
	})
}
