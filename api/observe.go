package api

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"

	"docent/agent/session/journal"
	"docent/auth"
	"docent/internal/fault"
)

type requestKey struct{}

// request is what the log says of a request.
type request struct {
	id        string
	http      *http.Request // its Pattern is known once it is routed
	principal string        // its id; "" is nobody, or everybody while authentication is off
	reason    string        // why it is refused, in a word; "" if it is not
	observed  bool          // whether observe logs it
}

// requestOf is the request that a context belongs to; nil outside of one.
func requestOf(ctx context.Context) *request {
	r, _ := ctx.Value(requestKey{}).(*request)
	return r
}

// recorder remembers what was answered.
type recorder struct {
	http.ResponseWriter
	status int
	bytes  int64
}

// WriteHeader keeps the status.
func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
		challenge(r.Header(), status)
	}
	r.ResponseWriter.WriteHeader(status)
}

// Write counts.
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

// observe gives each request an id, logs it and survives its panics.
func (s *server) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start, id := time.Now(), rand.Text()[:12]
		rec := &recorder{ResponseWriter: w}
		w.Header().Set("X-Request-Id", id)
		known := requestOf(r.Context())
		if known == nil { // there is no Front
			known = &request{}
			r = r.WithContext(context.WithValue(r.Context(), requestKey{}, known))
		}
		p, _ := auth.FromContext(r.Context())
		known.id, known.http, known.principal, known.observed = id, r, p.ID, true
		defer func() {
			p := recover()
			if err, ok := p.(error); p != nil && !(ok && errors.Is(err, http.ErrAbortHandler)) {
				s.log.LogAttrs(r.Context(), slog.LevelError, "panic", slog.String("request", id), slog.String("panic", fmt.Sprint(p)), slog.String("stack", string(debug.Stack())))
				if rec.status == 0 {
					writeError(rec, &Error{status: http.StatusInternalServerError, Code: fault.Internal, Text: fault.TextOf(nil)})
					p = nil
				} else {
					p = http.ErrAbortHandler // the client must not take half an answer for a whole one
				}
			}
			took := time.Since(start)
			s.count(r, rec.status, took)
			attrs := append(known.whose(r), slog.String("request", id), slog.String("method", method(r)), slog.String("route", r.Pattern),
				slog.Int64("document", documentID(r)), slog.String("session", sessionID(r)),
				slog.Int("status", rec.status), slog.Int64("bytes", rec.bytes), slog.Duration("took", took))
			if known.reason != "" {
				attrs = append(attrs, slog.String("reason", known.reason))
			}
			s.log.LogAttrs(r.Context(), level(r.Pattern), "http", attrs...)
			if p != nil {
				panic(p)
			}
		}()
		next.ServeHTTP(rec, r)
	})
}

// documentID is the document that a path names; 0 if it names none. What else
// stands there is the client's words.
func documentID(r *http.Request) int64 {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		return 0
	}
	return id
}

// sessionID is the session that a path names; "" if it cannot be one.
func sessionID(r *http.Request) string {
	id := r.PathValue("session_id")
	if len(id) > journal.MaxNameBytes {
		return ""
	}
	return id
}

// level keeps the log free of what monitors ask every few seconds.
func level(pattern string) slog.Level {
	if pattern == "GET /api/health" || pattern == "GET /api/ready" || pattern == "GET "+metricsPath {
		return slog.LevelDebug
	}
	return slog.LevelInfo
}

// headers sets what every response of the API carries: it is never a page, so
// it may do nothing in a browser.
func headers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		secure(w.Header())
		next.ServeHTTP(w, r)
	})
}

func secure(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}
