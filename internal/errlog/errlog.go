// Package errlog describes errors in logs without the words of users and documents.
package errlog

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"runtime"
	"strings"

	"docent/internal/fault"
)

// Attr describes an error for logs. It leaves out the error's text, which may repeat the words of users or documents.
// It logs the kind, the safe sentence, the types in the chain, and fields without user content.
func Attr(err error) slog.Attr {
	attrs := []any{
		slog.String("kind", string(fault.KindOf(err))), slog.String("message", fault.Message(err)), slog.String("types", types(err)),
	}
	var network *net.OpError
	if errors.As(err, &network) { // operation, addresses and the system's error
		attrs = append(attrs, slog.String("network", network.Error()))
	}
	var database interface{ SQLState() string }
	if errors.As(err, &database) {
		attrs = append(attrs, slog.String("sqlstate", database.SQLState()))
	}
	var panicked *panicError
	if errors.As(err, &panicked) {
		what := panicked.value
		var hidden withheld
		if errors.As(err, &hidden) {
			what = panicked.safe
		}
		attrs = append(attrs, slog.String("panic", what), slog.String("stack", panicked.stack))
	}
	return slog.Group("error", attrs...)
}

// types lists the types in an error's chain, outermost first.
func types(err error) string {
	var all []string
	for err != nil {
		all = append(all, fmt.Sprintf("%T", err))
		if several, ok := err.(interface{ Unwrap() []error }); ok {
			var parts []string
			for _, part := range several.Unwrap() {
				parts = append(parts, types(part))
			}
			all = append(all, "("+strings.Join(parts, " | ")+")")
		}
		err = errors.Unwrap(err)
	}
	return strings.Join(all, " > ")
}

// withheld is an error whose text may repeat the words of users or documents. It comes from answering, storing, or
// reasoning.
type withheld struct{ error }

func (w withheld) Unwrap() error { return w.error }

// Withhold keeps the text of an error out of the log. Use it for errors whose
// text may repeat the words of users or documents.
func Withhold(err error) error {
	if err == nil {
		return nil
	}
	return withheld{err}
}

// maxLogged limits the text of an error in the log, in characters.
const maxLogged = 1000

// OwnText returns the text of a body's error as log attributes, if the text is
// the developer's own. It returns nil for errors of docent, which may hold the
// words of users and documents.
func OwnText(err error) []any {
	var hidden withheld
	var known *fault.Fault
	var panicked *panicError
	if err == nil || errors.As(err, &hidden) || errors.As(err, &known) || errors.As(err, &panicked) {
		return nil
	}
	return []any{"text", clip(err.Error())}
}

// Failure logs a failure in a session. It logs an error, unless the client caused the failure.
func Failure(ctx context.Context, logger *slog.Logger, session, what string, err error, attrs ...any) {
	level := slog.LevelError
	if kind := fault.KindOf(err); kind == fault.Invalid || kind == fault.NotFound || kind == fault.Canceled {
		level = slog.LevelInfo
	}
	logger.Log(ctx, level, what, append([]any{"session", session, Attr(err)}, attrs...)...)
}

// panicError is a panic of a body. safe leaves out the words of users and documents.
type panicError struct{ value, safe, stack string }

// Recovered returns a recovered panic as an error for Attr. The log contains the
// value, unless the error is withheld. Then it contains the message only if the Go
// runtime wrote it.
func Recovered(value any, stack []byte) error {
	safe := fmt.Sprintf("%T", value)
	if err, ok := value.(runtime.Error); ok {
		safe = err.Error()
	}
	return &panicError{value: clip(fmt.Sprint(value)), safe: safe, stack: string(stack)}
}

func (p *panicError) Error() string { return "panic: " + p.safe }

// clip shortens a text to maxLogged characters.
func clip(s string) string {
	if text := []rune(s); len(text) > maxLogged {
		return string(text[:maxLogged-1]) + "…"
	}
	return s
}
