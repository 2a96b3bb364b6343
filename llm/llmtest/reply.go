// Package llmtest helps testing what talks to chat models: a [Server] that
// speaks OpenAI's API and a [Model] within the process, both answering from a
// script, and [TestModel], the suite that every llm.Model passes.
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
	// ToolCalls are asked for after the text, each in one piece.
	ToolCalls []ToolCall
	// Finish is the finish reason. Default: "tool_calls" if there are
	// ToolCalls, else "stop".
	Finish string
	// Usage is reported at the end. Default: none.
	Usage *Usage
	// Wait, if set, is called before each piece of text, counted from 0, and
	// blocks as long as the reply is to take: on a channel in a test, on a
	// timer in a benchmark. Its error breaks the reply off.
	Wait func(ctx context.Context, piece int) error
	// Err breaks the reply off after the text. A Model returns it; a Server
	// closes the connection.
	Err error

	// The following are for a Server only.

	// Status answers with this HTTP status and Body. Default: 200.
	Status int
	// Header is added to the response.
	Header http.Header
	// Body is sent as it is instead of a stream.
	Body string
	// Frames are sent as the data of server-sent events instead of what the
	// fields above describe; one that begins with ":" is sent as a comment.
	// Nothing is added: a finish reason and [DONE] have to be among them.
	Frames []string
}

// ToolCall is a scripted call of a tool.
type ToolCall struct {
	// ID names the call.
	ID string
	// Name is the tool's.
	Name string
	// Arguments are JSON text.
	Arguments string
}

// Usage is a scripted count of tokens.
type Usage struct {
	// Prompt tokens were read.
	Prompt int
	// Completion tokens were written.
	Completion int
}

// Script returns a function that gives the replies in their order, the last
// one again and again.
func Script(replies ...Reply) func(n int, r Request) Reply {
	return func(n int, _ Request) Reply {
		if len(replies) == 0 {
			return Reply{}
		}
		return replies[min(n, len(replies)-1)]
	}
}

// Say is a reply of text in the given pieces.
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
