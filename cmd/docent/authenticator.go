package main

import (
	"context"
	"fmt"
	"net/http"

	"docent/api"
	"docent/auth"
	"docent/internal/fault"
	"docent/ws"
)

// nobodyYet is what serve says if nobody could be let in.
const nobodyYet = `Authentication is on and there is nobody to let in. Add a user for the page, or a token for programs:
  docent user create NAME --scopes ask,ingest
  docent token create --name NAME
`

// addAuthenticator adds what knows who asks, if authentication is on.
func (a *app) addAuthenticator(ctx context.Context, std stdio) error {
	if !a.cfg.Auth {
		return nil
	}
	cfg := auth.Config{Store: a.db, Issuer: a.cfg.OIDC.Issuer, Audience: a.cfg.OIDC.Audience, Proxies: a.cfg.TrustedProxies, Late: ws.AsksV1, Metrics: a.metrics, Logger: a.log}
	var err error
	if cfg.IssuerScopes, err = auth.ParseScopes(a.cfg.OIDC.Scopes); err != nil {
		return fault.Wrap(fault.Invalid, err, "setting oidc.scopes: %s", fault.Message(err))
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
		fmt.Fprint(std.err, nobodyYet)
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
