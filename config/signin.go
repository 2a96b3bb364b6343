package config

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// SignIn configures the sign-in with an OpenID Connect provider. Without Issuer or ClientID, there is none.
type SignIn struct {
	// Issuer is the URL of the provider; default none.
	Issuer string
	// ClientID is the name of docent at the provider; default none.
	ClientID string
	// ClientSecret is the password of docent at the provider; default none, for a public client.
	ClientSecret string
	// Label names the provider on the button; default: its host.
	Label string
	// Create gives people without an account one when they sign in; default false.
	Create bool
	// Scopes are the scopes of these users; default ask.
	Scopes string
	// GroupsClaim is the claim that lists the user's groups; default groups.
	GroupsClaim string
}

// line is a setting with one line of at most most characters.
func line(most int, p func(*Config) *string) (func(*Config, string) error, func(Config) string) {
	return func(c *Config, s string) error {
		s = strings.TrimSpace(s)
		if utf8.RuneCountInString(s) > most || strings.ContainsFunc(s, unicode.IsControl) {
			return fmt.Errorf("it is not one line of at most %d characters", most)
		}
		*p(c) = s
		return nil
	}, func(c Config) string { return *p(&c) }
}

// MaxLabel bounds the label of a button, in characters.
const MaxLabel = 60

// maxClient bounds the name of docent at a provider and the name of a claim, in characters.
const maxClient = 300

// signInSettings are the settings of the sign-in with a provider.
func signInSettings() []Setting {
	return []Setting{
		with(Setting{
			Storage: Live,
			Key:     "sign-in.issuer", Flag: "sign-in-issuer", Env: []string{"DOCENT_SIGN_IN_ISSUER"}, Scope: Serving,
			Help: "URL of the OpenID Connect provider with which users sign in on the page; https, or http on this machine",
		})(func(c *Config, s string) error {
			if err := checkIssuer(s); s != "" && err != nil {
				return err
			}
			c.SignIn.Issuer = s
			return nil
		}, func(c Config) string { return c.SignIn.Issuer }),
		with(Setting{
			Storage: Live,
			Key:     "sign-in.client-id", Flag: "sign-in-client-id", Env: []string{"DOCENT_SIGN_IN_CLIENT_ID"}, Scope: Serving,
			Help: "name (client id) of docent at the provider of --sign-in-issuer",
		})(line(maxClient, func(c *Config) *string { return &c.SignIn.ClientID })),
		with(Setting{
			Storage: Live,
			Key:     "sign-in.client-secret", Flag: "sign-in-client-secret", Env: []string{"DOCENT_SIGN_IN_CLIENT_SECRET"}, Scope: Serving,
			Secret: true, Help: "secret of docent at the provider; not needed if the provider accepts a public client with PKCE",
		})(text(func(c *Config) *string { return &c.SignIn.ClientSecret })),
		with(Setting{
			Storage: Live,
			Key:     "sign-in.label", Flag: "sign-in-label", Env: []string{"DOCENT_SIGN_IN_LABEL"}, Scope: Serving,
			Help: "name of the provider on the button of the page; default: its host",
		})(line(MaxLabel, func(c *Config) *string { return &c.SignIn.Label })),
		with(Setting{
			Storage: Live,
			Key:     "sign-in.create-users", Flag: "sign-in-create-users", Env: []string{"DOCENT_SIGN_IN_CREATE_USERS"}, Scope: Serving, Bool: true,
			Help: "give everybody whom the provider signs in an account; without it, only invited people can sign in", Default: "false",
		})(flag(func(c *Config) *bool { return &c.SignIn.Create })),
		with(Setting{
			Storage: Live,
			Key:     "sign-in.scopes", Flag: "sign-in-scopes", Env: []string{"DOCENT_SIGN_IN_SCOPES"}, Scope: Serving,
			Help: "scopes of the users that --sign-in-create-users adds: ask, ingest, admin", Default: "ask",
		})(func(c *Config, s string) error {
			words := strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == ',' })
			if len(words) == 0 || slices.ContainsFunc(words, func(word string) bool { return !slices.Contains(scopes, word) }) {
				return fmt.Errorf("%q: write one or more of %s", s, strings.Join(scopes, ","))
			}
			c.SignIn.Scopes = strings.Join(words, ",")
			return nil
		}, func(c Config) string { return c.SignIn.Scopes }),
		with(Setting{
			Storage: Live,
			Key:     "sign-in.groups-claim", Flag: "sign-in-groups-claim", Env: []string{"DOCENT_SIGN_IN_GROUPS_CLAIM"}, Scope: Serving,
			Help: "claim of the provider that lists the groups of a user", Default: "groups",
		})(line(maxClient, func(c *Config) *string { return &c.SignIn.GroupsClaim })),
	}
}

// checkIssuer fails unless nobody can listen between docent and a provider.
func checkIssuer(s string) error {
	u, err := url.Parse(s)
	if err == nil {
		ip := net.ParseIP(u.Hostname())
		local := u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
		if u.Host != "" && u.User == nil && u.RawQuery == "" && u.Fragment == "" && (u.Scheme == "https" || u.Scheme == "http" && local) {
			return nil
		}
	}
	return fmt.Errorf("%.200q is not a URL such as https://login.example.com; http:// is for this machine only", redactURL(s))
}
