// Package fault is the one taxonomy of what can go wrong, seen from the
// caller: what may they do about it? Packages wrap causes in a [Fault]; the
// edges (HTTP, WebSocket, command line) ask [KindOf] and [Message] and map the
// kind in one place each.
package fault

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Kind says what the caller can do about an error.
type Kind string

// The kinds. A kind is part of the wire protocols, so it is never renamed.
const (
	// Invalid: the request is wrong and will fail again unless it is changed.
	Invalid Kind = "invalid"
	// NotFound: what was named does not exist, or not for this caller.
	NotFound Kind = "not_found"
	// Conflict: the request collides with the present state; read it and decide.
	Conflict Kind = "conflict"
	// Unauthorized: the caller has to say who they are.
	Unauthorized Kind = "unauthorized"
	// Forbidden: the caller is known and may not do this.
	Forbidden Kind = "forbidden"
	// RateLimited: too many requests by this caller; wait and try again.
	RateLimited Kind = "rate_limited"
	// Busy: a bounded queue is full; try again soon.
	Busy Kind = "busy"
	// Unavailable: something this depends on does not answer.
	Unavailable Kind = "unavailable"
	// Canceled: the caller went away or asked to stop.
	Canceled Kind = "canceled"
	// Internal: a fault of ours.
	Internal Kind = "internal"
)

// Kinds lists every kind in the order documentation shows them.
func Kinds() []Kind {
	return []Kind{Invalid, NotFound, Conflict, Unauthorized, Forbidden, RateLimited, Busy, Unavailable, Canceled, Internal}
}

// Retryable reports whether the same request may succeed later unchanged.
func (k Kind) Retryable() bool {
	return k == RateLimited || k == Busy || k == Unavailable
}

// HTTPStatus is the status code an HTTP handler answers with.
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

// ExitCode is the exit status of a command that ends with this kind: 2 for a
// wrong call, 3 for something that does not answer, 130 for an interruption as
// shells report it, 1 for all else.
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
	// Safe is shown to clients as it stands: no paths, queries or addresses
	// that the client did not send.
	Safe string
	// Err is the cause, for logs; it may be nil.
	Err error
}

// Error returns the safe sentence followed by the cause.
func (f *Fault) Error() string {
	if f.Err == nil {
		return f.Safe
	}
	cause := f.Err.Error()
	switch {
	case f.Safe == "":
		return cause
	case strings.Contains(f.Safe, cause): // New has put it in
		return f.Safe
	}
	return f.Safe + ": " + cause
}

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Err }

// New makes a fault whose safe sentence is the formatted text. A %w in the
// format keeps that error as the cause; its text is then part of the sentence,
// so use Wrap for causes that clients must not see.
func New(kind Kind, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &Fault{Kind: kind, Safe: err.Error(), Err: errors.Unwrap(err)}
}

// Wrap gives err a kind and a safe sentence; nil stays nil.
func Wrap(kind Kind, err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return &Fault{Kind: kind, Safe: fmt.Sprintf(format, args...), Err: err}
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

// Message returns the sentence a client may see: the safe text of the outermost
// fault, or a fixed sentence for anything else.
func Message(err error) string {
	var f *Fault
	if errors.As(err, &f) && f.Safe != "" {
		return f.Safe
	}
	switch KindOf(err) {
	case Canceled:
		return "the request was canceled"
	case Unavailable:
		return "the request took too long"
	default:
		return "something went wrong here; please try again"
	}
}
