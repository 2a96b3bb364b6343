package route

import (
	"context"
	"net/http"

	"docent/auth"
)

type baseKey struct{}

// WithBase returns ctx with the base path of the server, such as /docent.
func WithBase(ctx context.Context, base string) context.Context {
	return context.WithValue(ctx, baseKey{}, base)
}

// Base returns the base path of the server for links, without a slash at the end; "" at the root of its host.
func Base(ctx context.Context) string {
	base, _ := ctx.Value(baseKey{}).(string)
	return base
}

// Origin returns the address of the server for a request, for links in answers: scheme, host, and base path. Package edge
// has checked the host.
func Origin(r *http.Request) string {
	scheme := "http://"
	if auth.Secure(r) {
		scheme = "https://"
	}
	return scheme + r.Host + Base(r.Context())
}
