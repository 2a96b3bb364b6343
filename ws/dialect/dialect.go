// Package dialect defines the received messages that a WebSocket server gives to its
// dialects. It finds the ids of messages that cannot be decoded.
package dialect

// Message is a message from a client.
type Message struct {
	// Data is the message, or nil if it is refused.
	Data []byte
	// Refusal is the reason why the server did not read the message, or nil.
	Refusal error
	// ID is the id of a refused message, if it has one.
	ID string
}
