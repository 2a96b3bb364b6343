package session

import (
	"encoding/json"
	"strings"

	"docent/agent"
	"docent/internal/fault"
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
		{Audience: Plain, Frame: payload.Frame{Action: payload.ReplyStr, Message: agent.JSONString(apology(err).Message)}},
	}
}

// sorry begins what users are told of failures.
const sorry = "Sorry, that did not work: "

// apology tells a user that something failed.
func apology(err error) fault.Text {
	return fault.NewText("turn_failed", sorry+"%s", fault.TextOf(err))
}

// stored is the frame of a stored message; false for types that are not shown.
func stored(m agent.ChatMessage) (payload.Frame, bool) {
	action, ok := payload.ReplayAction(m.Type, m.IsUser)
	return payload.Frame{
		Action: action, Message: m.Content, Time: m.Time, Seq: m.Seq, Turn: &m.Turn, Replaces: m.Replaces, Sender: m.Sender, Sentence: m.Sentence,
	}, ok
}

// storedStep is the frame of a stored step or task list.
func storedStep(r agent.ReasoningRecord) (payload.Frame, bool) {
	action, ok := payload.ReplayStep(r.Kind)
	return payload.Frame{Action: action, Message: r.Payload, Time: r.Time, Seq: r.Seq, Turn: &r.Turn}, ok
}

// Replay is the frame that shows a stored message again; false for types that
// are not shown.
func Replay(m agent.ChatMessage) (payload.Frame, bool) {
	frame, ok := stored(m)
	frame.History = true
	if m.IsUser { // of the agent's, it is what docent marks them by
		frame.ID = m.ClientID
	}
	return frame, ok
}

// ReplayStep is the frame that shows a stored step or task list again; false
// for kinds that are not shown.
func ReplayStep(r agent.ReasoningRecord) (payload.Frame, bool) {
	frame, ok := storedStep(r)
	frame.History = true
	return frame, ok
}

// Frame is the frame that shows what is stored to clients of docent.v1, of which
// each entry has one: they count them. A message of a type that is not shown
// elsewhere is shown as text; a stored apology as the error that it was, of which
// it is not known any more what kind it was.
func (e Entry) Frame() payload.Frame {
	if e.Step != nil {
		frame, ok := storedStep(*e.Step)
		if !ok {
			frame.Action = payload.ReplyReasoningStep
		}
		return frame
	}
	frame, ok := stored(*e.Message)
	switch {
	case e.Message.IsUser && !ok:
		frame.Action = payload.UserMessage
	case e.Message.IsUser:
		frame.ID = e.Message.ClientID
	case e.Message.ClientID == agent.FailedID:
		frame.Action, frame.Message = payload.ErrorAction, failureOf(*e.Message)
	case !ok:
		frame.Action, frame.Message = payload.ReplyStr, asText(frame.Message)
	}
	return frame
}

// failureOf is a stored apology as an error.
func failureOf(m agent.ChatMessage) json.RawMessage {
	var words string
	if json.Unmarshal(m.Content, &words) != nil {
		words = string(m.Content)
	}
	text := fault.Plain(strings.TrimPrefix(words, sorry))
	var inner []fault.Text // the error, as apology has put it in
	if json.Unmarshal([]byte(m.Sentence.Params), &inner) == nil && len(inner) == 1 {
		text = inner[0]
	}
	coded, err := payload.Marshal(payload.Error{
		Code: string(fault.Unavailable), Text: text, Retryable: fault.Unavailable.Retryable(),
	})
	if err != nil { // strings always encode
		return m.Content
	}
	return coded
}

// asText is JSON as a string, if it is none.
func asText(content json.RawMessage) json.RawMessage {
	if len(content) > 0 && content[0] == '"' {
		return content
	}
	return agent.JSONString(string(content))
}
