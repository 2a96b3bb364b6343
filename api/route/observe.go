package route

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"docent/auth"
	"docent/internal/fault"
	"docent/internal/trace"
)

const (
	// noRoute is the route of unknown paths and refused requests in metrics.
	noRoute = "none"
	// maxSessionID bounds the session ids in the log, in bytes.
	maxSessionID = 255
)

// requestKey is the key of a *request in a context.
type requestKey struct{}

// request is the log's record of a request.
type request struct {
	id        string
	http      *http.Request // its Pattern is known after routing
	principal string        // empty for nobody, and for everyone while authentication is off
	reason    string        // why the request is refused; empty if it is not
	observed  bool          // whether observe logs it
	errorBody ErrorBody     // of the request's group; nil without one
	object    string        // of the audit record
	refused   bool          // the request did nothing
}

// requestOf returns the record in a context; nil if there is none.
func requestOf(ctx context.Context) *request {
	r, _ := ctx.Value(requestKey{}).(*request)
	return r
}

// Track returns a request with a record for the log in its context. body is the
// format of errors before the request reaches a Router; nil means Error.
func Track(r *http.Request, body ErrorBody) *http.Request {
	known := &request{errorBody: body}
	r = r.WithContext(context.WithValue(r.Context(), requestKey{}, known))
	known.http = r
	return r
}

// NotePrincipal adds the principal to the log record of a request.
func NotePrincipal(ctx context.Context) {
	if known := requestOf(ctx); known != nil {
		p, _ := auth.FromContext(ctx)
		known.principal = p.ID
	}
}

// Because records the reason for a refusal in one word.
func Because(r *http.Request, reason string) {
	if known := requestOf(r.Context()); known != nil {
		known.reason = reason
	}
}

// HTTPRequest returns the request that a handler of Add answers.
func HTTPRequest(ctx context.Context) *http.Request {
	if known := requestOf(ctx); known != nil {
		return known.http
	}
	return nil
}

// RequestID returns the id of the request that a handler of Add answers.
func RequestID(ctx context.Context) string {
	if known := requestOf(ctx); known != nil {
		return known.id
	}
	return ""
}

// LogRefusal logs and counts a request that was refused before it reached a
// Router.
func LogRefusal(r *http.Request, status int, set *metrics.Set, log *slog.Logger) {
	known := requestOf(r.Context())
	if known == nil || known.observed {
		return
	}
	count(set, r, noRoute, status)
	log.LogAttrs(r.Context(), slog.LevelInfo, "refused", append(known.client(r),
		slog.String("method", method(r)), slog.Bool("websocket", r.Header.Get("Upgrade") != ""),
		slog.Int("status", status), slog.String("reason", cmp.Or(known.reason, http.StatusText(status))))...)
}

// client says who sent a request, and from which address.
func (k *request) client(r *http.Request) []slog.Attr {
	return []slog.Attr{slog.String("principal", k.principal), slog.String("remote", auth.Remote(r))}
}

// recorder records the status and the size of a response.
type recorder struct {
	http.ResponseWriter
	status int
	bytes  int64
}

// WriteHeader records the status and sends it.
func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
		challenge(r.Header(), status)
	}
	r.ResponseWriter.WriteHeader(status)
}

// Write counts the bytes and sends them.
func (r *recorder) Write(p []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	n, err := r.ResponseWriter.Write(p)
	r.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController flush and set deadlines.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// observe gives each request an id, logs and counts it, and survives panics.
func (r *Router) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		start, id := time.Now(), rand.Text()[:12]
		rec := &recorder{ResponseWriter: w}
		w.Header().Set("X-Request-Id", id)
		if requestOf(req.Context()) == nil { // the router runs without edge.Front
			req = Track(req, nil)
		}
		known := requestOf(req.Context())
		p, _ := auth.FromContext(req.Context())
		known.id, known.http, known.principal, known.observed = id, req, p.ID, true
		known.errorBody = r.errorBody(req.URL.Path)
		defer func() {
			p := recover()
			if err, ok := p.(error); p != nil && !(ok && errors.Is(err, http.ErrAbortHandler)) {
				r.cfg.Logger.LogAttrs(req.Context(), slog.LevelError, "panic", slog.String("request", id),
					slog.String("panic", fmt.Sprint(p)), slog.String("stack", string(debug.Stack())))
				if rec.status == 0 {
					Write(rec, req, NewError(http.StatusInternalServerError, fault.Internal, fault.TextOf(nil)))
					p = nil
				} else {
					p = http.ErrAbortHandler // an incomplete response must not look complete
				}
			}
			r.record(known, rec, time.Since(start))
			if p != nil {
				panic(p)
			}
		}()
		next.ServeHTTP(rec, req)
	})
}

// record logs and counts a request with its response.
func (r *Router) record(known *request, rec *recorder, took time.Duration) {
	req := known.http
	_, route, _ := strings.Cut(req.Pattern, " ")
	route = cmp.Or(route, noRoute)
	count(r.cfg.Metrics, req, route, rec.status)
	trace.Answered(req.Context(), method(req), route, max(rec.status, http.StatusOK))
	if route != noRoute {
		r.seconds[route].Observe(took)
	}
	attrs := append(known.client(req), slog.String("request", known.id), slog.String("method", method(req)), slog.String("route", req.Pattern),
		slog.Int64("document", documentID(req)), slog.String("session", sessionID(req)),
		slog.Int("status", rec.status), slog.Int64("bytes", rec.bytes), slog.Duration("took", took))
	if known.reason != "" {
		attrs = append(attrs, slog.String("reason", known.reason))
	}
	level := slog.LevelInfo
	if slices.Contains(r.cfg.Quiet, req.Pattern) {
		level = slog.LevelDebug
	}
	r.cfg.Logger.LogAttrs(req.Context(), level, "http", attrs...)
}

// count adds a request to the metrics. The labels are routes, not paths, and
// known methods, so that clients cannot create new labels.
func count(set *metrics.Set, r *http.Request, route string, status int) {
	verb := method(r)
	if verb != r.Method {
		verb = "other"
	}
	class := max(status, http.StatusOK) / 100 // net/http sends 200 for handlers that write nothing
	set.GetOrCreateCounter(fmt.Sprintf(`docent_http_requests_total{route=%q,method=%q,status="%dxx"}`, route, verb, class)).Inc()
}

// documentID returns the id of the document in the path; 0 for anything else,
// which could be any text of the client.
func documentID(r *http.Request) int64 {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		return 0
	}
	return id
}

// sessionID returns the id of the session in the path; empty if it is too long
// for one.
func sessionID(r *http.Request) string {
	id := r.PathValue("session_id")
	if len(id) > maxSessionID {
		return ""
	}
	return id
}

// method returns the method of a request if it is a known one.
func method(r *http.Request) string {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return r.Method
	default:
		return "of the request"
	}
}
