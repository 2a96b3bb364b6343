package tool

import (
	"context"
	"strings"
)

// leastPage is how many bytes of a page are left however little is shown.
const leastPage = 64

type roomKey struct{}

// WithRoom tells the tools that show pages, read_file and read_document, which
// results are shown as a whole: they show shorter pages rather than lose their
// ends, which say how to read on. fits is asked several times a call.
func WithRoom(ctx context.Context, fits func(result string) bool) context.Context {
	return context.WithValue(ctx, roomKey{}, fits)
}

// fitting returns how much of a page, from its beginning, is shown as a whole;
// result is what the first n bytes come to as a result.
func fitting(ctx context.Context, page string, result func(n int) string) int {
	fits, ok := ctx.Value(roomKey{}).(func(string) bool)
	n := len(page)
	if !ok {
		return n
	}
	for n > leastPage && !fits(strings.ToValidUTF8(result(n), "\uFFFD")) {
		n = runeStart([]byte(page), n-max(n/8, 1))
		n = lineEnd(page[:n])
	}
	return n
}
