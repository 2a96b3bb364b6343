package journal

import (
	"encoding/json"
	"strings"

	"docent/agent/chat"
	"docent/internal/fault"
	"docent/payload"
)

// sorry begins what users are told of failures.
const sorry = "Sorry, that did not work: "

// Apology returns the sentence that tells a user of a failure.
func Apology(err error) fault.Text {
	return fault.NewText("turn_failed", sorry+"%s", fault.TextOf(err))
}

// MessageFrame returns the frame of a stored message; false for types that are not shown.
func MessageFrame(m chat.Message) (payload.Frame, bool) {
	action, ok := payload.ReplayAction(m.Type, m.IsUser)
	return payload.Frame{
		Action: action, Message: m.Content, Time: m.Time, Seq: m.Seq, Turn: &m.Turn,
		Replaces: m.Replaces, Sender: m.Sender, Sentence: m.Sentence,
	}, ok
}

// StepFrame returns the frame of a stored step or task list.
func StepFrame(r chat.Reasoning) (payload.Frame, bool) {
	action, ok := payload.ReplayStep(r.Kind)
	return payload.Frame{Action: action, Message: r.Payload, Time: r.Time, Seq: r.Seq, Turn: &r.Turn}, ok
}

// Replay is the frame that shows a stored message again; false for types that
// are not shown.
func Replay(m chat.Message) (payload.Frame, bool) {
	frame, ok := MessageFrame(m)
	frame.History = true
	if m.IsUser { // of the agent's, it is what docent marks them by
		frame.ID = m.ClientID
	}
	return frame, ok
}

// ReplayStep is the frame that shows a stored step or task list again; false
// for kinds that are not shown.
func ReplayStep(r chat.Reasoning) (payload.Frame, bool) {
	frame, ok := StepFrame(r)
	frame.History = true
	return frame, ok
}

// Frame is the frame that shows what is stored to clients of docent.v1, of which
// each entry has one: they count them. A message of a type that is not shown
// elsewhere is shown as text; a stored apology as the error that it was, of which
// it is not known any more what kind it was.
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

// asText returns JSON that is not a string as a string.
func asText(content json.RawMessage) json.RawMessage {
	if len(content) > 0 && content[0] == '"' {
		return content
	}
	return chat.JSONString(string(content))
}
