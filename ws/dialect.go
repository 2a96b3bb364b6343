package ws

import (
	"context"
	"net/http"

	"docent/agent/session"
	"docent/ws/dialect"
)

// Dialect is a protocol that a Server speaks at a path of its own.
type Dialect struct {
	// Name is the dialect's label in metrics. Required.
	Name string
	// Begin returns the Handler of a new connection. Required.
	Begin func(c *Connection) Handler
	// NotWebSocket answers requests at the path that do not ask for a WebSocket.
	// Default: nil, status 426.
	NotWebSocket http.HandlerFunc
}

// Handler speaks a dialect with one client. It translates the client's messages
// into calls of the session, and the session's deliveries into messages. Refuse
// and the methods of session.Listener must not block and may be called
// concurrently; all other methods are called by one goroutine at a time.
type Handler interface {
	session.Listener
	// Decode decodes a message and returns the function that acts on it. It must
	// not keep m.Data.
	Decode(m dialect.Message) (act func(ctx context.Context))
	// MayBeFile reports whether a message that begins with begin may be as long as
	// Config.FileBytes.
	MayBeFile(begin []byte) bool
	// Refuse tells the client that the message with an id had no effect. The id
	// may be "". It returns false if the dialect has no way to do so.
	Refuse(err error, id string) (told bool)
	// End is called when the connection has ended and its context is canceled. It
	// waits for the handler's goroutines.
	End()
}

// The names of this package's own dialects.
const (
	bafName = "baf"
	v1Name  = Protocol
)
