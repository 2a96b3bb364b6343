package peer

import (
	"encoding/json"
	"unicode/utf8"

	"docent/agent"

	"docent/payload"
)

// crossing is what a peer's frame says as a message to this agent; false if it
// says nothing. As in BAF, of an agent's replies only agent_reply_str crosses;
// of docent's also Markdown and answers from documents, as their text.
func crossing(f payload.Frame, docent bool) (json.RawMessage, bool) {
	if f.History || len(f.Message) == 0 {
		return nil, false
	}
	switch f.Action {
	case payload.ReplyStr:
		var text string
		if f.Message[0] != '"' || json.Unmarshal(f.Message, &text) != nil {
			return f.Message, true // an object, or another value
		}
		return quote(text)
	case payload.ReplyMarkdown:
		var text string
		if !docent || json.Unmarshal(f.Message, &text) != nil {
			return nil, false
		}
		return quote(text)
	case payload.ReplyRAG:
		var answer struct {
			Answer string `json:"answer"`
		}
		if !docent || json.Unmarshal(f.Message, &answer) != nil {
			return nil, false
		}
		return quote(answer.Answer)
	default:
		return nil, false
	}
}

// Text is the part of an agent's reply that goes to another agent in BAF's
// frames; nil if nothing does.
func Text(f payload.Frame) json.RawMessage {
	text, _ := crossing(f, true)
	return text
}

// ellipsis ends a text that was cut.
const ellipsis = " …"

// quote is a text as JSON, cut to what a message may have: an answer that is
// too long is better than none.
func quote(text string) (json.RawMessage, bool) {
	if len(text) > agent.MaxTextBytes {
		end := agent.MaxTextBytes - len(ellipsis)
		for !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end] + ellipsis
	}
	content, err := payload.Marshal(text)
	return content, err == nil
}
