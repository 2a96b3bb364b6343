package session

import (
	"encoding/json"

	"docent/agent/chat"
	"docent/agent/session/journal"
	"docent/payload"
)

// Audience selects the clients that receive a frame.
type Audience int

// The audiences.
const (
	// Everyone means all clients.
	Everyone Audience = iota
	// Streaming means clients of docent.v1.
	Streaming
	// Plain means clients that only know BAF's frames.
	Plain
)

// Delivery is a frame for the clients of a session.
type Delivery struct {
	// Frame is the frame to send. Clients must not change it.
	Frame payload.Frame
	// Audience selects the receivers.
	Audience Audience
	// Text, if not nil, replaces Frame for clients that only know BAF's frames. They receive it as
	// agent_reply_str. Agents only receive this part of a reply.
	Text json.RawMessage
}

// Failure returns the frames that report an error. Clients of docent.v1 receive its code and text.
// BAF has no frame for errors, so its clients receive an apology of the agent. id is the client's
// id of the message that failed, or "".
func Failure(err error, id string) []Delivery {
	coded, merr := payload.Marshal(payload.NewError(err))
	if merr != nil { // strings always encode
		return nil
	}
	return []Delivery{
		{Audience: Streaming, Frame: payload.Frame{Action: payload.ErrorAction, Message: coded, ID: id}},
		{Audience: Plain, Frame: payload.Frame{Action: payload.ReplyStr, Message: chat.JSONString(journal.Apology(err).Message)}},
	}
}
