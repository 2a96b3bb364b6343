package agent

import (
	"encoding/json"
	"time"

	"docent/internal/fault"
)

// ChatMessage is one message of a conversation as stored. Names follow BAF's
// table chat.
type ChatMessage struct {
	// ID is the row's id.
	ID int64
	// Seq orders everything stored of a session, without gaps.
	Seq int64
	// Turn is the turn it belongs to.
	Turn int64
	// ClientID is the id its sender gave it; "" if none.
	ClientID string
	// Type is BAF's stored chat type: str, markdown, json, rag_answer, file, …
	Type string
	// Content is the message as it is on the wire, real JSON.
	Content json.RawMessage
	// IsUser tells the user's messages from the agent's.
	IsUser bool
	// Replaces is, of a user's message, the turn from which on it replaces what
	// was said before: turns t with Replaces <= t < Turn are no part of the
	// conversation any more. 0 if it replaces nothing.
	Replaces int64
	// Sender is the other agent that said a message which IsUser: its URL
	// without user and query if this one has asked it, or SenderAgent if it is a
	// client of the session; "" if no agent did.
	Sender string
	// Sentence names a message that is a fixed text; it is zero for others.
	Sentence fault.Sentence
	// Time is when it was made.
	Time time.Time
}

// SenderAgent is the Sender of an agent that is a client of the session.
const SenderAgent = "agent"

// ReasoningRecord is a step of reasoning or a state of its task list, a row of
// BAF's table reasoning_step. Its order among a turn's replies is kept.
type ReasoningRecord struct {
	// ID is the row's id.
	ID int64
	// Seq is its place among everything stored of the session.
	Seq int64
	// Turn is the turn it belongs to.
	Turn int64
	// ChatID is the message that closed the loop; 0 while none has. Of a step
	// to be stored it is that of a message stored before, if Entry.Answer is 0.
	ChatID int64
	// Kind is reasoning_step or task_list_update.
	Kind string
	// StepKind is a step's kind, such as tool_result; "" for a task list.
	StepKind string
	// Step counts a run's model calls from 0; of no meaning for a task list.
	Step int
	// Summary is a line for people; "" for a task list.
	Summary string
	// Payload is the whole as it is on the wire.
	Payload json.RawMessage
	// Time is when it was made.
	Time time.Time
}

// PredictionRecord is what a message was understood as, a row of BAF's table
// intent_prediction with its rows of table parameter.
type PredictionRecord struct {
	// Message is the user's sentence.
	Message string
	// Classifier names what decided; "None" in a state without intents.
	Classifier string
	// Intent is the intent's name, or fallback_intent.
	Intent string
	// Score is between 0 and 1.
	Score float64
	// Parameters are the intent's, found or not.
	Parameters []ParameterRecord
	// Time is when it was made.
	Time time.Time
}

// ParameterRecord is one parameter of a prediction.
type ParameterRecord struct {
	// Name is the parameter's.
	Name string
	// Value is what was found; nil if nothing was.
	Value *string
	// Info is what more is known of it, as JSON; "" if nothing.
	Info string
}

// TransitionRecord is a move between states, a row of BAF's table transition.
type TransitionRecord struct {
	// Source and Dest are state names.
	Source string
	// Dest is where it led.
	Dest string
	// Event is the event's name, "" if it needed none.
	Event string
	// Condition describes the condition, "" if it had none.
	Condition string
	// Time is when it happened.
	Time time.Time
}

// FailedID is the ClientID of the message, a turn's last, that says that the turn
// failed: such a turn may be run again.
const FailedID = "failed"

// MaxHistoryContent bounds the content of a message, in bytes, that Receipt.History
// and what models read of a conversation have: it holds the longest question and
// an answer with its passages, but no file.
const MaxHistoryContent = 64 << 10

// ErrStopped is why a body's context ended when a client stopped its turn; see
// context.Cause.
var ErrStopped = fault.New(fault.Canceled, "turn_stopped", "the turn was stopped")

// StoppedID is the ClientID of the message that marks a turn as stopped before its
// first reply. The message holds the streamed text, and the evidence if the text
// is an answer from documents. For a failed turn it holds only the text, and the
// apology follows.
const StoppedID = "stopped"
