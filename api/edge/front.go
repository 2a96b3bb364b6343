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
	// Known is a middleware that puts an auth.Principal into the context of
	// requests. Required.
	Known func(next http.Handler) http.Handler
	// Proxies are the proxies whose X-Forwarded-For header is trusted; see
	// auth.RemoteBehind. Default: none.
	Proxies []netip.Prefix
	// StallTimeout closes a connection that neither sends nor receives data for
	// this time. Default: stall.DefaultTimeout.
	StallTimeout time.Duration
	// Metrics counts the refused requests. Default: a set of its own.
	Metrics *metrics.Set
	// Logger gets a line for each request that Front refuses, including WebSocket
	// handshakes. Default: nil, which discards.
	Logger *slog.Logger
}

// Front wraps next as the outermost handler of a server. It applies [Guard] and
// then Known. It logs and counts the requests that they refuse, and failed
// WebSocket handshakes. It closes stalled connections, except hijacked ones.
func Front(config Config) func(next http.Handler) http.Handler {
	config.StallTimeout = cmp.Or(config.StallTimeout, stall.DefaultTimeout)
	if config.Metrics == nil {
		config.Metrics = metrics.NewSet()
	}
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	return func(next http.Handler) http.Handler {
		inner := Guard(config.Guard)(config.Known(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			route.NotePrincipal(r.Context())
			next.ServeHTTP(w, r)
		})))
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r = route.Track(r.WithContext(auth.WithRemote(r.Context(), auth.RemoteBehind(r, config.Proxies))))
			out := stall.NewWriter(w, r, config.StallTimeout)
			defer out.End()
			inner.ServeHTTP(out, r)
			if refused(r, out.Status()) {
				route.LogRefusal(r, out.Status(), config.Metrics, config.Logger)
			}
		})
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
