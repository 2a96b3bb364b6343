package corpus

import "context"

// Reader is somebody who reads documents.
type Reader struct {
	// Principal is the id of a user or token. "" has no rights of its own.
	Principal string
	// Limited takes away the rights of an administrator. So a token without the scope
	// admin has only the rights that its user has without it.
	Limited bool
}

type readerKey struct{}

// WithReader returns ctx with the reader of documents.
func WithReader(ctx context.Context, r Reader) context.Context {
	return context.WithValue(ctx, readerKey{}, r)
}

// ReaderOf returns the reader of documents; false if ctx has none.
func ReaderOf(ctx context.Context) (Reader, bool) {
	r, ok := ctx.Value(readerKey{}).(Reader)
	return r, ok
}
