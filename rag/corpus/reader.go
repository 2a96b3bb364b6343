package corpus

import "context"

type readerKey struct{}

// WithReader returns ctx with the principal who reads documents. The empty ID is a
// principal without rights of its own.
func WithReader(ctx context.Context, principal string) context.Context {
	return context.WithValue(ctx, readerKey{}, principal)
}

// Reader returns the principal who reads documents; false if ctx has none.
func Reader(ctx context.Context) (string, bool) {
	principal, ok := ctx.Value(readerKey{}).(string)
	return principal, ok
}
