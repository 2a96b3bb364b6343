package ws

import (
	"context"
	"net/http"

	"docent/agent/session"
	"docent/ws/dialect"
)

// Dialect is a protocol that a Server serves at a separate path.
type Dialect struct {
	// Name is the dialect's label in metrics. Required.
	Name string
	// Begin returns the Handler of a new connection. Required.
	Begin func(c *Connection) Handler
	// NotWebSocket answers plain HTTP requests at the path. Default: nil, which
	// responds with status 426.
	NotWebSocket http.HandlerFunc
}

// Handler speaks a dialect with one client. It translates the client's messages
// into calls of the session, and the session's deliveries into messages. Refuse
// and the methods of session.Listener must not block and may be called
// concurrently. The other methods are never called concurrently.
type Handler interface {
	session.Listener
	// Decode decodes a message and returns a function that processes it. Decode
	// must not keep m.Data.
	Decode(m dialect.Message) (act func(ctx context.Context))
	// MayBeFile reports whether a message may be as long as Config.FileBytes. begin
	// is the beginning of the message.
	MayBeFile(begin []byte) bool
	// Refuse tells the client that a message had no effect. id identifies the
	// message; it may be "". Refuse returns false if the dialect has no message for
	// this.
	Refuse(err error, id string) (told bool)
	// End waits for the handler's goroutines. The server calls it after the
	// connection has ended and its context is canceled.
	End()
}

// The names of this package's own dialects.
const (
	bafName = "baf"
	v1Name  = Protocol
)
