package agent

import (
	"bytes"
	"encoding/json"
	"time"

	"docent/payload"
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

	spoken bool   // it is text, or JSON with a string under "message"
	thread string // of a peer's message whose correlation does not tell it; see threadOf
	cause  string // of an answer of another agent, the request that it was asked for
}

// messageEvent makes the event of a message as BAF does: an object, or a string
// that holds an object, is a JSON event, all else is text.
func messageEvent(content json.RawMessage) Event {
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

// chatType is the type under which an event's message is stored; "" if it is
// none.
func (e *Event) chatType() string {
	switch e.Name {
	case EventText:
		if e.asksSo() {
			return payload.TypeJSON
		}
		return payload.TypeStr
	case EventMessage:
		return payload.TypeJSON
	case EventFile:
		return payload.TypeFile
	default:
		return ""
	}
}

// asksSo reports whether a text came as an object, for the options beside it.
func (e *Event) asksSo() bool { return e.Name == EventText && e.JSON != nil }

// origin is what EventRecord.Origin holds.
type origin struct {
	From        string `json:"from,omitempty"`
	Correlation string `json:"correlation,omitempty"`
	Cause       string `json:"cause,omitempty"`
	Thread      string `json:"thread,omitempty"`
	Hops        int    `json:"hops,omitempty"`
}

// record is the event as it is stored, without its message.
func (e *Event) record() EventRecord {
	r := EventRecord{Name: e.Name, Info: e.Text, Human: e.Human, Data: e.Data, Time: e.Time}
	if o := (origin{e.From, e.Correlation, e.cause, e.thread, e.Hops}); o != (origin{}) {
		r.Origin, _ = json.Marshal(o) // strings and a number always encode
	}
	return r
}

// storedEvent is the event that was stored so.
func storedEvent(r EventRecord) Event {
	var e Event
	content := r.Message.Content
	if content == nil {
		content = r.Data
	}
	switch {
	case r.Name == EventFile || r.Message.Type == payload.TypeFile:
		e = Event{Name: EventFile, Text: r.Info}
		if f, err := payload.DecodeFile(content); err == nil {
			e.File = &f
		}
	case r.Message.Type != "" && content == nil: // it was too large to be read again
		e = Event{Name: r.Name, Text: r.Info}
	case r.Message.Type != "":
		e = messageEvent(content)
	default:
		e = Event{Name: r.Name, Text: r.Info, Data: r.Data}
	}
	if e.Name == EventMessage && r.Name == EventText && payload.IsAsk(content) {
		e.Name = EventText
	}
	if !r.Human {
		e.Options = payload.AskOptions{}
	}
	var o origin
	_ = json.Unmarshal(r.Origin, &o) // nil, or written by record
	e.From, e.Correlation, e.cause, e.thread, e.Hops = o.From, o.Correlation, o.Cause, o.Thread, o.Hops
	e.ID, e.Turn, e.Human, e.Time = r.ID, r.Turn, r.Human, r.Time
	return e
}
