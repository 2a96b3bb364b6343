package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"unicode"

	"docent/api"
	"docent/auth"
	"docent/internal/fault"
	"docent/ws"
	"docent/ws/typed"
)

// nobodyYet is what serve says if nobody could be let in: commands that work as
// they stand on the database that it serves, whatever the shell they are typed
// into has in its environment.
func (a *app) nobodyYet() string {
	data, same := " --data "+shellWord(a.cfg.Data), ""
	if a.cfg.DatabaseURL != "" {
		same = ", with the same DATABASE_URL"
	}
	return fmt.Sprintf("Authentication is on and there is nobody to let in. Add a user for the page, or a token for programs%s:\n"+
		"  docent user create NAME --scopes ask,ingest%s\n  docent token create --name NAME%s\n", same, data, data)
}

// shellWord is a word as a shell reads it.
func shellWord(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("/._-+:@", r)
	}) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// addAuthenticator adds what knows who asks, if authentication is on.
func (a *app) addAuthenticator(ctx context.Context, std stdio) error {
	if !a.cfg.Auth {
		return nil
	}
	cfg := auth.Config{
		Tokens: a.db, Users: a.db, Logins: a.db, Issuer: a.cfg.OIDC.Issuer, Audience: a.cfg.OIDC.Audience,
		Proxies: a.cfg.TrustedProxies, Metrics: a.metrics, Logger: a.log,
		Late: func(r *http.Request) bool { return r.URL.Path != typed.Path && ws.AsksV1(r) },
	}
	var err error
	if cfg.IssuerScopes, err = auth.ParseScopes(a.cfg.OIDC.Scopes); err != nil {
		return fault.Wrap(fault.Invalid, err, "cli_oidc_scopes", "setting oidc.scopes: %s", fault.TextOf(err))
	}
	if a.authenticator, err = auth.New(cfg); err != nil {
		return fmt.Errorf("authentication: %w", err)
	}
	tokens, err := a.db.Tokens(ctx)
	if err != nil {
		return fmt.Errorf("authentication: %w", err)
	}
	users, err := a.db.Users(ctx)
	if err != nil {
		return fmt.Errorf("authentication: %w", err)
	}
	if len(tokens) == 0 && len(users) == 0 && cfg.Issuer == "" {
		fmt.Fprint(std.err, a.nobodyYet())
	}
	return nil
}

// authenticate is how WebSocket clients are known by their hello; nil while
// authentication is off.
func (a *app) authenticate() func(ctx context.Context, token string) (auth.Principal, error) {
	if a.authenticator == nil {
		return nil
	}
	return a.authenticator.Token
}

// valid is how WebSocket clients that stay are asked for again; nil while
// authentication is off.
func (a *app) valid() func(ctx context.Context, who auth.Principal) error {
	if a.authenticator == nil {
		return nil
	}
	return a.authenticator.Valid
}

// logins is where the page signs in; nil while authentication is off.
func (a *app) logins() api.Logins {
	if a.authenticator == nil {
		return nil
	}
	return a.authenticator
}

// known puts who asks into the context of requests.
func (a *app) known(next http.Handler) http.Handler {
	if a.authenticator == nil {
		return auth.Open(next)
	}
	return a.authenticator.Middleware(next)
}
