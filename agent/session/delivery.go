package session

import (
	"encoding/json"

	"docent/agent/chat"
	"docent/agent/session/journal"
	"docent/payload"
)

// Audience says which clients a frame is for.
type Audience int

// The audiences.
const (
	// Everyone: all clients.
	Everyone Audience = iota
	// Streaming: those that asked for docent.v1.
	Streaming
	// Plain: those that know only BAF's frames.
	Plain
)

// Delivery is a frame for the clients of a session.
type Delivery struct {
	// Frame is what to send. It must not be changed.
	Frame payload.Frame
	// Audience says to whom.
	Audience Audience
	// Text, if not nil, is what clients that know only BAF's frames get instead,
	// as agent_reply_str: of agents only that crosses.
	Text json.RawMessage
}

// Failure is how clients are told of an error: docent.v1 by its code and a
// sentence, BAF, which has no frame for errors, in the agent's words. id is
// the client's id of the message it is about.
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
