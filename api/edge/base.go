package edge

import (
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"strings"

	"docent/api/route"
	"docent/auth"
)

// based removes a base path from the addresses of requests, and redirects from the base path to its page. Requests
// without the base path pass too, because some proxies remove it. The handlers find the base path with route.Base. If
// base is "", it is the header X-Forwarded-Prefix of a trusted proxy.
func based(base string, proxies []netip.Prefix, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		prefix := base
		if prefix == "" && auth.FromProxy(r, proxies) {
			prefix = cleanBase(r.Header.Get("X-Forwarded-Prefix"))
		}
		if prefix == "" {
			next.ServeHTTP(w, r)
			return
		}
		if base != "" && r.URL.Path == base && r.Header.Get("Upgrade") == "" {
			target := url.URL{Path: base + "/", RawQuery: r.URL.RawQuery}
			http.Redirect(w, r, target.String(), http.StatusPermanentRedirect)
			return
		}
		r = r.WithContext(route.WithBase(r.Context(), prefix))
		if base == "" || r.URL.Path != base && !strings.HasPrefix(r.URL.Path, base+"/") {
			next.ServeHTTP(w, r)
			return
		}
		inner := r.Clone(r.Context())
		inner.URL.Path = "/" + strings.TrimLeft(strings.TrimPrefix(r.URL.Path, base), "/")
		inner.URL.RawPath = ""
		if raw, ok := strings.CutPrefix(r.URL.RawPath, base); ok {
			inner.URL.RawPath = "/" + strings.TrimLeft(raw, "/")
		}
		next.ServeHTTP(w, inner)
	})
}

// cleanBase returns a path of a header without its slash at the end, or "" if it is no plain absolute path.
func cleanBase(said string) string {
	said = strings.TrimSuffix(said, "/")
	if !strings.HasPrefix(said, "/") || path.Clean(said) != said || strings.ContainsFunc(said, func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("/-._~", c))
	}) {
		return ""
	}
	return said
}
