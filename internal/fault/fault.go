// Package fault describes errors as callers see them: a [Kind] that says what the
// caller can do, and a [Text] that says what happened. Packages wrap causes in a
// [Fault]. HTTP, WebSocket, and the command line map [KindOf] and [TextOf] to
// their protocol in one place each.
package fault

import (
	"context"
	"errors"
	"strings"
)

// Kind says what the caller can do about an error.
type Kind string

// The kinds. A kind is part of the wire protocols, so it is never renamed.
const (
	// Invalid: the request is wrong and will fail again unless it is changed.
	Invalid Kind = "invalid"
	// NotFound: the named object does not exist, or this caller may not see it.
	NotFound Kind = "not_found"
	// Conflict: the request conflicts with the current state. Read the state and decide.
	Conflict Kind = "conflict"
	// Unauthorized: the caller must authenticate.
	Unauthorized Kind = "unauthorized"
	// Forbidden: the authenticated caller may not do this.
	Forbidden Kind = "forbidden"
	// RateLimited: too many requests by this caller; wait and try again.
	RateLimited Kind = "rate_limited"
	// Busy: a bounded queue is full; try again soon.
	Busy Kind = "busy"
	// Unavailable: a dependency does not respond.
	Unavailable Kind = "unavailable"
	// Canceled: the caller disconnected or canceled the request.
	Canceled Kind = "canceled"
	// Internal: docent has failed.
	Internal Kind = "internal"
)

// Kinds lists all kinds in the order of the documentation.
func Kinds() []Kind {
	return []Kind{Invalid, NotFound, Conflict, Unauthorized, Forbidden, RateLimited, Busy, Unavailable, Canceled, Internal}
}

// Retryable reports whether the same request may succeed later unchanged.
func (k Kind) Retryable() bool {
	return k == RateLimited || k == Busy || k == Unavailable
}

// HTTPStatus returns the HTTP status code of the kind.
func (k Kind) HTTPStatus() int {
	switch k {
	case Invalid:
		return 400
	case Unauthorized:
		return 401
	case Forbidden:
		return 403
	case NotFound:
		return 404
	case Conflict:
		return 409
	case RateLimited:
		return 429
	case Busy, Unavailable:
		return 503
	case Canceled:
		return 499 // nginx's code for a client that closed the request
	default:
		return 500
	}
}

// ExitCode returns the exit status of a failed command: 2 for wrong usage, 3 for an unavailable dependency, 130 for an
// interruption, and 1 otherwise.
func (k Kind) ExitCode() int {
	switch k {
	case Invalid:
		return 2
	case Unavailable, Busy, RateLimited:
		return 3
	case Canceled:
		return 130
	default:
		return 1
	}
}

// Fault is an error with a kind and a sentence that is safe to show.
type Fault struct { //nolint:errname // fault.Error would read like a builtin error
	// Kind says what the caller can do.
	Kind Kind
	// Text is the sentence for clients. It contains no paths, queries, or addresses that the client did not send.
	Text
	// Err is the cause, for logs. It may be nil.
	Err error
}

// Error returns the sentence followed by the cause.
func (f *Fault) Error() string {
	if f.Err == nil {
		return f.Message
	}
	cause := f.Err.Error()
	switch {
	case f.Message == "":
		return cause
	case strings.Contains(f.Message, cause): // New has put it in
		return f.Message
	}
	return f.Message + ": " + cause
}

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Err }

// New makes a fault with the sentence that [NewText] makes of format and args. A
// %w in the format keeps that error as the cause. Its sentence is then part of
// the text, so use Wrap for causes that clients must not see.
func New(kind Kind, id, format string, args ...any) error {
	return &Fault{Kind: kind, Text: NewText(id, format, args...), Err: cause(format, args)}
}

// cause is the argument of the format's %w; nil without one.
func cause(format string, args []any) error {
	for i, verb := range verbs(format) {
		if err, ok := args[min(i, len(args)-1)].(error); ok && verb == "%w" {
			return err
		}
	}
	return nil
}

// Wrap gives err a kind and a sentence; nil stays nil.
func Wrap(kind Kind, err error, id, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return &Fault{Kind: kind, Text: NewText(id, format, args...), Err: err}
}

// KindOf returns the kind of the outermost fault in err's chain. A canceled
// context is Canceled, an expired deadline Unavailable, all else Internal.
func KindOf(err error) Kind {
	var f *Fault
	switch {
	case errors.As(err, &f):
		return f.Kind
	case errors.Is(err, context.Canceled):
		return Canceled
	case errors.Is(err, context.DeadlineExceeded):
		return Unavailable
	default:
		return Internal
	}
}

// TextOf returns the sentence that a client may see: that of the outermost fault
// in err's chain, or a fixed one for any other error.
func TextOf(err error) Text {
	var f *Fault
	if errors.As(err, &f) && f.Message != "" {
		return f.Text
	}
	switch KindOf(err) {
	case Canceled:
		return NewText("request_canceled", "the request was canceled")
	case Unavailable:
		return NewText("request_timeout", "the request took too long")
	default:
		return NewText("internal_error", "something went wrong here; please try again")
	}
}

// Message returns the English sentence of [TextOf].
func Message(err error) string { return TextOf(err).Message }
