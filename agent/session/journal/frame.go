package journal

import (
	"encoding/json"
	"strings"

	"docent/agent/chat"
	"docent/internal/fault"
	"docent/payload"
)

// sorry begins the apologies for failures.
const sorry = "Sorry, that did not work: "

// Apology returns the text that reports a failure to a user.
func Apology(err error) fault.Text {
	return fault.NewText("turn_failed", sorry+"%s", fault.TextOf(err))
}

// MessageFrame returns the frame of a stored message. It returns false for types that are not
// shown.
func MessageFrame(m chat.Message) (payload.Frame, bool) {
	action, ok := payload.ReplayAction(m.Type, m.IsUser)
	frame := payload.Frame{
		Action: action, Message: m.Content, Time: m.Time, Seq: m.Seq, Turn: &m.Turn,
		Replaces: m.Replaces, Sender: m.Sender, Sentence: m.Sentence,
	}
	if action == payload.ReplyGUI {
		frame.MessageID = m.ClientID
	}
	return frame, ok
}

// StepFrame returns the frame of a stored step or task list. It returns false for kinds that are
// not shown.
func StepFrame(r chat.Reasoning) (payload.Frame, bool) {
	action, ok := payload.ReplayStep(r.Kind)
	return payload.Frame{Action: action, Message: r.Payload, Time: r.Time, Seq: r.Seq, Turn: &r.Turn}, ok
}

// Replay returns the frame that shows a stored message again. It returns false for types that are
// not shown.
func Replay(m chat.Message) (payload.Frame, bool) {
	frame, ok := MessageFrame(m)
	frame.History = true
	if m.IsUser { // the ids of the agent's messages are internal marks
		frame.ID = m.ClientID
	}
	return frame, ok
}

// ReplayStep returns the frame that shows a stored step or task list again. It returns false for
// kinds that are not shown.
func ReplayStep(r chat.Reasoning) (payload.Frame, bool) {
	frame, ok := StepFrame(r)
	frame.History = true
	return frame, ok
}

// Frame returns the frame of an entry for clients of docent.v1. Every entry has one, because
// clients count them. A message of an unknown type becomes text. A stored apology becomes an error,
// but its original kind is lost.
func (e Entry) Frame() payload.Frame {
	if e.Step != nil {
		frame, ok := StepFrame(*e.Step)
		if !ok {
			frame.Action = payload.ReplyReasoningStep
		}
		return frame
	}
	frame, ok := MessageFrame(*e.Message)
	switch {
	case e.Message.IsUser && !ok:
		frame.Action = payload.UserMessage
	case e.Message.IsUser:
		frame.ID = e.Message.ClientID
	case e.Message.ClientID == chat.FailedID:
		frame.Action, frame.Message = payload.ErrorAction, failureOf(*e.Message)
	case !ok:
		frame.Action, frame.Message = payload.ReplyStr, asText(frame.Message)
	}
	return frame
}

// failureOf returns a stored apology as an error message.
func failureOf(m chat.Message) json.RawMessage {
	var words string
	if json.Unmarshal(m.Content, &words) != nil {
		words = string(m.Content)
	}
	text := fault.Plain(strings.TrimPrefix(words, sorry))
	var inner []fault.Text // the text of the error, see Apology
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

// asText returns JSON that is not a string as a string.
func asText(content json.RawMessage) json.RawMessage {
	if len(content) > 0 && content[0] == '"' {
		return content
	}
	return chat.JSONString(string(content))
}
