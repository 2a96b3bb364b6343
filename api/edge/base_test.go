package edge

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"docent/api/route"
)

// TestBased checks the addresses that handlers see below a base path, and the base path of their links.
func TestBased(t *testing.T) {
	t.Parallel()
	proxies := []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")} // httptest has 192.0.2.1
	for _, c := range []struct {
		base, target, header string
		proxies              []netip.Prefix
		want                 string
	}{
		{base: "/docent", target: "/docent/api/health?x=1", want: "/api/health /docent"},
		{base: "/docent", target: "/docent/", want: "/ /docent"},
		{base: "/docent", target: "/docent", want: "308 /docent/"},
		{base: "/docent", target: "/docent?x=1", want: "308 /docent/?x=1"},
		{base: "/docent", target: "/docent//evil.example", want: "/evil.example /docent"},
		{base: "/docent", target: "/docent/v1/models/a%2Fb", want: "/v1/models/a%2Fb /docent"},
		{base: "/docent", target: "/api/health", want: "/api/health /docent"},
		{base: "/docent", target: "/docents/x", want: "/docents/x /docent"},
		{target: "/docent/api/health", want: "/docent/api/health "},
		{target: "/api/health", header: "/docent/", want: "/api/health "},
		{target: "/api/health", header: "/docent/", proxies: proxies, want: "/api/health /docent"},
		{target: "/api/health", header: "//evil.example", proxies: proxies, want: "/api/health "},
		{target: "/api/health", header: "docent", proxies: proxies, want: "/api/health "},
		{target: "/api/health", header: "/a\"b", proxies: proxies, want: "/api/health "},
		{base: "/docent", target: "/api/health", header: "/other", proxies: proxies, want: "/api/health /docent"},
	} {
		handler := based(c.base, c.proxies, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, r.URL.EscapedPath(), " ", route.Base(r.Context()))
		}))
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, c.target, nil)
		if c.header != "" {
			r.Header.Set("X-Forwarded-Prefix", c.header)
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		got := w.Body.String()
		if w.Code != http.StatusOK {
			got = fmt.Sprint(w.Code, " ", w.Header().Get("Location"))
		}
		if got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}
