package api

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"docent/auth"
	"docent/internal/fault"
	"docent/llm"
)

// maxDetails bounds how many faults of a request its error names.
const maxDetails = 3

// Error is the body of every response of the API and of [Guard] that is not a
// success, but for a /api/ready that says what is wrong.
type Error struct {
	status int
	after  time.Duration // when to try again; 0 says nothing
	// Code is a fault kind.
	Code fault.Kind `json:"code" enum:"invalid,not_found,conflict,unauthorized,forbidden,rate_limited,busy,unavailable,canceled,internal" doc:"What the caller can do about it."`
	fault.Text
	// Retryable reports whether the same request may succeed later.
	Retryable bool `json:"retryable" doc:"Whether the same request may succeed later."`
}

// sentence names a text for clients; nil for texts without an id.
func sentence(t fault.Text) *fault.Sentence {
	if t.ID == "" {
		return nil
	}
	return &t.Sentence
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// GetStatus returns the HTTP status; it makes Error a huma.StatusError.
func (e *Error) GetStatus() int { return e.status }

// GetHeaders returns the headers that go with it; it makes Error a
// huma.HeadersError.
func (e *Error) GetHeaders() http.Header {
	h := http.Header{}
	challenge(h, e.status)
	if e.after > 0 {
		h.Set("Retry-After", strconv.Itoa(int(e.after/time.Second)))
	}
	return h
}

// asError is the one place where faults become responses.
func asError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	kind := fault.KindOf(err)
	return &Error{status: kind.HTTPStatus(), after: auth.RetryAfter(err), Code: kind, Text: fault.TextOf(err), Retryable: kind.Retryable()}
}

// fail turns a handler's error into a response and logs it once. The cause of a
// fault may repeat what was asked, as a model server's refusal does, so the log
// gets it only of what is a mistake of ours; and the message of a fault of the
// request may quote it, so it is the client's alone.
func (s *server) fail(ctx context.Context, err error) error {
	e := asError(err)
	level := slog.LevelDebug
	attrs := []slog.Attr{slog.String("kind", string(e.Code))}
	if e.Retryable || e.Code == fault.Internal {
		attrs = append(attrs, slog.String("message", e.Message))
	}
	if r := requestOf(ctx); r != nil {
		r.reason = string(e.Code)
		attrs = append(attrs, slog.String("request", r.id), slog.String("route", r.http.Pattern))
	}
	var refusal *llm.StatusError
	if errors.As(err, &refusal) {
		attrs = append(attrs, slog.Int("model_status", refusal.Status))
	}
	switch {
	case e.Code == fault.Internal:
		level = slog.LevelError
		attrs = append(attrs, slog.Any("error", err))
	case e.Retryable:
		level = slog.LevelWarn
	}
	s.log.LogAttrs(ctx, level, "request failed", attrs...)
	return e
}

// useOwnWays makes huma's own complaints, such as those about parameters, look
// like ours, and describes lists as what they are here: never null. huma has no
// other place for either than a variable.
var useOwnWays = sync.OnceFunc(func() {
	huma.DefaultArrayNullable = false
	huma.NewError = func(status int, message string, errs ...error) huma.StatusError {
		return complaint(status, message, errs)
	}
})

// complaint translates huma's status and details. What was wrong with the
// request is named, its values are not repeated.
func complaint(status int, message string, errs []error) *Error {
	e := &Error{status: status, Code: fault.Invalid}
	switch {
	case status >= 500:
		e.Code = fault.Internal
		e.Text = fault.TextOf(nil)
		return e
	case status == http.StatusNotFound:
		e.Code = fault.NotFound
	case status == http.StatusUnprocessableEntity:
		e.status = fault.Invalid.HTTPStatus()
	}
	var details []string
	for _, err := range errs[:min(len(errs), maxDetails)] {
		if d, ok := err.(huma.ErrorDetailer); ok { //nolint:errorlint // huma passes them bare
			detail := d.ErrorDetail()
			details = append(details, strings.TrimSpace(detail.Location+" "+detail.Message))
		}
	}
	e.Text = fault.Plain(message)
	if len(details) > 0 {
		e.Text = fault.NewText("request_invalid", "the request is not valid: %s", strings.Join(details, "; "))
	}
	return e
}

// writeError answers a request outside of huma's handlers.
func writeError(w http.ResponseWriter, e *Error) {
	h := w.Header()
	secure(h)
	h.Set("Content-Type", "application/json")
	challenge(h, e.status)
	w.WriteHeader(e.status)
	_ = json.NewEncoder(w).Encode(e) // the client is gone
}

// challenge says how to authenticate.
func challenge(h http.Header, status int) {
	if status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", "Bearer")
	}
}

// noStatus takes what net/http would answer and keeps only its header and status.
type noStatus struct {
	header http.Header
	status int
}

// Header is what would be sent.
func (n *noStatus) Header() http.Header { return n.header }

// WriteHeader keeps the status.
func (n *noStatus) WriteHeader(status int) { n.status = status }

// Write drops the text.
func (n *noStatus) Write(p []byte) (int, error) { return len(p), nil }

// answerUnknown gives unknown paths and methods the same kind of error as
// everything else.
func (s *server) answerUnknown(mux router) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler, pattern := mux.Handler(r)
		if pattern != "" {
			if e := s.allowed(r, pattern); e != nil {
				because(r, string(e.Code))
				r.Pattern = pattern // for the log
				writeError(w, e)
				return
			}
			mux.ServeHTTP(w, r)
			return
		}
		n := &noStatus{header: http.Header{}}
		handler.ServeHTTP(n, r)
		if n.status == http.StatusMethodNotAllowed {
			w.Header().Set("Allow", n.header.Get("Allow"))
			writeError(w, &Error{status: n.status, Code: fault.Invalid, Text: fault.NewText("method_not_allowed", "this path does not take the method %s", method(r))})
			return
		}
		writeError(w, &Error{status: http.StatusNotFound, Code: fault.NotFound, Text: fault.NewText("no_path", "there is nothing at this path; /openapi.json lists all paths")})
	})
}

// method is the request's method if it is one that exists.
func method(r *http.Request) string {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return r.Method
	default:
		return "of the request"
	}
}
