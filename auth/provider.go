package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// discovered is the configuration of an issuer that has answered.
type discovered struct {
	provider *oidc.Provider
	verifier *oidc.IDTokenVerifier
	methods  []string // of clients at the token endpoint
	scopes   []string
	at       time.Time
}

// CheckIssuer fails unless a URL can be that of a provider for sign-in: with https, or on this machine.
func CheckIssuer(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || !safe(u) {
		return errors.New("it is not a URL such as https://login.example.com; http:// is for this machine only")
	}
	return nil
}

// safe reports whether nobody can listen between docent and a URL.
func safe(u *url.URL) bool {
	host := u.Hostname()
	ip := net.ParseIP(host)
	return u.Scheme == "https" || u.Scheme == "http" && (host == "localhost" || ip != nil && ip.IsLoopback())
}

// discover fetches the configuration of the issuer.
func (i *issuer) discover(ctx context.Context) (*discovered, error) {
	// Other requests need the result too, and the verifier later fetches keys
	// in the same context. The client's timeout bounds each request.
	whole := context.WithoutCancel(ctx)
	provider, err := oidc.NewProvider(oidc.ClientContext(whole, newClient(0, i.cfg.Now)), i.cfg.Issuer)
	if err != nil {
		return nil, err //nolint:wrapcheck // the caller reports it
	}
	var found struct {
		Keys     string   `json:"jwks_uri"`
		UserInfo string   `json:"userinfo_endpoint"`
		Methods  []string `json:"token_endpoint_auth_methods_supported"`
		Scopes   []string `json:"scopes_supported"`
	}
	if err := provider.Claims(&found); err != nil {
		return nil, err //nolint:wrapcheck // the caller reports it
	}
	if found.Keys == "" {
		return nil, errors.New("its configuration names no keys")
	}
	if i.signsIn {
		end := provider.Endpoint()
		for name, at := range map[string]string{
			"authorization_endpoint": end.AuthURL, "token_endpoint": end.TokenURL, "jwks_uri": found.Keys, "userinfo_endpoint": found.UserInfo,
		} {
			if u, err := url.Parse(at); (at != "" || name != "userinfo_endpoint") && (err != nil || u.Host == "" || !safe(u)) {
				return nil, fmt.Errorf("its configuration has %.200q as %s, which is not https", at, name)
			}
		}
	}
	keys := oidc.NewRemoteKeySet(oidc.ClientContext(whole, newClient(issuerPause, i.cfg.Now)), found.Keys)
	return &discovered{
		provider: provider, methods: found.Methods, scopes: found.Scopes, at: i.cfg.Now(),
		verifier: oidc.NewVerifier(i.cfg.Issuer, keySet{keys}, &oidc.Config{
			ClientID: i.cfg.Audience, SupportedSigningAlgs: algorithms,
			Now: func() time.Time { return i.cfg.Now().Add(-clockSkew) },
		}),
	}, nil
}

// client returns the client of the issuer's endpoints.
func (d *discovered) client(s SignIn, redirect string) oauth2.Config {
	end := d.provider.Endpoint()
	end.AuthStyle = oauth2.AuthStyleInHeader // the default of OpenID Connect
	if s.ClientSecret == "" || len(d.methods) > 0 && !slices.Contains(d.methods, "client_secret_basic") {
		end.AuthStyle = oauth2.AuthStyleInParams
	}
	scopes := []string{oidc.ScopeOpenID, "profile", "email"}
	if slices.Contains(d.scopes, "groups") {
		scopes = append(scopes, "groups")
	}
	return oauth2.Config{ClientID: s.ClientID, ClientSecret: s.ClientSecret, Endpoint: end, RedirectURL: redirect, Scopes: scopes}
}

// person is a user at a provider.
type person struct {
	subject string
	name    string // a proposal
	groups  []string
}

// exchange redeems a code, and returns the user whom it signs in. Its client is new, because that of an issuer sends one
// request at a time.
func (i *issuer) exchange(ctx context.Context, s SignIn, code, redirect string, state signInState) (person, error) {
	found, err := i.ask(ctx)
	if err != nil {
		return person{}, err
	}
	client := found.client(s, redirect)
	within := context.WithValue(ctx, oauth2.HTTPClient, newClient(0, i.cfg.Now))
	tokens, err := client.Exchange(within, code, oauth2.VerifierOption(state.Verifier))
	if err != nil {
		i.cfg.Logger.WarnContext(ctx, "the provider of the sign-in refuses a code", "error", err)
		return person{}, errSignInRefused
	}
	raw, _ := tokens.Extra("id_token").(string)
	id, err := i.check(ctx, raw)
	if err != nil {
		return person{}, err
	}
	if id.Nonce == "" || id.Nonce != state.Nonce {
		return person{}, errJWT
	}
	claims, err := claimsOf(id)
	if err != nil {
		return person{}, err
	}
	if (claims[i.cfg.GroupsClaim] == nil || claims["preferred_username"] == nil) && found.provider.UserInfoEndpoint() != "" {
		// Many providers give names and groups only there.
		info, err := found.provider.UserInfo(oidc.ClientContext(ctx, newClient(0, i.cfg.Now)), oauth2.StaticTokenSource(tokens))
		var more map[string]json.RawMessage
		if err == nil && info.Subject == id.Subject && info.Claims(&more) == nil {
			maps.Copy(more, claims) // those of the token are signed
			claims = more
		}
	}
	groups, err := i.groups(claims)
	return person{id.Subject, nameOf(id.Subject, claims), groups}, err
}
