package api

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"docent/auth"
)

// FrontConfig is what stands before everything that a server has.
type FrontConfig struct {
	// Guard says under which names and from which pages it may be reached.
	Guard GuardConfig
	// Known puts an auth.Principal into the context of requests. Required.
	Known func(next http.Handler) http.Handler
	// Proxies are believed where they have a request from; see auth.RemoteBehind.
	// Default: none.
	Proxies []netip.Prefix
	// StallTimeout ends a connection on which nothing moves. Default:
	// DefaultStallTimeout.
	StallTimeout time.Duration
	// Metrics counts what is refused. Default: a set of its own.
	Metrics *metrics.Set
	// Logger gets a line of each request that is refused before it is one of
	// this package's, WebSockets included. Default: nil, which discards.
	Logger *slog.Logger
}

// Front is the outermost handler of a server, for the API, the page and the
// WebSockets alike: no connection stays open on which nothing moves, unless it
// has been hijacked; then there is [Guard], then Known; and who is refused by
// either, or gets no WebSocket, is logged and counted.
func Front(config FrontConfig) func(next http.Handler) http.Handler {
	setDefault(&config.StallTimeout, DefaultStallTimeout)
	if config.Metrics == nil {
		config.Metrics = metrics.NewSet()
	}
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	return func(next http.Handler) http.Handler {
		inner := Guard(config.Guard)(config.Known(noted(next)))
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			known := &request{http: r}
			ctx := auth.WithRemote(r.Context(), auth.RemoteBehind(r, config.Proxies))
			r = r.WithContext(context.WithValue(ctx, requestKey{}, known))
			out := newSteady(w, r, config.StallTimeout)
			defer out.end()
			inner.ServeHTTP(out, r)
			if !known.observed && refused(r, out.status) {
				countRequest(config.Metrics, r, none, out.status)
				config.Logger.LogAttrs(r.Context(), slog.LevelInfo, "refused", append(known.whose(r),
					slog.String("method", method(r)), slog.Bool("websocket", r.Header.Get("Upgrade") != ""),
					slog.Int("status", out.status), slog.String("reason", cmp.Or(known.reason, http.StatusText(out.status))))...)
			}
		})
	}
}

// refused reports whether a status says that somebody was not let in.
func refused(r *http.Request, status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests:
		return true
	default:
		return status >= http.StatusBadRequest && r.Header.Get("Upgrade") != ""
	}
}

// noted remembers who asks, for the log.
func noted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if known := requestOf(r.Context()); known != nil {
			p, _ := auth.FromContext(r.Context())
			known.principal = p.ID
		}
		next.ServeHTTP(w, r)
	})
}

// whose says who sent a request, and from where.
func (k *request) whose(r *http.Request) []slog.Attr {
	return []slog.Attr{slog.String("principal", k.principal), slog.String("remote", auth.Remote(r))}
}

// because notes why a request is refused, in a word.
func because(r *http.Request, reason string) {
	if known := requestOf(r.Context()); known != nil {
		known.reason = reason
	}
}
