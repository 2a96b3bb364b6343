package edge

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"docent/api/route"
	"docent/auth"
	"docent/internal/fault"
)

// GuardConfig lists the allowed host names and origins of a server.
type GuardConfig struct {
	// Addr is the listen address, HOST:PORT. The host is an allowed name. Default:
	// none.
	Addr string
	// Loopback says that only this machine can connect. Pages of any origin at
	// localhost, 127.0.0.0/8, or [::1] may then send requests, unless Origins lists
	// some origins. Default: false.
	Loopback bool
	// Open says that authentication is off. Then the allowed pages may also read
	// responses (CORS), because every client has the same rights anyway. Default:
	// false.
	Open bool
	// Origins are allowed in addition to the server's own origin, such as
	// https://app.example.com. Their pages may also read responses (CORS). Default:
	// none.
	Origins []string
	// Hosts are allowed in addition to loopback names and addresses, such as
	// docs.example.com, with or without a port. Default: none.
	Hosts []string
}

// Guard protects a server from foreign pages in the browsers of its users. It
// refuses requests whose Host header is not a name of the server, as after DNS
// rebinding. It also refuses requests from foreign origins that change something
// or open a WebSocket. It accepts requests without an Origin, because
// browsers send one with each such request of a foreign page. Even listed pages cannot use the cookie of
// docent's own page: see [auth.OwnPage].
func Guard(config GuardConfig) func(http.Handler) http.Handler {
	g := guard{trustNearby: config.Loopback && len(config.Origins) == 0, open: config.Open, hosts: map[string]bool{}}
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
			route.Secure(w.Header()) // the next handlers may change them
			if !g.host(r.Host) {
				route.Because(r, "host")
				route.Write(w, r, route.NewError(http.StatusForbidden, fault.Forbidden, fault.NewText(
					"host_name_unknown", "the host name of the request is not allowed; add it to the server's setting hosts")))
				return
			}
			origin := r.Header.Get("Origin")
			listed := origin != "" && (slices.Contains(g.origins, strings.ToLower(origin)) || g.open && g.nearby(origin))
			if listed {
				cors(w.Header(), origin, r.Header.Get("Access-Control-Request-Headers"))
				if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
					w.WriteHeader(http.StatusNoContent)
					return
				}
			}
			if changes(r) && origin != "" && !listed && !g.own(origin, r) {
				route.Because(r, "origin")
				route.Write(w, r, route.NewError(http.StatusForbidden, fault.Forbidden, fault.NewText(
					"origin_forbidden", "pages from this origin may not send requests; add the origin to the server's setting origins")))
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

type guard struct {
	trustNearby bool // whether all pages of this machine are trusted
	open        bool
	hosts       map[string]bool
	origins     []string
}

// host reports whether a Host header is a name of this server. Addresses are
// always allowed, because DNS rebinding needs a name.
func (g guard) host(header string) bool {
	if header == "" {
		return true // HTTP/1.0; browsers do not use it
	}
	header = strings.ToLower(header)
	name := strings.TrimSuffix(hostname(header), ".")
	if _, err := netip.ParseAddr(name); err == nil {
		return true
	}
	return loopbackName(name) || g.hosts[name] || g.hosts[header]
}

// own reports whether an origin is this server's. A page of this machine is
// trusted too if the request has no cookie.
func (g guard) own(origin string, r *http.Request) bool {
	if auth.OwnOrigin(r, origin) {
		return true
	}
	return auth.LoginCookie(r) == "" && g.nearby(origin)
}

// nearby reports whether an origin is a trusted page of this machine.
func (g guard) nearby(origin string) bool {
	u := pageURL(origin)
	return g.trustNearby && u != nil && loopbackOrigin(strings.ToLower(u.Hostname()))
}

// pageURL returns the URL of an origin; nil if it is not a page, such as "null".
func pageURL(origin string) *url.URL {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil
	}
	return u
}

// hostname returns a Host header without port and brackets.
func hostname(header string) string {
	if h, port, err := net.SplitHostPort(header); err == nil {
		if _, err := strconv.ParseUint(port, 10, 16); err != nil && port != "" {
			return header // not a port
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
// ::1. Names below localhost are not: a resolver may find another machine.
func loopbackOrigin(host string) bool {
	if host == "localhost" {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Zone() == "" && addr.IsLoopback() && !addr.Is4In6()
}

// changes reports whether a request can do more than read. Opening a WebSocket
// counts, because the same-origin policy does not cover it.
func changes(r *http.Request) bool {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return r.Header.Get("Upgrade") != ""
	default:
		return true
	}
}

// maxRequested bounds the names of headers that a page may ask for, in bytes.
const maxRequested = 1 << 10

// cors lets a listed page read responses. The page may send a token but no
// cookie, because Access-Control-Allow-Credentials is never set. It may send all
// headers that it asks for, because the libraries of clients add their own.
func cors(h http.Header, origin, requested string) {
	h.Add("Vary", "Origin")
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, PATCH, DELETE")
	if requested == "" || len(requested) > maxRequested {
		requested = "Authorization, Content-Type"
	}
	h.Set("Access-Control-Allow-Headers", requested)
	h.Set("Access-Control-Expose-Headers", "Mcp-Session-Id, Retry-After, X-Request-ID")
	h.Set("Access-Control-Max-Age", "600")
}
