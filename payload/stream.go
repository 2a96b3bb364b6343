package payload

import (
	"bytes"
	"encoding/json"

	"docent/internal/fault"
)

// Hello opens a docent.v1 conversation.
type Hello struct {
	// LastSeq is the number of the last stored frame that a client which comes
	// back has; what is stored after it is sent. Nil: nothing is.
	LastSeq *int64 `json:"last_seq,omitempty"`
	// Token authenticates a client that could not do so at the handshake.
	Token string `json:"token,omitempty"`
}

// Welcome answers hello.
type Welcome struct {
	// SessionID names the session; a client that comes back gives it as
	// session_id.
	SessionID string `json:"session_id"`
	// Seq is the sequence number given last; 0 if nothing is stored yet.
	Seq int64 `json:"seq"`
	// ResetSeq is the number given last when the session was reset: what a
	// client has with that or less is gone; 0 if it never was.
	ResetSeq int64 `json:"reset_seq"`
	// Resumed tells a session that was there from a new one.
	Resumed bool `json:"resumed"`
	// Limits are what a client has to keep to.
	Limits Limits `json:"limits"`
	// Models are the chat models there are; never null.
	Models []string `json:"models"`
	// Collections are the document collections there are; never null.
	Collections []string `json:"collections"`
	// Voice says who listens and speaks.
	Voice Voice `json:"voice"`
}

// Voice says whether there is somebody to talk to.
type Voice struct {
	// Listens: recordings are understood; without it they are declined.
	Listens bool `json:"listens"`
	// Speaks: the agent can say a text as sound.
	Speaks bool `json:"speaks"`
}

// Limits are what a client has to keep to.
type Limits struct {
	// MessageBytes bounds the text of a message.
	MessageBytes int `json:"message_bytes"`
	// FrameBytes bounds a frame as it is sent, a file or a recording in it
	// included.
	FrameBytes int64 `json:"frame_bytes"`
}

// TurnState is what a turn that is not over does.
type TurnState string

// The states of turns.
const (
	// Running: it is being answered; provisional frames may follow.
	Running TurnState = "running"
	// Waiting: it has not begun, or the agent takes nothing of it as yet.
	Waiting TurnState = "waiting"
)

// OpenTurn is a turn that is not over.
type OpenTurn struct {
	// Turn is its number.
	Turn int64 `json:"turn"`
	// State is what it does.
	State TurnState `json:"state"`
}

// Synced ends what a client gets that came back: all that is stored up to Seq
// has been sent, and what follows is live.
type Synced struct {
	// Seq is the sequence number given last.
	Seq int64 `json:"seq"`
	// Turns are those that are not over; all others are. Never null.
	Turns []OpenTurn `json:"turns"`
}

// TurnSnapshot is what a running turn has said that is not stored yet; it
// replaces what a client has of that.
type TurnSnapshot struct {
	// Turn is its number.
	Turn int64 `json:"turn"`
	// N counts its provisional frames so far: those that follow have higher ones.
	N int64 `json:"n"`
	// Text is what was streamed of the reply in the making.
	Text string `json:"text"`
	// Steps are its steps and task lists that are not stored yet, as frames'
	// action and message, in order. Never null.
	Steps []SnapshotStep `json:"steps"`
}

// SnapshotStep is a step or a task list of a TurnSnapshot.
type SnapshotStep struct {
	// Action is ReplyReasoningStep or ReplyTaskList.
	Action Action `json:"action"`
	// Message is what the frame of that action holds.
	Message json.RawMessage `json:"message"`
}

// SessionReset says that the session was emptied: what has Seq or less is gone.
type SessionReset struct {
	// Seq is the sequence number given last.
	Seq int64 `json:"seq"`
}

// Regenerate asks to answer a turn's message anew. It replaces that turn and
// those after it.
type Regenerate struct {
	// Turn is the one.
	Turn int64 `json:"turn"`
}

// Edit asks to answer another message in the place of a turn's. It replaces
// that turn and those after it.
type Edit struct {
	// Turn is the one.
	Turn int64 `json:"turn"`
	// Message is what the user says now; as of UserMessage.
	Message json.RawMessage `json:"message"`
}

// Feedback is what a user thinks of a turn.
type Feedback struct {
	// Turn is the one; nil for the last that is over.
	Turn *int64 `json:"turn,omitempty"`
	// Rating is from -100 to 100; nil if none is given.
	Rating *int `json:"rating,omitempty"`
	// Comment is in words.
	Comment string `json:"comment,omitempty"`
}

// FeedbackStored answers Feedback.
type FeedbackStored struct {
	// Turn is the one that it is about.
	Turn int64 `json:"turn"`
}

// Ack says that a user's message is stored, or that something else which was
// asked for with an id is done, or next in turn.
type Ack struct {
	// ID is the client's id of it; "" if it gave none to a message.
	ID string `json:"id"`
	// Seq is the number under which a message is stored; absent of all else.
	Seq int64 `json:"seq,omitempty"`
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
	// Text is a sentence for people. Its id names the sentence; the frame's own id
	// is that of the client's message.
	fault.Text
	// Retryable reports that the same may succeed later unchanged.
	Retryable bool `json:"retryable"`
}

// NewError returns what clients are told of err.
func NewError(err error) Error {
	kind := fault.KindOf(err)
	return Error{Code: string(kind), Text: fault.TextOf(err), Retryable: kind.Retryable()}
}
