package agent

import (
	"bytes"
	"encoding/json"
	"time"

	"docent/payload"
	"docent/rag"
)

// The names of events, as BAF stores them. Any other name is an event of a
// program.
const (
	// EventMessage is a message that is a JSON object, and what any message
	// matches.
	EventMessage = "receive_message"
	// EventText is a message that is text.
	EventText = "receive_message_text"
	// EventFile is a file.
	EventFile = "receive_file"
	// EventUI is what the user did in a user interface that the agent showed.
	EventUI = "user_update_ui"
)

// Event is what happened: a message, a file, something of the user interface, a
// program or another agent. It waits in its session's queue until a transition
// or a fallback takes it.
type Event struct {
	// ID orders the events of a session; 0 if there is none, as in the greeting.
	ID int64
	// Turn is the turn that it begins.
	Turn int64
	// Name is EventText, EventMessage, EventFile, EventUI or a program's own.
	Name string
	// Human tells what the user did from what agents and programs sent. Only
	// for users' messages a fallback runs.
	Human bool
	// Text is what a message says: the text; of an object the string under
	// "message" or else the object as JSON; of other values their JSON. Of a file
	// it is the name.
	Text string
	// JSON is the object, if a message is one or is text that holds one; nil
	// otherwise. An EventText has one if options came with the text.
	JSON json.RawMessage
	// Options are how the user wants it answered from documents; see
	// Session.AskOptions.
	Options payload.AskOptions
	// File is what came with EventFile; nil otherwise, and once the session has
	// been out of memory since, if its base64 has more than MaxHistoryContent bytes.
	File *payload.File
	// Data is what other events carry, as JSON; nil if nothing.
	Data json.RawMessage
	// From is the URL of the agent that sent it; "" if none did.
	From string
	// Correlation is the id of the request it makes or answers; "" if none.
	Correlation string
	// Hops counts the agents it came through.
	Hops int
	// Time is when it was received.
	Time time.Time

	// Thread is the thread of requests that a peer's message belongs to, if its
	// Correlation does not tell it; "" otherwise.
	Thread string
	// Cause is, of an answer of another agent, the id of the request for which this
	// agent asked it; "" if there was none.
	Cause string

	spoken bool // it is text, or JSON with a string under "message"
}

// MaxTextBytes bounds the text of a message; see Event.Text.
const MaxTextBytes = rag.MaxQuestionBytes

// MessageEvent makes the event of a message as BAF does: an object, or a string
// that holds an object, is a JSON event, all else is text.
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
