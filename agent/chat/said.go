package chat

import (
	"encoding/json"

	"docent/payload"
)

// Said returns the text of a message. For an object it is the string under "message". For an answer it is the text without
// the passages. For other messages it is "".
func (m Message) Said() string {
	if e := MessageEvent(m.Content); m.IsUser && !e.Spoken() {
		return ""
	}
	text, ok := m.Text()
	if !ok {
		return ""
	}
	return text
}

// Text returns the text of a stored message for a model. For an answer it is the text without the passages. ok is false
// for a message without text, such as a file.
func (m Message) Text() (text string, ok bool) {
	if m.ClientID == FailedID && !m.IsUser || m.Content == nil { // too large to be read
		return "", false
	}
	if m.IsUser {
		return MessageEvent(m.Content).Text, m.Type == payload.TypeStr || m.Type == payload.TypeJSON
	}
	switch m.Type {
	case payload.TypeStr, payload.TypeMarkdown:
		err := json.Unmarshal(m.Content, &text)
		return text, err == nil
	case payload.TypeRAG:
		var answer struct {
			Answer string `json:"answer"`
		}
		err := json.Unmarshal(m.Content, &answer)
		return answer.Answer, err == nil
	default:
		return "", false
	}
}
