package client

import (
	"net/http"
	"net/url"
	"strings"

	"docent/internal/fault"
)

// target is the address of a server. Its name contains no secrets: no user, no
// query, and no fragment.
type target struct {
	url  *url.URL
	name string
}

// parse reads the URL of an agent.
func parse(raw string) (target, error) {
	u, err := url.Parse(raw)
	if err != nil { // the error repeats the URL
		return target{}, fault.New(fault.Invalid, "client_address_invalid", "the agent's address is not a URL")
	}
	if u.Scheme == "http" || u.Scheme == "https" { // the address of the server's page
		u.Scheme = "ws" + strings.TrimPrefix(u.Scheme, "http")
	}
	if u.Scheme != "ws" && u.Scheme != "wss" {
		return target{}, fault.New(fault.Invalid, "client_address_scheme", "an agent's address begins with ws:// or wss://")
	}
	if u.Hostname() == "" {
		return target{}, fault.New(fault.Invalid, "client_address_without_host", "the agent's address names no host")
	}
	return target{url: u, name: u.Scheme + "://" + u.Host + u.EscapedPath()}, nil
}

// dialed returns the requested URL without the user, which the library does not
// accept.
func (t target) dialed(session string) string {
	u := *t.url
	u.User, u.Fragment, u.RawFragment = nil, "", ""
	if session != "" && t.url.Query().Get("session_id") == "" {
		parameter := "session_id=" + url.QueryEscape(session)
		if u.RawQuery != "" { // stays unchanged
			parameter = u.RawQuery + "&" + parameter
		}
		u.RawQuery = parameter
	}
	return u.String()
}

// header returns the header of the handshake.
func (t target) header(cfg Config) http.Header {
	h := cfg.Header.Clone()
	if h == nil {
		h = http.Header{}
	}
	switch {
	case cfg.Origin != "":
		h.Set("Origin", cfg.Origin)
	case h.Get("Origin") == "":
		h.Set("Origin", origin(t.url))
	}
	if user := t.url.User; user != nil && h.Get("Authorization") == "" {
		password, _ := user.Password()
		request := http.Request{Header: h}
		request.SetBasicAuth(user.Username(), password)
	}
	return h
}
