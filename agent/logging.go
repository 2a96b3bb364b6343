package agent

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

// ErrorAttr describes an error for logs without what it says, which may repeat
// what users wrote or documents hold: its kind, the sentence that is safe to
// show, the types in its chain, and what is known to be free of content.
func ErrorAttr(err error) slog.Attr {
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
		attrs = append(attrs, slog.String("panic", panicked.what), slog.String("stack", panicked.stack))
	}
	return slog.Group("error", attrs...)
}

// types lists the types in an error's chain, outermost first.
func types(err error) string {
	var all []string
	for ; err != nil; err = errors.Unwrap(err) {
		all = append(all, fmt.Sprintf("%T", err))
	}
	return strings.Join(all, " > ")
}

// logError logs a failure: as an error, unless it is the client's.
func (c *conversation) logError(ctx context.Context, what string, err error, attrs ...any) {
	level := slog.LevelError
	if kind := fault.KindOf(err); kind == fault.Invalid || kind == fault.Canceled {
		level = slog.LevelInfo
	}
	c.rt.cfg.Logger.Log(ctx, level, what, append([]any{"session", c.key.ID, ErrorAttr(err)}, attrs...)...)
}

// panicError is a panic of a body.
type panicError struct{ what, stack string }

// newPanicError keeps what a panic said only if the Go runtime said it.
func newPanicError(value any, stack []byte) *panicError {
	what := fmt.Sprintf("%T", value)
	if err, ok := value.(runtime.Error); ok {
		what = err.Error()
	}
	return &panicError{what: what, stack: string(stack)}
}

func (p *panicError) Error() string { return "panic: " + p.what }
