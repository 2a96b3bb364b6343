package llm

import (
	"context"
	"errors"
	"iter"
)

// Model is a chat model. It is safe for concurrent use.
type Model interface {
	// Name is the name of the model that people see.
	Name() string
	// Chat asks the model. It yields the text piece by piece, and the whole answer
	// last. The pieces since the last Restart add up to the text of the answer. An error is yielded once
	// and last, instead of the answer. If ctx is canceled, the error is that of
	// ctx. Leaving the loop early cancels the call and waits for its end.
	Chat(ctx context.Context, req Request) iter.Seq2[Delta, error]
}

// Request is one call of a model.
type Request struct {
	// Messages are the conversation, oldest first. A system message comes first.
	Messages []Message
	// Tools are the functions that the model may call.
	Tools []Tool
	// MaxTokens limits the length of the answer. Default: 0, the model's own
	// limit.
	MaxTokens int
	// JSON asks for an answer in JSON.
	JSON bool
}

// Role says who wrote a message.
type Role string

// The roles.
const (
	// System instructs the model.
	System Role = "system"
	// User asks.
	User Role = "user"
	// Assistant is the model.
	Assistant Role = "assistant"
	// ToolResult is the result of a Call.
	ToolResult Role = "tool"
)

// Message is one message of a conversation.
type Message struct {
	// Role says who wrote it.
	Role Role
	// Text is the text of the message.
	Text string
	// Images are pictures that the model sees together with the text.
	Images []Image
	// Calls are the calls that an Assistant made.
	Calls []Call
	// CallID is the ID of the Call that a ToolResult answers.
	CallID string
	// Name is the name of the tool that a ToolResult comes from.
	Name string
}

// Text returns a message with text only.
func Text(role Role, text string) Message { return Message{Role: role, Text: text} }

// Image is a picture in a message.
type Image struct {
	// MediaType is the type of Data, such as image/png.
	MediaType string
	// Data is the content of the file.
	Data []byte
}

// Tool is a function that a model may call.
type Tool struct {
	// Name is the name that the model uses.
	Name string
	// Description describes the tool to the model.
	Description string
	// Parameters is the JSON Schema of the arguments. Default: nil, none.
	Parameters any
}

// Call is a call of a tool that a model asks for.
type Call struct {
	// ID names the call.
	ID string
	// Name is the name of the tool.
	Name string
	// Arguments are the arguments in JSON, as the model wrote them.
	Arguments string
}

// Delta is a piece of an answer.
type Delta struct {
	// Text continues the answer.
	Text string
	// Restart says that the text so far was reasoning, because a model has left out the
	// mark before it. The answer begins again, with Text.
	Restart bool
	// Reasoning continues the model's reasoning before the answer.
	Reasoning string
	// Answer is the whole answer. It is set in the last Delta only.
	Answer *Answer

	// pieces counts the pieces of text and reasoning that the server has sent so far.
	pieces int
}

// Answer is the whole answer of a model.
type Answer struct {
	// Model is the name of the model that answered if it is not the asked one. Default: "".
	Model string
	// Text is the model's text.
	Text string
	// Reasoning is the model's reasoning before the answer.
	Reasoning string
	// Calls are the requested tool calls.
	Calls []Call
	// StopReason is the server's reason for the end of the answer, such as "length".
	StopReason string
	// Usage counts the tokens, or is nil if the server did not report them.
	Usage *Usage
}

// Usage counts a model's tokens.
type Usage struct {
	// Prompt counts the tokens that the model read.
	Prompt int `json:"prompt_tokens"`
	// Completion counts the tokens that the model wrote.
	Completion int `json:"completion_tokens"`
}

// Ask asks a model and returns its whole answer.
func Ask(ctx context.Context, m Model, req Request) (Answer, error) {
	for delta, err := range m.Chat(ctx, req) {
		switch {
		case err != nil:
			return Answer{}, err
		case delta.Answer != nil:
			return *delta.Answer, nil
		}
	}
	return Answer{}, errors.New("llm: the stream ended without an answer")
}
