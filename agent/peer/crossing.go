package peer

import (
	"encoding/json"

	"docent/agent/chat"

	"docent/payload"
	words "docent/rag/text"
)

// crossing returns the content of a peer's frame as a message to this agent. It
// returns false if the frame has no such content. As in BAF, other agents receive
// only replies of type agent_reply_str. docent also passes on Markdown and
// answers from documents, as text.
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

// Text returns the part of an agent's reply that other agents receive in BAF's frames, or nil.
func Text(f payload.Frame) json.RawMessage {
	text, _ := crossing(f, true)
	return text
}

// ellipsis ends a text that was cut.
const ellipsis = " …"

// quote returns a text as JSON, cut to the maximum length of a message. A cut answer is better than none.
func quote(text string) (json.RawMessage, bool) {
	if len(text) > chat.MaxTextBytes {
		text = words.Head(text, chat.MaxTextBytes-len(ellipsis)) + ellipsis
	}
	content, err := payload.Marshal(text)
	return content, err == nil
}
