package api

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"docent/auth"
	"docent/internal/fault"
)

// GuardConfig says under which names a server may be reached and from which
// web pages.
type GuardConfig struct {
	// Addr is the address listened on, HOST:PORT; its host is an allowed name.
	// Default: none.
	Addr string
	// Loopback says that only this machine can connect; then pages of any
	// origin at localhost, 127.0.0.0/8 or [::1] are allowed, but where Origins
	// are listed: then those alone. Default: false.
	Loopback bool
	// Open says that authentication is off; then those pages may read answers
	// (CORS) as well, as nobody's cookie tells them more than anybody may know.
	// Default: false.
	Open bool
	// Origins are allowed besides the server's own, such as
	// https://app.example.com; they may also read answers (CORS). Default: none.
	Origins []string
	// Hosts are names the server is called by besides loopback names and
	// addresses, such as docs.example.com, with or without a port. Default: none.
	Hosts []string
}

// Guard protects a server that browsers can reach from pages that are none of
// its business. It refuses every request whose Host header is a name the server
// does not have, as after DNS rebinding, and requests that change something or
// open a WebSocket if their Origin is a foreign page. Requests without an
// Origin do not come from a foreign page's script and pass. No other page, be it
// listed, may ride on the cookie of docent's own: see [auth.OwnPage].
func Guard(config GuardConfig) func(http.Handler) http.Handler {
	g := guard{nearbyToo: config.Loopback && len(config.Origins) == 0, open: config.Open, hosts: map[string]bool{}}
	for _, h := range config.Hosts {
		g.hosts[strings.ToLower(strings.TrimSuffix(h, "."))] = true
	}
	if host, _, err := net.SplitHostPort(config.Addr); err == nil && host != "" {
		g.hosts[strings.ToLower(host)] = true
	}
	for _, o := range config.Origins {
		g.origins = append(g.origins, strings.ToLower(strings.TrimRight(o, "/")))
	}
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			secure(w.Header()) // unless what follows knows better
			if !g.host(r.Host) {
				because(r, "host")
				writeError(w, &Error{
					status: http.StatusForbidden, Code: fault.Forbidden,
					Text: fault.NewText("host_name_unknown", "the host name of the request is not allowed; add it to the server's setting hosts"),
				})
				return
			}
			origin := r.Header.Get("Origin")
			listed := origin != "" && (slices.Contains(g.origins, strings.ToLower(origin)) || g.open && g.nearby(origin))
			if listed {
				cors(w.Header(), origin)
				if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
					w.WriteHeader(http.StatusNoContent)
					return
				}
			}
			if changes(r) && origin != "" && !listed && !g.own(origin, r) {
				because(r, "origin")
				writeError(w, &Error{
					status: http.StatusForbidden, Code: fault.Forbidden,
					Text: fault.NewText("origin_forbidden", "pages from this origin may not send requests; add the origin to the server's setting origins"),
				})
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

type guard struct {
	// nearbyToo says that every page of this machine is trusted.
	nearbyToo bool
	open      bool
	hosts     map[string]bool
	origins   []string
}

// host reports whether a Host header is a name of this server. An address
// always is: rebinding needs a name to bind.
func (g guard) host(header string) bool {
	if header == "" {
		return true // HTTP/1.0, which no browser speaks
	}
	header = strings.ToLower(header)
	name := strings.TrimSuffix(hostname(header), ".")
	if _, err := netip.ParseAddr(name); err == nil {
		return true
	}
	return loopbackName(name) || g.hosts[name] || g.hosts[header]
}

// own reports whether an origin is this server's, or one of this machine's that
// is trusted while no cookie signs the request in.
func (g guard) own(origin string, r *http.Request) bool {
	if auth.OwnOrigin(r, origin) {
		return true
	}
	_, none := r.Cookie(auth.CookieName)
	return none != nil && g.nearby(origin)
}

// nearby reports whether an origin is a page of this machine, where such are
// trusted.
func (g guard) nearby(origin string) bool {
	u := pageURL(origin)
	return g.nearbyToo && u != nil && loopbackOrigin(strings.ToLower(u.Hostname()))
}

// pageURL is the URL of an origin; nil if it is no page's, as "null".
func pageURL(origin string) *url.URL {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil
	}
	return u
}

// hostname is a Host header without its port and brackets.
func hostname(header string) string {
	if h, port, err := net.SplitHostPort(header); err == nil {
		if _, err := strconv.ParseUint(port, 10, 16); err != nil && port != "" {
			return header // no port that exists: nothing to take off
		}
		return h
	}
	return strings.Trim(header, "[]")
}

// loopbackName reports whether a name or address always means this machine.
func loopbackName(name string) bool {
	if name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return true
	}
	addr, err := netip.ParseAddr(name)
	return err == nil && addr.Unmap().IsLoopback()
}

// loopbackOrigin reports whether a page's host is localhost, in 127.0.0.0/8 or
// ::1. Names below localhost are left out: whoever resolves them need not find
// this machine.
func loopbackOrigin(host string) bool {
	if host == "localhost" {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Zone() == "" && addr.IsLoopback() && !addr.Is4In6()
}

// changes reports whether a request can do more than read: every method but
// the reading ones, and the opening of a WebSocket, which the same-origin rule
// does not cover.
func changes(r *http.Request) bool {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return r.Header.Get("Upgrade") != ""
	default:
		return true
	}
}

// cors lets a listed page read answers. It may send a token but no cookie:
// Access-Control-Allow-Credentials is never set.
func cors(h http.Header, origin string) {
	h.Add("Vary", "Origin")
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Allow-Methods", "GET, HEAD, POST, PATCH, DELETE")
	h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type")
	h.Set("Access-Control-Max-Age", "600")
}
