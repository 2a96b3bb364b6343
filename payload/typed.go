package payload

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"docent/internal/fault"
)

// TypedType says what a message of the Agent WebSocket dialect is.
type TypedType string

// The types that clients send.
const (
	// TypedQuery is what the user says: text, or any JSON.
	TypedQuery TypedType = "query"
	// TypedCommand asks the server for something; its content is a command.
	TypedCommand TypedType = "command"
	// TypedHumanFeedback is what the user thinks of the last answer: text, or a
	// TypedFeedback.
	TypedHumanFeedback TypedType = "human_feedback"
)

// The types that the server sends.
const (
	// TypedNotification is what nobody asked for: the welcome, the greeting, what
	// a program says, the end of an idle connection.
	TypedNotification TypedType = "notification"
	// TypedStatus says that an answer is on its way, and shows steps of reasoning.
	TypedStatus TypedType = "status"
	// TypedResponse answers a query or a command.
	TypedResponse TypedType = "response"
	// TypedError says what went wrong.
	TypedError TypedType = "error"
)

// TypedTimeLayout is how the dialect writes a time: UTC, to the millisecond.
const TypedTimeLayout = "2006-01-02T15:04:05.000Z"

// Typed is a message of the server in the Agent WebSocket dialect.
type Typed struct {
	// Type says what it is.
	Type TypedType `json:"type"`
	// Content is text for people.
	Content string `json:"content"`
	// Timestamp is when it was made, in TypedTimeLayout.
	Timestamp string `json:"timestamp"`
	// Kind says what Content and Data are: of a reply the type it is stored
	// under, such as markdown; absent for plain text.
	Kind string `json:"kind,omitempty"`
	// Docs are the passages of a response to a query, empty if it rests on none;
	// absent from all others.
	Docs []RAGDoc `json:"docs,omitzero"`
	// Data is what Content says, for programs; absent if there is no more to it.
	Data any `json:"data,omitempty"`
}

// NewTyped returns a message made at a time.
func NewTyped(kind TypedType, content string, at time.Time) Typed {
	return Typed{Type: kind, Content: content, Timestamp: at.UTC().Format(TypedTimeLayout)}
}

// TypedWelcome is the data of a welcome.
type TypedWelcome struct {
	// SessionID names the session; a client that comes back gives it as
	// session_id.
	SessionID string `json:"session_id"`
	// Resumed tells a session that was there from a new one.
	Resumed bool `json:"resumed"`
}

// TypedFault is the data of an error.
type TypedFault struct {
	// Code is a fault.Kind.
	Code string `json:"code"`
	// Sentence names the message's content.
	fault.Sentence
	// Retryable reports that the same may succeed later unchanged.
	Retryable bool `json:"retryable"`
}

// TypedFeedback is what a user thinks of an answer.
type TypedFeedback struct {
	// Rating is a whole number; nil if none was given.
	Rating *int `json:"rating"`
	// Comment is in words; "" if none.
	Comment string `json:"comment"`
}

// TypedRequest is a message of a client in the Agent WebSocket dialect.
type TypedRequest struct {
	// Type says what it is; one that is left out is TypedQuery.
	Type TypedType
	// Content is its content, never empty.
	Content json.RawMessage
}

// errNoContent answers a message that says nothing; the words are the
// dialect's.
var errNoContent = fault.New(fault.Invalid, "message_content_missing", "Message content is required")

// DecodeTyped reads a message of a client; its timestamp and keys that are not
// known are ignored. What cannot be read, or says nothing, is fault.Invalid with
// a sentence for its sender.
func DecodeTyped(data []byte) (TypedRequest, error) {
	var in struct {
		Type    any             `json:"type"`
		Content json.RawMessage `json:"content"`
	}
	if err := unmarshal(data, &in); err != nil || !bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		return TypedRequest{}, fault.New(fault.Invalid, "message_invalid", "a message must be a JSON object with type and content")
	}
	var text *string
	if len(in.Content) == 0 || json.Unmarshal(in.Content, &text) == nil && (text == nil || strings.TrimSpace(*text) == "") {
		return TypedRequest{}, errNoContent
	}
	switch kind := in.Type.(type) {
	case nil:
		return TypedRequest{Type: TypedQuery, Content: in.Content}, nil
	case string:
		switch t := TypedType(kind); t {
		case TypedQuery, TypedCommand, TypedHumanFeedback:
			return TypedRequest{Type: t, Content: in.Content}, nil
		}
	}
	return TypedRequest{}, fault.New(fault.Invalid,
		"message_type_unknown", "the type of a message must be %s, %s or %s", TypedQuery, TypedCommand, TypedHumanFeedback)
}

// Command is the content of a TypedCommand: one word, in any case, with spaces
// around it or not; "" if it is not text.
func (r TypedRequest) Command() string {
	var name string
	if json.Unmarshal(r.Content, &name) != nil {
		return ""
	}
	return strings.ToLower(strings.TrimSpace(name))
}

// Feedback is the content of a TypedHumanFeedback; fault.Invalid if it is
// neither text nor an object with a rating or a comment.
func (r TypedRequest) Feedback() (TypedFeedback, error) {
	var f TypedFeedback
	if json.Unmarshal(r.Content, &f.Comment) == nil {
		return f, nil
	}
	if err := json.Unmarshal(r.Content, &f); err != nil {
		return TypedFeedback{}, fault.Wrap(fault.Invalid, err,
			"feedback_message_invalid", "feedback must be text, or an object with rating, a whole number, and comment, which is text")
	}
	if f.Rating == nil && strings.TrimSpace(f.Comment) == "" {
		return TypedFeedback{}, errNoContent
	}
	return f, nil
}
