package auth

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/coreos/go-oidc/v3/oidc"

	"docent/internal/fault"
)

// Limits for issuers.
const (
	// issuerTimeout bounds one request.
	issuerTimeout = 10 * time.Second
	// issuerBytes bounds one response.
	issuerBytes = 1 << 20
	// issuerPause is the wait before the next request to an issuer that failed.
	// It is also the time between two requests for its keys, whatever unknown
	// keys tokens name.
	issuerPause = 5 * time.Second
	// clockSkew is the accepted difference between the issuer's clock and ours.
	clockSkew = 30 * time.Second
	// maxSubject bounds a subject, in bytes.
	maxSubject = 255
	// maxIssuerGroups bounds the groups in a token.
	maxIssuerGroups = 1000
	// maxShownName bounds a displayed name, in bytes.
	maxShownName = 255
)

// algorithms lists the accepted signature algorithms. All are asymmetric. With
// a symmetric algorithm, the public key would suffice to sign tokens.
var algorithms = []string{
	oidc.RS256, oidc.RS384, oidc.RS512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.EdDSA,
}

// looksLikeJWT reports whether a token has the three parts of a signed JWT.
func looksLikeJWT(token string) bool {
	parts := strings.Split(token, ".")
	if len(parts) != 3 || !strings.HasPrefix(token, "eyJ") {
		return false
	}
	for _, part := range parts {
		if _, err := base64.RawURLEncoding.DecodeString(part); part == "" || err != nil {
			return false
		}
	}
	return true
}

// issuer verifies JWTs of an OpenID Connect issuer.
type issuer struct {
	cfg     Config
	signsIn bool                       // all its endpoints must be safe
	found   atomic.Pointer[discovered] // nil until the issuer has answered

	members members

	turn   chan struct{} // holds one token; its holder may fetch the configuration and use failed
	failed time.Time     // when the issuer last failed to answer
}

func newIssuer(c Config) *issuer {
	i := &issuer{cfg: c, members: members{store: c.IssuerGroups}, turn: make(chan struct{}, 1)}
	i.turn <- struct{}{}
	return i
}

var (
	errJWT = fault.New(fault.Unauthorized,
		"token_rejected", "the token is not valid here; check its issuer, audience, signature, and times")
	errIssuer = errors.New("the issuer does not answer")
)

// check verifies a token and its times.
func (i *issuer) check(ctx context.Context, token string) (*oidc.IDToken, error) {
	found, err := i.ask(ctx)
	if err != nil {
		return nil, err
	}
	var failed error
	id, err := found.verifier.Verify(context.WithValue(ctx, failureKey{}, &failed), token)
	var expired *oidc.TokenExpiredError
	switch {
	case failed != nil:
		return nil, i.unavailable(ctx, failed)
	case errors.As(err, &expired):
		return nil, fault.New(fault.Unauthorized, "token_expired", "the token has expired")
	case err != nil:
		i.cfg.Logger.DebugContext(ctx, "a JWT was refused", slog.Any("error", err))
		return nil, errJWT
	}
	var claims struct {
		NotBefore float64 `json:"nbf"`
	}
	if err := id.Claims(&claims); err != nil {
		return nil, errJWT
	}
	if id.Expiry.IsZero() || claims.NotBefore > float64(i.cfg.Now().Add(clockSkew).Unix()) || !plain(id.Subject, maxSubject) {
		return nil, errJWT
	}
	return id, nil
}

// verify authenticates a JWT.
func (i *issuer) verify(ctx context.Context, token string) (Principal, error) {
	id, err := i.check(ctx, token)
	if err != nil {
		return Principal{}, err
	}
	var names struct {
		Username string `json:"preferred_username"`
		Email    string `json:"email"`
	}
	if err := id.Claims(&names); err != nil {
		return Principal{}, errJWT
	}
	claims, err := claimsOf(id)
	if err != nil {
		return Principal{}, err
	}
	groups, err := i.groups(claims)
	if err != nil {
		return Principal{}, err
	}
	p := Principal{
		ID: "oidc:" + i.cfg.Issuer + "#" + id.Subject, Name: id.Subject, Scopes: i.cfg.IssuerScopes, Expires: id.Expiry.Add(clockSkew),
	}
	for _, name := range []string{names.Email, names.Username} {
		if plain(name, maxShownName) {
			p.Name = name
		}
	}
	return p, i.members.note(ctx, p, groups)
}

// claimsOf returns the claims of a token.
func claimsOf(id *oidc.IDToken) (map[string]json.RawMessage, error) {
	var claims map[string]json.RawMessage
	if err := id.Claims(&claims); err != nil {
		return nil, errJWT
	}
	return claims, nil
}

// groups returns the groups in claims. Without the claim, there are none.
func (i *issuer) groups(claims map[string]json.RawMessage) ([]string, error) {
	var groups []string
	if raw, ok := claims[i.cfg.GroupsClaim]; ok && json.Unmarshal(raw, &groups) != nil {
		return nil, fault.New(fault.Unauthorized, "token_groups_invalid", "the claim %s of the token is not a list of names", i.cfg.GroupsClaim)
	}
	groups = slices.DeleteFunc(groups, func(name string) bool { return CheckGroupName(name) != nil })
	if len(groups) > maxIssuerGroups {
		return nil, fault.New(fault.Unauthorized, "token_groups_many", "the token names more than %d groups", maxIssuerGroups)
	}
	slices.Sort(groups)
	return slices.Compact(groups), nil
}

// plain reports whether a name has 1 to most bytes, all of them printable
// characters.
func plain(s string, most int) bool {
	return s != "" && len(s) <= most && utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

// ask returns the configuration of the issuer. Until the issuer has answered
// once, ask fetches it.
func (i *issuer) ask(ctx context.Context) (*discovered, error) {
	if found := i.found.Load(); found != nil {
		return found, nil
	}
	select {
	case <-i.turn:
		defer func() { i.turn <- struct{}{} }()
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for the issuer of tokens: %w", ctx.Err())
	}
	if found := i.found.Load(); found != nil {
		return found, nil
	}
	if i.cfg.Now().Sub(i.failed) < issuerPause {
		return nil, i.unavailable(ctx, errIssuer)
	}
	found, err := i.discover(ctx)
	if err != nil {
		i.failed = i.cfg.Now()
		i.cfg.Logger.WarnContext(ctx, "ask the issuer of tokens", slog.Any("error", err))
		return nil, i.unavailable(ctx, err)
	}
	i.found.Store(found)
	return found, nil
}

func (i *issuer) unavailable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("verify a token: %w", ctx.Err())
	}
	return fault.Wrap(fault.Unavailable, err, "token_issuer_silent", "the issuer of the token does not answer; try again")
}

type failureKey struct{}

// keySet distinguishes keys that could not be fetched from wrong signatures.
// The library reports both alike. keySet stores the former error in the
// context's variable.
type keySet struct{ oidc.KeySet }

// VerifySignature implements oidc.KeySet.
func (k keySet) VerifySignature(ctx context.Context, jwt string) ([]byte, error) {
	payload, err := k.KeySet.VerifySignature(ctx, jwt)
	if failed, ok := ctx.Value(failureKey{}).(*error); ok && (errors.Is(err, errIssuer) || (err != nil && ctx.Err() != nil)) {
		*failed = err
	}
	return payload, err //nolint:wrapcheck // the library wraps it
}

// newClient returns a client for an issuer that pauses between requests.
func newClient(pause time.Duration, now func() time.Time) *http.Client {
	// Requests are rare, so connections are not kept.
	base := &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true, ForceAttemptHTTP2: true}
	return &http.Client{Timeout: issuerTimeout, Transport: &asker{base: base, pause: pause, now: now}}
}

// asker sends requests to an issuer. It returns errIssuer for all failures, and
// for redirects.
type asker struct {
	base  http.RoundTripper
	pause time.Duration
	now   func() time.Time

	mu   sync.Mutex // guards the fields below
	last time.Time
	err  error // of the last answer
}

var errKnown = errors.New("the keys were asked for just now")

// RoundTrip implements http.RoundTripper.
func (a *asker) RoundTrip(r *http.Request) (*http.Response, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if now := a.now(); now.Sub(a.last) < a.pause {
		if a.err != nil {
			return nil, a.err
		}
		return nil, errKnown // none of the known keys fits, so the token is wrong
	}
	resp, err := a.send(r)
	a.last, a.err = a.now(), err
	return resp, err
}

// send returns a complete response.
func (a *asker) send(r *http.Request) (*http.Response, error) {
	resp, err := a.base.RoundTrip(r)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errIssuer, err)
	}
	defer resp.Body.Close() //nolint:errcheck // it is read
	body, err := io.ReadAll(io.LimitReader(resp.Body, issuerBytes))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", errIssuer, err)
	case resp.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("%w: status %d", errIssuer, resp.StatusCode)
	case !json.Valid(body):
		return nil, fmt.Errorf("%w: its answer is no JSON, or has more than %d bytes", errIssuer, issuerBytes)
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}
