package intake

import "context"

// Client is the user or program that asked for a document. Clients take turns.
type Client struct {
	// Key identifies the client.
	Key string
	// Slow, if set, is called once if the client's document takes so long that the
	// quick workers give it up. It must return at once.
	Slow func()
}

type clientKey struct{}

// WithClient returns a context in which documents are read for a client.
func WithClient(ctx context.Context, c Client) context.Context {
	return context.WithValue(ctx, clientKey{}, c)
}

// ClientOf returns the client of a context; the zero Client if it has none.
func ClientOf(ctx context.Context) Client {
	c, _ := ctx.Value(clientKey{}).(Client)
	return c
}
