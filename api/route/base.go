package route

import "context"

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
