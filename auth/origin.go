package auth

import (
	"net"
	"net/http"
	"net/url"
	"strings"
)

// OwnPage reports whether a request may come from docent's own page, so that its
// cookie counts. It does not if it has the Origin of another page, be that one
// listed and of the same site, or if the browser says by Sec-Fetch-Site that
// another page sent it. Browsers say the latter by TLS and on this machine only,
// and SameSite knows no ports; but an Origin comes with whatever changes
// something and with each WebSocket. A request with neither only reads, and its
// answer is kept from other pages, or no browser sent it.
func OwnPage(r *http.Request) bool {
	for _, origin := range r.Header.Values("Origin") {
		if !OwnOrigin(r, origin) {
			return false
		}
	}
	site := r.Header.Get("Sec-Fetch-Site")
	return site == "" || site == "same-origin" || site == "none"
}

// OwnOrigin reports whether an origin has the host and port that a request asks.
// The scheme is left out, as a proxy may end TLS.
func OwnOrigin(r *http.Request, origin string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" {
		return false // "null", for one
	}
	port, web := map[string]string{"http": "80", "https": "443"}[u.Scheme]
	return web && withPort(u.Host, port) == withPort(r.Host, port)
}

// withPort is a host with its port, which is often left out.
func withPort(host, port string) string {
	if _, _, err := net.SplitHostPort(host); err != nil {
		host = net.JoinHostPort(strings.Trim(host, "[]"), port)
	}
	return strings.ToLower(host)
}
