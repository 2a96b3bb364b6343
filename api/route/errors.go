package route

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"docent/auth"
	"docent/internal/fault"
	"docent/llm"
)

// maxDetails bounds the mistakes in a request that its error lists.
const maxDetails = 3

// Error is the body of every error response, except of /api/ready.
type Error struct {
	status int
	after  time.Duration // when to try again; 0 says nothing
	// Code is the kind of the fault.
	Code fault.Kind `json:"code" enum:"invalid,not_found,conflict,unauthorized,forbidden,rate_limited,busy,unavailable,canceled,internal" doc:"What the caller can do about it."`
	fault.Text
	// Retryable reports whether the same request may succeed later.
	Retryable bool `json:"retryable" doc:"Whether the same request may succeed later."`
}

// NewError returns an error with an HTTP status that differs from the status of
// its kind.
func NewError(status int, kind fault.Kind, text fault.Text) *Error {
	return &Error{status: status, Code: kind, Text: text}
}

// TooLarge returns the error of a body that is larger than its limit.
func TooLarge(what fault.Text, limit int64) *Error {
	return NewError(http.StatusRequestEntityTooLarge, fault.Invalid,
		fault.NewText("larger_than_limit", "%s is larger than %s", what, Size(limit)))
}

// Size formats a number of bytes for people.
func Size(n int64) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}

// AsError converts any error into a response.
func AsError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	after := auth.RetryAfter(err)
	var busy interface{ RetryAfter() time.Duration }
	if errors.As(err, &busy) {
		after = busy.RetryAfter()
	}
	kind := fault.KindOf(err)
	return &Error{status: kind.HTTPStatus(), after: after, Code: kind, Text: fault.TextOf(err), Retryable: kind.Retryable()}
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// GetStatus returns the HTTP status; it makes Error a huma.StatusError.
func (e *Error) GetStatus() int { return e.status }

// GetHeaders returns the headers of the response; it makes Error a
// huma.HeadersError.
func (e *Error) GetHeaders() http.Header {
	h := http.Header{}
	challenge(h, e.status)
	if e.after > 0 {
		h.Set("Retry-After", strconv.Itoa(int(e.after/time.Second)))
	}
	return h
}

// Write responds with an error outside of the handlers of Add, in the format of
// the request's group.
func Write(w http.ResponseWriter, req *http.Request, e *Error) {
	h := w.Header()
	Secure(h)
	h.Set("Content-Type", "application/json")
	for name, values := range e.GetHeaders() {
		h[name] = values
	}
	w.WriteHeader(e.status)
	_ = json.NewEncoder(w).Encode(inGroup(req.Context(), e)) // the client is gone
}

// challenge tells the client how to authenticate.
func challenge(h http.Header, status int) {
	if status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", "Bearer")
	}
}

// Sentence returns the id and the parameters of a text. It returns nil for texts
// without an id.
func Sentence(t fault.Text) *fault.Sentence {
	if t.ID == "" {
		return nil
	}
	return &t.Sentence
}

// Fail turns the error of a handler into a response and logs it once. The cause
// of a fault may quote the request, as the error of a model server does, so only
// internal errors are logged with their cause. The message of an invalid request
// may quote the request too, so it is not logged.
func (r *Router) Fail(ctx context.Context, err error) *Error {
	e := AsError(err)
	level := slog.LevelDebug
	attrs := []slog.Attr{slog.String("kind", string(e.Code))}
	if e.Retryable || e.Code == fault.Internal {
		attrs = append(attrs, slog.String("message", e.Message))
	}
	if known := requestOf(ctx); known != nil {
		known.reason = string(e.Code)
		attrs = append(attrs, slog.String("request", known.id), slog.String("route", known.http.Pattern))
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
	r.cfg.Logger.LogAttrs(ctx, level, "request failed", attrs...)
	return e
}

// adjustHuma replaces huma's errors, such as those about parameters, with
// Errors, and describes lists as never null. huma has only package variables for
// these settings.
var adjustHuma = sync.OnceFunc(func() {
	huma.DefaultArrayNullable = false
	huma.NewError = func(status int, message string, errs ...error) huma.StatusError {
		return translate(status, message, errs)
	}
	huma.NewErrorWithContext = func(hc huma.Context, status int, message string, errs ...error) huma.StatusError {
		return inGroup(hc.Context(), translate(status, message, errs))
	}
})

// translate converts an error of huma. The message names the mistakes in the
// request but does not repeat its values.
func translate(status int, message string, errs []error) *Error {
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
	var mistakes []any
	for _, err := range errs[:min(len(errs), maxDetails)] {
		if d, ok := err.(huma.ErrorDetailer); ok { //nolint:errorlint // huma does not wrap them
			mistakes = append(mistakes, mistake(d.ErrorDetail()))
		}
	}
	e.Text = refused(status, message)
	if len(mistakes) > 0 {
		e.Text = invalid(mistakes)
	}
	return e
}
