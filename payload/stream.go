package payload

import (
	"bytes"
	"encoding/json"
)

// Welcome answers hello.
type Welcome struct {
	// SessionID names the session; a client that comes back gives it as
	// session_id.
	SessionID string `json:"session_id"`
	// Seq is the sequence number given last; 0 if nothing is stored yet.
	Seq int64 `json:"seq"`
	// Resumed tells a session that was there from a new one.
	Resumed bool `json:"resumed"`
	// Limits are what a client has to keep to.
	Limits Limits `json:"limits"`
	// Models are the chat models there are; never null.
	Models []string `json:"models"`
	// Collections are the document collections there are; never null.
	Collections []string `json:"collections"`
}

// Limits are what a client has to keep to.
type Limits struct {
	// MessageBytes bounds the text of a message.
	MessageBytes int `json:"message_bytes"`
}

// Ack says that a user's message is stored.
type Ack struct {
	// ID is the client's id of the message; "" if it gave none.
	ID string `json:"id"`
	// Seq is the number under which it is stored.
	Seq int64 `json:"seq"`
	// Duplicate reports that it was stored before. Its turn runs again only if
	// it failed; if it is done, a TurnFinished says so.
	Duplicate bool `json:"duplicate"`
}

// Status says how far a turn is.
type Status struct {
	// Phase is searching or answering.
	Phase string `json:"phase"`
}

// Delta is a piece of an answer in the making. The reply that follows replaces
// all of them.
type Delta struct {
	// Text follows the text so far.
	Text string `json:"text"`
}

// JoinDeltas returns one Delta that says what two do, each as encoded by
// Marshal; false if they are not. It may reuse the memory of the first.
func JoinDeltas(first, second json.RawMessage) (json.RawMessage, bool) {
	head, ok := bytes.CutSuffix(first, []byte(`"}`))
	tail, ok2 := bytes.CutPrefix(second, []byte(`{"text":"`))
	if !ok || !ok2 || !bytes.HasPrefix(first, []byte(`{"text":"`)) {
		return nil, false
	}
	return append(head, tail...), true
}

// Outcome says how a turn ended.
type Outcome string

// The outcomes.
const (
	// Done: the turn ran to its end.
	Done Outcome = "done"
	// Failed: it did not; an Error said why, unless a reset ended it.
	Failed Outcome = "failed"
	// Stopped: a client ended it by a Stop; what was said until then is stored.
	Stopped Outcome = "stopped"
	// Held: nothing in the agent's present state takes what began it, so it
	// waits until something does; another outcome follows then.
	Held Outcome = "held"
)

// Stop asks to end a turn.
type Stop struct {
	// Turn is the one to end; nil for the one that runs.
	Turn *int64 `json:"turn,omitempty"`
}

// TurnFinished ends a turn; its replies are stored.
type TurnFinished struct {
	// Outcome says how it ended.
	Outcome Outcome `json:"outcome"`
	// Usage counts the model's tokens; absent if no model reported any.
	Usage *Usage `json:"usage,omitempty"`
}

// Usage counts a model's tokens.
type Usage struct {
	// PromptTokens were read.
	PromptTokens int `json:"prompt_tokens"`
	// CompletionTokens were written.
	CompletionTokens int `json:"completion_tokens"`
}

// Error says what went wrong with a frame or a turn.
type Error struct {
	// Code is a fault.Kind.
	Code string `json:"code"`
	// Message is a sentence for people.
	Message string `json:"message"`
	// Retryable reports that the same may succeed later unchanged.
	Retryable bool `json:"retryable"`
	// ID is the client's id of the message it is about; absent if none.
	ID string `json:"id,omitempty"`
}
