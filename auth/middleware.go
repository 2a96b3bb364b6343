package auth

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"docent/payload"

	"docent/internal/fault"
)

const (
	// SubprotocolPrefix marks a WebSocket subprotocol that contains a token.
	// Browsers cannot set other headers in a handshake.
	SubprotocolPrefix = "docent.token."
	// queryToken is the query parameter that can carry a token.
	queryToken = "token"
	// queryPath is the path where requests can carry it that open no WebSocket. Some
	// clients of MCP can only be given an address.
	queryPath = "/mcp"
)

// Middleware authenticates requests and puts the principal into their context. It
// uses the first credential that it finds: the header Authorization: Bearer, a
// subprotocol with SubprotocolPrefix, the query parameter token, or the page's
// cookie. The query parameter counts only for WebSockets and MCP. Middleware always
// removes it from the URL.
//
// A wrong credential gets status 401, unless Config.Late selects the request. An
// expired cookie counts as no credential, so that the page can load and offer to
// sign in. Requests without a credential pass, and next decides whether to serve
// them.
func (a *Authenticator) Middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := WithClient(WithRemote(r.Context(), RemoteBehind(r, a.cfg.Proxies)), r.UserAgent())
		r, query := withoutQueryToken(r.WithContext(ctx))
		p, known, err := a.known(r, query)
		switch {
		case err != nil && a.cfg.Late != nil && a.cfg.Late(r):
			r = r.WithContext(context.WithValue(ctx, refusalKey{}, err))
		case err != nil:
			a.refuse(w, r, err)
			return
		case known:
			r = r.WithContext(NewContext(ctx, p))
		}
		next.ServeHTTP(w, r)
	})
}

type refusalKey struct{}

// Refusal returns the authentication error of a request that Config.Late
// selected. It returns nil for other requests.
func Refusal(ctx context.Context) error {
	err, _ := ctx.Value(refusalKey{}).(error)
	return err
}

// Open is the middleware without authentication. The principal of every request
// is [Anyone]. Open removes tokens from URLs too.
func Open(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r, _ = withoutQueryToken(r.WithContext(NewContext(r.Context(), Anyone())))
		next.ServeHTTP(w, r)
	})
}

// known authenticates a request. It returns false without credentials.
func (a *Authenticator) known(r *http.Request, query string) (Principal, bool, error) {
	if token := shown(r, query); token != "" {
		p, err := a.Token(r.Context(), token)
		return p, err == nil, err
	}
	cookie := LoginCookie(r)
	if cookie == "" || !OwnPage(r) {
		return Principal{}, false, nil
	}
	p, err := a.Cookie(r.Context(), cookie)
	if err != nil && fault.KindOf(err) == fault.Unauthorized {
		return Principal{}, false, nil
	}
	return p, err == nil, err
}

// shown returns the token of a request; "" if it has none. Other schemes than
// Bearer belong to a proxy.
func shown(r *http.Request, query string) string {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if token = strings.TrimSpace(token); strings.EqualFold(scheme, "Bearer") && token != "" {
		return token
	}
	for _, line := range r.Header.Values("Sec-Websocket-Protocol") {
		for protocol := range strings.SplitSeq(line, ",") {
			if token, is := strings.CutPrefix(strings.TrimSpace(protocol), SubprotocolPrefix); is && token != "" {
				return token
			}
		}
	}
	if strings.EqualFold(r.Header.Get("Upgrade"), "websocket") || r.URL.Path == queryPath {
		return query
	}
	return ""
}

// withoutQueryToken removes the query parameter token from a request's URL and
// returns its value. The other parameters keep their spelling.
func withoutQueryToken(r *http.Request) (*http.Request, string) {
	if r.URL.RawQuery == "" {
		return r, ""
	}
	var token string
	var rest []string
	found := false
	for pair := range strings.SplitSeq(r.URL.RawQuery, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if name, err := url.QueryUnescape(name); err != nil || !strings.EqualFold(name, queryToken) {
			rest = append(rest, pair)
			continue
		}
		found = true
		if value, err := url.QueryUnescape(value); err == nil && token == "" {
			token = value
		}
	}
	if !found {
		return r, ""
	}
	out, at := *r, *r.URL
	at.RawQuery = strings.Join(rest, "&")
	out.URL, out.RequestURI = &at, at.RequestURI()
	return &out, token
}

// refuse sends an error in the format of all other errors.
func (a *Authenticator) refuse(w http.ResponseWriter, r *http.Request, err error) {
	kind, h := fault.KindOf(err), w.Header()
	switch kind {
	case fault.Unauthorized:
		h.Set("WWW-Authenticate", `Bearer error="invalid_token"`)
	case fault.RateLimited:
	default:
		a.cfg.Logger.WarnContext(r.Context(), "authenticate", slog.String("kind", string(kind)), slog.Any("error", err))
	}
	if wait := RetryAfter(err); wait > 0 {
		h.Set("Retry-After", strconv.Itoa(int(wait/time.Second)))
	}
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(kind.HTTPStatus())
	_ = json.NewEncoder(w).Encode(payload.NewError(err)) // the client is gone
}
