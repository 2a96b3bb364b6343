package auth

import (
	"net"
	"net/http"
	"net/url"
	"strings"
)

// OwnPage reports whether a request may come from docent's own page. Only then
// its cookie counts. The request must not have the Origin of another page, not
// even of a listed one on the same site. If the browser sends Sec-Fetch-Site,
// it must not name another page.
//
// Browsers send Sec-Fetch-Site only over TLS and on this machine, and SameSite
// ignores ports. They send Origin with every WebSocket and with every request
// that changes something. A request with neither only reads, and its response
// is hidden from other pages, or it comes from no browser.
func OwnPage(r *http.Request) bool {
	for _, origin := range r.Header.Values("Origin") {
		if !OwnOrigin(r, origin) {
			return false
		}
	}
	site := r.Header.Get("Sec-Fetch-Site")
	return site == "" || site == "same-origin" || site == "none"
}

// OwnOrigin reports whether an origin has the host and port that a request was
// sent to. It ignores the scheme, because a proxy may end TLS.
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
