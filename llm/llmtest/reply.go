// Package llmtest helps to test code that uses chat models. A [Server] speaks
// OpenAI's API, and a [Model] works inside the process. Both answer from a
// script. [TestModel] is the suite that every llm.Model passes.
package llmtest

import (
	"context"
	"net/http"
)

// Reply is a scripted answer.
type Reply struct {
	// Text is streamed in these pieces.
	Text []string
	// Reasoning is streamed before the text.
	Reasoning []string
	// ToolCalls are requested after the text, each in one piece.
	ToolCalls []ToolCall
	// Finish is the finish reason. Default: "tool_calls" if there are
	// ToolCalls, else "stop".
	Finish string
	// Usage is reported at the end. Default: none.
	Usage *Usage
	// Wait, if set, is called before each piece of text, counted from 0. It can
	// delay the piece: on a channel in a test, or with a timer in a benchmark. If
	// it returns an error, the reply ends there.
	Wait func(ctx context.Context, piece int) error
	// Err ends the reply after the text. A Model returns Err; a Server closes the
	// connection.
	Err error

	// The following fields are for a Server only.

	// Status answers with this HTTP status and Body. Default: 200.
	Status int
	// Header is added to the response.
	Header http.Header
	// Body is sent unchanged instead of a stream.
	Body string
	// Frames are the data of server-sent events, instead of the fields above. A
	// frame that begins with ":" is a comment. The server adds nothing, so include
	// a finish reason and [DONE].
	Frames []string
}

// ToolCall is a scripted tool call.
type ToolCall struct {
	// ID is the id of the call.
	ID string
	// Name is the name of the tool.
	Name string
	// Arguments are JSON text.
	Arguments string
}

// Usage is a scripted count of tokens.
type Usage struct {
	// Prompt is the number of input tokens.
	Prompt int
	// Completion is the number of output tokens.
	Completion int
}

// Script returns a function that returns the replies in order, and then repeats
// the last one.
func Script(replies ...Reply) func(n int, r Request) Reply {
	return func(n int, _ Request) Reply {
		if len(replies) == 0 {
			return Reply{}
		}
		return replies[min(n, len(replies)-1)]
	}
}

// Say returns a reply with text in the given pieces.
func Say(pieces ...string) Reply { return Reply{Text: pieces} }

func (r Reply) finish() string {
	switch {
	case r.Finish != "":
		return r.Finish
	case len(r.ToolCalls) > 0:
		return "tool_calls"
	default:
		return "stop"
	}
}
