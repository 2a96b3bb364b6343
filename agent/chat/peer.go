package chat

import "encoding/json"

// PeerRequest is a message to another agent, or a request for a connection.
type PeerRequest struct {
	// URL is the agent's URL, ws or wss.
	URL string
	// Session is the id of the session at the peer, or "" if it is unknown.
	Session string
	// Remember is called with the session's id if it differs from Session.
	Remember func(session string) error
	// Content is the message, as JSON.
	Content json.RawMessage
	// About is the event that caused the message.
	About Event
}
