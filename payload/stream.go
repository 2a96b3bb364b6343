package payload

import (
	"bytes"
	"encoding/json"
	"slices"

	"docent/internal/fault"
)

// Hello starts a docent.v1 conversation.
type Hello struct {
	// LastSeq is the number of the last stored frame that a resuming client has.
	// The server then sends the later frames. Nil means that the client has no
	// frames.
	LastSeq *int64 `json:"last_seq,omitempty"`
	// Token authenticates a client that did not authenticate in the handshake.
	Token string `json:"token,omitempty"`
}

// Welcome responds to Hello.
type Welcome struct {
	// SessionID identifies the session. Clients send it as session_id to resume.
	SessionID string `json:"session_id"`
	// Agent is the name of the session's agent.
	Agent string `json:"agent"`
	// Seq is the latest sequence number; 0 if nothing is stored yet.
	Seq int64 `json:"seq"`
	// ResetSeq is the latest sequence number at the last reset; 0 without one.
	// The client must drop its frames up to this number.
	ResetSeq int64 `json:"reset_seq"`
	// Resumed reports whether the session existed before.
	Resumed bool `json:"resumed"`
	// Limits are the limits for clients.
	Limits Limits `json:"limits"`
	// Models are the available chat models; never null.
	Models []string `json:"models"`
	// Collections are the collections of documents; never null.
	Collections []string `json:"collections"`
	// Voice describes speech recognition and synthesis.
	Voice Voice `json:"voice"`
}

// Voice describes speech recognition and synthesis.
type Voice struct {
	// Listens reports whether recordings are transcribed; otherwise they are
	// declined.
	Listens bool `json:"listens"`
	// Speaks reports whether the agent can reply with sound.
	Speaks bool `json:"speaks"`
}

// Limits are the limits for clients.
type Limits struct {
	// MessageBytes bounds the text of a message.
	MessageBytes int `json:"message_bytes"`
	// FrameBytes bounds a frame, including a file or a recording in it.
	FrameBytes int64 `json:"frame_bytes"`
}

// TurnState is the state of an unfinished turn.
type TurnState string

// The states of turns.
const (
	// Running: the turn is in progress. Provisional frames may follow.
	Running TurnState = "running"
	// Waiting: the turn has not begun, or the agent's state does not accept its
	// message yet.
	Waiting TurnState = "waiting"
)

// OpenTurn is an unfinished turn.
type OpenTurn struct {
	// Turn is its number.
	Turn int64 `json:"turn"`
	// State is the state of the turn.
	State TurnState `json:"state"`
}

// Synced ends the replay for a client that resumed its session. All stored frames
// up to Seq have been sent. Live frames follow.
type Synced struct {
	// Seq is the latest sequence number.
	Seq int64 `json:"seq"`
	// Turns are the unfinished turns; all other turns are finished. Never null.
	Turns []OpenTurn `json:"turns"`
	// Hidden are the turns of the branches that are not shown.
	Hidden []TurnRange `json:"hidden,omitempty"`
}

// TurnRange is a range of turns.
type TurnRange struct {
	// First is the first turn.
	First int64 `json:"first"`
	// Until is the turn after the last one.
	Until int64 `json:"until"`
}

// InTurns reports whether one of several ranges has a turn.
func InTurns(ranges []TurnRange, turn int64) bool {
	return slices.ContainsFunc(ranges, func(r TurnRange) bool { return r.First <= turn && turn < r.Until })
}

// Show asks the server to show the branch of a turn.
type Show struct {
	// Turn is a version of a question.
	Turn int64 `json:"turn"`
}

// TurnsShown reports that another branch of the session is shown.
type TurnsShown struct {
	// Hidden are the turns of the branches that are not shown. Never null.
	Hidden []TurnRange `json:"hidden"`
}

// TurnSnapshot is the output of a running turn that is not stored yet. It
// replaces the client's copy.
type TurnSnapshot struct {
	// Turn is its number.
	Turn int64 `json:"turn"`
	// N is the number of provisional frames of the turn so far; later frames
	// have higher numbers.
	N int64 `json:"n"`
	// Text is the text of the growing reply.
	Text string `json:"text"`
	// Steps are the steps and task lists that are not stored yet, in order; never
	// null.
	Steps []SnapshotStep `json:"steps"`
}

// SnapshotStep is a step or a task list of a TurnSnapshot.
type SnapshotStep struct {
	// Action is ReplyReasoningStep or ReplyTaskList.
	Action Action `json:"action"`
	// Message is the message of the frame.
	Message json.RawMessage `json:"message"`
}

// SessionReset reports a reset of the session. The client must drop its frames
// up to Seq.
type SessionReset struct {
	// Seq is the latest sequence number.
	Seq int64 `json:"seq"`
}

// Regenerate asks for another answer to the message of a turn. It replaces that
// turn and all later turns.
type Regenerate struct {
	// Turn is the number of the turn.
	Turn int64 `json:"turn"`
}

// Edit replaces the message of a turn, and asks for an answer. It replaces that
// turn and all later turns.
type Edit struct {
	// Turn is the number of the turn.
	Turn int64 `json:"turn"`
	// Message is the new message, as in UserMessage.
	Message json.RawMessage `json:"message"`
}

// Feedback is the user's opinion of a turn.
type Feedback struct {
	// Turn is the number of the turn; nil for the latest finished one.
	Turn *int64 `json:"turn,omitempty"`
	// Rating is from -100 to 100; nil without one.
	Rating *int `json:"rating,omitempty"`
	// Reason is the reason of the rating, one of a fixed list.
	Reason string `json:"reason,omitempty"`
	// Comment is a text of the user.
	Comment string `json:"comment,omitempty"`
}

// FeedbackStored confirms a Feedback.
type FeedbackStored struct {
	// Turn is the rated turn.
	Turn int64 `json:"turn"`
}

// Ack confirms a request of a client. A message of the user is stored. Any other
// request is done or queued.
type Ack struct {
	// ID is the client's id of the request; empty for a message without one.
	ID string `json:"id"`
	// Seq is the number of a stored message; absent for other requests.
	Seq int64 `json:"seq,omitempty"`
	// Duplicate reports that the message was already stored. A failed turn runs
	// again. For a completed turn, only a TurnFinished follows.
	Duplicate bool `json:"duplicate"`
}

// Status reports the progress of a turn.
type Status struct {
	// Phase is searching or answering.
	Phase string `json:"phase"`
}

// Delta is a piece of a growing answer. The final reply replaces all deltas.
type Delta struct {
	// Text is appended to the text so far.
	Text string `json:"text"`
}

// Thinking is a piece of the reasoning of a model before its answer.
type Thinking struct {
	// Text is appended to the reasoning so far.
	Text string `json:"text"`
}

// JoinDeltas joins two Deltas in the encoding of Marshal. It returns false if
// they are not Deltas. It may reuse the memory of the first.
func JoinDeltas(first, second json.RawMessage) (json.RawMessage, bool) {
	head, ok := bytes.CutSuffix(first, []byte(`"}`))
	tail, ok2 := bytes.CutPrefix(second, []byte(`{"text":"`))
	if !ok || !ok2 || !bytes.HasPrefix(first, []byte(`{"text":"`)) {
		return nil, false
	}
	return append(head, tail...), true
}

// Outcome is the result of a turn.
type Outcome string

// The outcomes.
const (
	// Done: the turn was completed.
	Done Outcome = "done"
	// Failed: the turn failed. An Error explained the reason before, unless a reset
	// ended the turn.
	Failed Outcome = "failed"
	// Stopped: a client stopped the turn. Its output so far is stored.
	Stopped Outcome = "stopped"
	// Held: the agent's current state does not accept the message of the turn. The
	// turn waits, and another outcome follows later.
	Held Outcome = "held"
)

// Stop asks to end a turn.
type Stop struct {
	// Turn is the turn to end; nil for the running one.
	Turn *int64 `json:"turn,omitempty"`
}

// TurnFinished ends a turn. The replies of the turn are stored.
type TurnFinished struct {
	// Outcome is the outcome of a turn.
	Outcome Outcome `json:"outcome"`
	// Usage counts the tokens of the model; absent if the model reported none.
	Usage *Usage `json:"usage,omitempty"`
}

// Usage counts the tokens of a model.
type Usage struct {
	// PromptTokens is the number of input tokens.
	PromptTokens int `json:"prompt_tokens"`
	// CompletionTokens is the number of output tokens.
	CompletionTokens int `json:"completion_tokens"`
}

// Error reports an error of a frame or a turn.
type Error struct {
	// Code is a fault.Kind.
	Code string `json:"code"`
	// Text is a message for people. The id in Text identifies the sentence. The id
	// of the frame identifies the client's message.
	fault.Text
	// Retryable reports whether the same request may succeed later.
	Retryable bool `json:"retryable"`
}

// NewError returns the wire format of err.
func NewError(err error) Error {
	kind := fault.KindOf(err)
	return Error{Code: string(kind), Text: fault.TextOf(err), Retryable: kind.Retryable()}
}
