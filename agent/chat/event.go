package chat

import (
	"bytes"
	"encoding/json"
	"time"

	"docent/payload"
)

// The names of events, as BAF stores them. Programs may use any other name.
const (
	// EventMessage is a message that is a JSON object. In OnEvent it matches every message.
	EventMessage = "receive_message"
	// EventText is a text message.
	EventText = "receive_message_text"
	// EventFile is a file.
	EventFile = "receive_file"
	// EventUI is a user's action in a user interface that the agent showed.
	EventUI = "user_update_ui"
)

// Event is a message, a file, a user interface action, or an event of a program or another agent. It waits in its
// session's queue until a transition or a fallback takes it.
type Event struct {
	// ID orders the events of a session. It is 0 for events that are not stored, as in the greeting.
	ID int64
	// Turn is the turn that the event begins.
	Turn int64
	// Name is EventText, EventMessage, EventFile, EventUI, or the name of a program's event.
	Name string
	// Human reports that the user caused the event, and not an agent or a program. Fallbacks only run for messages of users.
	Human bool
	// Text is the text of a message. For an object it is the string under "message", or the object as JSON. For other values
	// it is their JSON. For a file it is the name.
	Text string
	// JSON is the object in a message: the message itself, or an object inside its text. It is nil otherwise. An EventText has
	// one if it came with options.
	JSON json.RawMessage
	// Options are the user's options for an answer from documents; see [docent/agent.Session.AskOptions].
	Options payload.AskOptions
	// File is the file of an EventFile, and nil for other events. A file of more than MaxHistoryContent bytes in base64 is nil
	// after the session was unloaded from memory.
	File *payload.File
	// Data is the data of other events as JSON, or nil. A message has none: its object is JSON.
	Data json.RawMessage
	// From is the URL of the agent that sent the event, or "".
	From string
	// Correlation is the id of the request that the event makes or answers, or "".
	Correlation string
	// Hops counts the agents that the event has passed.
	Hops int
	// Time is the time of receipt.
	Time time.Time

	// Thread is the thread of requests that a peer's message belongs to. It is "" if Correlation contains the thread.
	Thread string
	// Cause belongs to an answer of another agent. It is the id of the request for which this agent asked the other one, or
	// "".
	Cause string

	spoken bool // it is text, or JSON with a string under "message"
}

// MaxTextBytes limits the text of a message; see Event.Text.
const MaxTextBytes = 16 << 10

// MessageEvent returns the event of a message, like BAF. An object, or a string that contains one, becomes a JSON event.
// Any other message becomes a text event.
func MessageEvent(content json.RawMessage) Event {
	var text string
	isText := json.Unmarshal(content, &text) == nil && !bytes.Equal(content, []byte("null"))
	object := bytes.TrimSpace(content)
	if isText {
		object = bytes.TrimSpace([]byte(text))
	} else {
		text = string(object)
	}
	var keys map[string]json.RawMessage
	if len(object) > 0 && object[0] == '{' && json.Unmarshal(object, &keys) == nil {
		var said string
		spoken := json.Unmarshal(keys["message"], &said) == nil && keys["message"][0] == '"'
		if spoken {
			text = said
		}
		e := Event{Name: EventMessage, Text: text, JSON: json.RawMessage(object), spoken: spoken}
		if spoken {
			e.Options, _ = payload.ReadAskOptions(object) // what does not fit is something else
		}
		return e
	}
	if text == "null" && !isText {
		text = ""
	}
	return Event{Name: EventText, Text: text, spoken: true}
}

// Object returns the object of a message, or the data of another event. It is nil if the event has neither.
func (e Event) Object() json.RawMessage {
	if e.Data != nil {
		return e.Data
	}
	return e.JSON
}

// Size returns the size of the data and of the file of the event, in bytes.
func (e *Event) Size() int {
	n := len(e.Data)
	if e.File != nil {
		n += len(e.File.Base64)
	}
	return n
}

// Spoken reports whether the event is text, or JSON with a string under
// "message".
func (e *Event) Spoken() bool { return e.spoken }

// Request returns the id of the request that the turn of this event answers.
// Another agent, a client of the session, sent the request. The event is that
// request, or an answer that the session asked for meanwhile. Request returns ""
// if the turn answers no request.
func (e *Event) Request() string {
	if e.From == "" {
		return e.Correlation
	}
	return e.Cause
}
