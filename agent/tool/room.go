package tool

import (
	"context"
	"strings"
)

// leastPage is the minimum size of a page, in bytes.
const leastPage = 64

type roomKey struct{}

// WithRoom tells read_file and read_document which results fit. They return shorter pages, because a cut result would lose
// its end, which explains how to read on. fits is called several times per call.
func WithRoom(ctx context.Context, fits func(result string) bool) context.Context {
	return context.WithValue(ctx, roomKey{}, fits)
}

// fitting returns the length of the longest start of a page that fits. result returns the result for the first n bytes.
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
