// Package dialect defines the messages that a WebSocket server receives and
// passes to its dialects. It also finds the ids of messages that cannot be
// decoded.
package dialect

// Message is a message from a client.
type Message struct {
	// Data is the message, or nil if the server refused it.
	Data []byte
	// Refusal is the reason for which the server refused the message, or nil.
	Refusal error
	// ID is the id of a refused message, if it has one.
	ID string
}
