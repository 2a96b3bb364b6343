// Package chat defines the entries of a conversation: events, messages, steps of
// reasoning, predictions, and moves between states. Agents, the runtime, and the
// stores exchange them.
package chat

import (
	"encoding/json"
	"time"

	"docent/internal/fault"
)

// Message is a stored message of a conversation. The field names follow BAF's table chat.
type Message struct {
	// ID is the row's id.
	ID int64
	// Seq orders all stored entries of a session, without gaps.
	Seq int64
	// Turn is the message's turn.
	Turn int64
	// ClientID is the id that the sender chose, or "".
	ClientID string
	// Type is BAF's stored chat type: str, markdown, json, rag_answer, file, …
	Type string
	// Content is the message in its wire format, as JSON.
	Content json.RawMessage
	// IsUser distinguishes the user's messages from the agent's.
	IsUser bool
	// Replaces is the first turn that a user's message replaces, or 0. The turns t with Replaces <= t < Turn are no longer
	// part of the conversation.
	Replaces int64
	// Sender is the agent that sent a message with IsUser, or "". It is a URL without user and query if this agent asked that
	// one. It is SenderAgent if the agent is a client of the session.
	Sender string
	// Sentence names a message that is a fixed text; it is zero for others.
	Sentence fault.Sentence
	// Time is the time of creation.
	Time time.Time
}

// SenderAgent is the Sender of an agent that is a client of the session.
const SenderAgent = "agent"

// Reasoning is a reasoning step or a version of its task list. It is a row of BAF's table reasoning_step and keeps
// its place among the turn's replies.
type Reasoning struct {
	// ID is the row's id.
	ID int64
	// Seq orders all stored entries of the session.
	Seq int64
	// Turn is the record's turn.
	Turn int64
	// ChatID is the message that closed the loop, or 0. A new step with Entry.Answer 0 uses the id of a message that is
	// already stored.
	ChatID int64
	// Kind is reasoning_step or task_list_update.
	Kind string
	// StepKind is the kind of a step, such as tool_result. It is "" for a task list.
	StepKind string
	// Step counts a run's model calls from 0. It has no meaning for a task list.
	Step int
	// Summary describes a step in one line. It is "" for a task list.
	Summary string
	// Payload is the record in its wire format.
	Payload json.RawMessage
	// Time is the time of creation.
	Time time.Time
}

// Prediction is the prediction for a message. It is a row of BAF's table intent_prediction with its rows of table
// parameter.
type Prediction struct {
	// Message is the user's text.
	Message string
	// Classifier is the name of the classifier, or "None" in a state without intents.
	Classifier string
	// Intent is the name of the intent, or fallback_intent.
	Intent string
	// Score is between 0 and 1.
	Score float64
	// Parameters are the parameters of the intent, including missing ones.
	Parameters []Parameter
	// Time is the time of the prediction.
	Time time.Time
}

// Parameter is one parameter of a prediction.
type Parameter struct {
	// Name is the name of the parameter.
	Name string
	// Value is the value, or nil.
	Value *string
	// Info is further information as JSON, or "".
	Info string
}

// Transition is a move between states. It is a row of BAF's table transition.
type Transition struct {
	// Source is the name of the state that the session left.
	Source string
	// Dest is the name of the state that it entered.
	Dest string
	// Event is the name of the event, or "" without one.
	Event string
	// Condition describes the condition, or is "".
	Condition string
	// Time is the time of the move.
	Time time.Time
}

// FailedID is the ClientID of the last message of a failed turn. A failed turn may run again.
const FailedID = "failed"

// GuardedID is the ClientID of the reply to a message that a guard refused. Prompts contain neither of them.
const GuardedID = "guarded"

// MaxHistoryContent limits the content of a message, in bytes, in Receipt.History and for models. The longest question and
// an answer with its passages fit, but files do not.
const MaxHistoryContent = 64 << 10

// StoppedID is the ClientID of the message that marks a turn as stopped before its
// first reply. The message holds the streamed text, and the evidence if the text
// is an answer from documents. For a failed turn it holds only the text, and the
// apology follows.
const StoppedID = "stopped"
