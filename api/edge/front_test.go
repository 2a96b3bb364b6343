package edge

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestStrictTransport checks that browsers stay with TLS once they used it.
func TestStrictTransport(t *testing.T) {
	t.Parallel()
	known := func(next http.Handler) http.Handler { return next }
	h := Front(Config{Known: known})(http.NotFoundHandler())
	for proto, want := range map[string]string{"": "", "http": "", "https": "max-age=31536000"} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/", http.NoBody)
		if proto != "" {
			r.Header.Set("X-Forwarded-Proto", proto)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if got := w.Header().Get("Strict-Transport-Security"); got != want {
			t.Errorf("%q: the header is %q, want %q", proto, got, want)
		}
	}
}
