// Package edge is the outermost layer of the HTTP server. [Front] protects the
// API, the page, and the WebSockets.
package edge

import (
	"cmp"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"docent/api/route"
	"docent/api/stall"
	"docent/auth"
)

// Config configures Front.
type Config struct {
	// Guard lists the allowed host names and origins.
	Guard GuardConfig
	// ErrorBody returns the format of the errors of a path; nil means
	// route.Error. Default: nil, route.Error for all paths.
	ErrorBody func(path string) route.ErrorBody
	// Known puts an auth.Principal into the context of requests. Required.
	Known func(next http.Handler) http.Handler
	// Proxies are the proxies whose X-Forwarded-For header is trusted; see
	// auth.RemoteBehind. Default: none.
	Proxies []netip.Prefix
	// BasePath is the path below which a proxy serves docent, such as /docent. Default: "", the root of the host, or the
	// header X-Forwarded-Prefix of a proxy in Proxies.
	BasePath string
	// StallTimeout is the time after which a connection without any traffic is
	// closed. Default: stall.DefaultTimeout.
	StallTimeout time.Duration
	// Metrics counts the refused requests. Default: a set of its own.
	Metrics *metrics.Set
	// Logger gets a line for each request that Front refuses, including WebSocket
	// handshakes. Default: nil, which discards.
	Logger *slog.Logger
}

// Front returns the outermost handler of a server. It closes stalled connections,
// except hijacked ones. It passes each request through [Guard], then Known, then
// the given handler. It logs and counts each request that Guard or Known refuses,
// and each WebSocket that does not open.
func Front(config Config) func(next http.Handler) http.Handler {
	config.StallTimeout = cmp.Or(config.StallTimeout, stall.DefaultTimeout)
	if config.Metrics == nil {
		config.Metrics = metrics.NewSet()
	}
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	if config.ErrorBody == nil {
		config.ErrorBody = func(string) route.ErrorBody { return nil }
	}
	return func(next http.Handler) http.Handler {
		inner := Guard(config.Guard)(config.Known(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			route.NotePrincipal(r.Context())
			next.ServeHTTP(w, r)
		})))
		return based(config.BasePath, config.Proxies, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r = r.WithContext(auth.WithRemote(r.Context(), auth.RemoteBehind(r, config.Proxies)))
			r = route.Track(r, config.ErrorBody(r.URL.Path))
			if auth.Secure(r) { // browsers ignore the header without TLS
				w.Header().Set("Strict-Transport-Security", "max-age=31536000")
			}
			out := stall.NewWriter(w, r, config.StallTimeout)
			defer out.End()
			inner.ServeHTTP(out, r)
			if refused(r, out.Status()) {
				route.LogRefusal(r, out.Status(), config.Metrics, config.Logger)
			}
		}))
	}
}

// refused reports whether a response refuses a request or a WebSocket.
func refused(r *http.Request, status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests:
		return true
	default:
		return status >= http.StatusBadRequest && r.Header.Get("Upgrade") != ""
	}
}
