package agent

import (
	"bytes"
	"encoding/json"

	"docent/payload"
)

// The names of events, as BAF stores them.
const (
	// EventMessage is a message that is a JSON object, and what any message
	// matches.
	EventMessage = "receive_message"
	// EventText is a message that is text.
	EventText = "receive_message_text"
)

// Event is what a turn answers.
type Event struct {
	// Name is EventText or EventMessage.
	Name string
	// Text is what the user said: the text; of an object the string under
	// "message" or else the object as JSON; of other values their JSON.
	Text string
	// JSON is the object, if the message is one or is text that holds one;
	// nil otherwise.
	JSON json.RawMessage
}

// messageEvent makes the event of a user's message as BAF does: an object, or
// a string that holds an object, is a JSON event, all else is text.
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
		if json.Unmarshal(keys["message"], &said) == nil && keys["message"][0] == '"' {
			text = said
		}
		return Event{Name: EventMessage, Text: text, JSON: json.RawMessage(object)}
	}
	if text == "null" && !isText {
		text = ""
	}
	return Event{Name: EventText, Text: text}
}

// chatType is the type under which an event's message is stored.
func (e Event) chatType() string {
	if e.JSON != nil {
		return payload.TypeJSON
	}
	return payload.TypeStr
}
