package payload

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"docent/internal/fault"
)

// TypedType is the type of a message in the Agent WebSocket dialect.
type TypedType string

// The types that clients send.
const (
	// TypedQuery is a message of the user: text or any JSON.
	TypedQuery TypedType = "query"
	// TypedCommand sends a command to the server.
	TypedCommand TypedType = "command"
	// TypedHumanFeedback is the user's opinion of the latest answer: text or a
	// TypedFeedback.
	TypedHumanFeedback TypedType = "human_feedback"
)

// The types that the server sends.
const (
	// TypedNotification is a message without a request: the welcome, the greeting,
	// a notification of a program, or the closing of an idle connection.
	TypedNotification TypedType = "notification"
	// TypedStatus announces an answer and shows reasoning steps.
	TypedStatus TypedType = "status"
	// TypedResponse responds to a query or a command.
	TypedResponse TypedType = "response"
	// TypedError reports an error.
	TypedError TypedType = "error"
)

// TypedTimeLayout is the format of times: UTC, to the millisecond.
const TypedTimeLayout = "2006-01-02T15:04:05.000Z"

// Typed is a message of the server in the Agent WebSocket dialect.
type Typed struct {
	// Type is the type of the message.
	Type TypedType `json:"type"`
	// Content is text for people.
	Content string `json:"content"`
	// Timestamp is the time of the message, in TypedTimeLayout.
	Timestamp string `json:"timestamp"`
	// Kind describes Content and Data. It is the stored type of a reply, such as
	// markdown; absent for plain text.
	Kind string `json:"kind,omitempty"`
	// Docs are the cited passages in a response to a query, possibly empty;
	// absent in other messages.
	Docs []RAGDoc `json:"docs,omitzero"`
	// Data is the machine-readable form of Content; absent if Content is complete.
	Data any `json:"data,omitempty"`
}

// NewTyped returns a message with the given time.
func NewTyped(kind TypedType, content string, at time.Time) Typed {
	return Typed{Type: kind, Content: content, Timestamp: at.UTC().Format(TypedTimeLayout)}
}

// TypedWelcome is the data of a welcome.
type TypedWelcome struct {
	// SessionID identifies the session. Clients send it as session_id to resume.
	SessionID string `json:"session_id"`
	// Resumed reports whether the session existed before.
	Resumed bool `json:"resumed"`
}

// TypedFault is the data of an error.
type TypedFault struct {
	// Code is a fault.Kind.
	Code string `json:"code"`
	// Sentence is the id of the sentence in Content.
	fault.Sentence
	// Retryable reports whether the same request may succeed later.
	Retryable bool `json:"retryable"`
}

// TypedFeedback is the user's opinion of an answer.
type TypedFeedback struct {
	// Rating is an integer; nil without one.
	Rating *int `json:"rating"`
	// Comment is a text of the user; empty without one.
	Comment string `json:"comment"`
}

// TypedRequest is a message of a client in the Agent WebSocket dialect.
type TypedRequest struct {
	// Type is the type of the message; TypedQuery if it is missing.
	Type TypedType
	// Content is the content, never empty.
	Content json.RawMessage
}

// errNoContent refuses a message without content, in the words of the dialect.
var errNoContent = fault.New(fault.Invalid, "message_content_missing", "Message content is required")

// DecodeTyped reads a message of a client. It ignores the timestamp and unknown
// keys. It fails with fault.Invalid and a sentence for the sender if the message
// is unreadable or empty.
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

// Command returns the command of a TypedCommand in lower case and without
// surrounding spaces. It is empty if the content is not text.
func (r TypedRequest) Command() string {
	var name string
	if json.Unmarshal(r.Content, &name) != nil {
		return ""
	}
	return strings.ToLower(strings.TrimSpace(name))
}

// Feedback returns the content of a TypedHumanFeedback. It fails with
// fault.Invalid if the content is neither text nor an object with a rating or a
// comment.
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
