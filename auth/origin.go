package auth

import (
	"net"
	"net/http"
	"net/url"
	"strings"
)

// OwnPage reports whether a request may come from docent's own page. The server
// ignores the page's cookie in all other requests. The request must not have the
// Origin of another page, even of an allowed one on the same site. If the browser
// sends Sec-Fetch-Site, it must not name another page.
//
// These checks are needed because SameSite ignores ports, and browsers send
// Sec-Fetch-Site only over TLS and on this machine. Browsers send Origin with
// every WebSocket handshake and with every request that changes something. A
// request with neither header only reads. Other pages cannot see its response, or
// it does not come from a browser.
func OwnPage(r *http.Request) bool {
	for _, origin := range r.Header.Values("Origin") {
		if !OwnOrigin(r, origin) {
			return false
		}
	}
	site := r.Header.Get("Sec-Fetch-Site")
	return site == "" || site == "same-origin" || site == "none"
}

// OwnOrigin reports whether an origin matches the host and port of a request. It
// ignores the scheme, because a proxy may terminate TLS.
func OwnOrigin(r *http.Request, origin string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" {
		return false // "null", for one
	}
	port, web := map[string]string{"http": "80", "https": "443"}[u.Scheme]
	return web && withPort(u.Host, port) == withPort(r.Host, port)
}

// withPort returns a host with its port, adding the default port.
func withPort(host, port string) string {
	if _, _, err := net.SplitHostPort(host); err != nil {
		host = net.JoinHostPort(strings.Trim(host, "[]"), port)
	}
	return strings.ToLower(host)
}
