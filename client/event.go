package client

import (
	"encoding/json"
	"time"

	"docent/internal/fault"

	"docent/payload"
)

// Event is an event of a [Session]: one of the types in this file.
type Event interface {
	// stored returns the entry that the event adds to the conversation; nil if
	// there is none.
	stored() *Entry
}

// Entry is a message or a step of a conversation. Most entries are stored.
type Entry struct {
	// Seq is its number among the stored entries; 0 if it is not stored yet.
	Seq int64
	// Turn is its turn; the greeting is turn 0.
	Turn int64
	// Action is the type of Message.
	Action payload.Action
	// Message is the content. It is nil in the UserMessage of an own Regenerate,
	// which repeats the message of the turn that it replaces.
	Message json.RawMessage
	// ID is the id that a client chose for its message; empty without one.
	ID string
	// Replaces is the first turn that a UserMessage replaces; 0 if it replaces
	// nothing.
	Replaces int64
	// Sender is the other agent that sent a UserMessage; empty for a user.
	Sender string
	// Time is the time of the entry, to the second, in the server's time zone;
	// zero if the server did not send it.
	Time time.Time
	// History reports that the entry is older than the connection.
	History bool
}

func (e *Entry) stored() *Entry {
	if e.Seq == 0 {
		return nil
	}
	return e
}

// Text returns the entry for people: a text as it is, the text of an answer from
// documents, the message of an error, and the JSON of anything else.
func (e *Entry) Text() string {
	var text string
	if json.Unmarshal(e.Message, &text) == nil {
		return text
	}
	var of struct {
		Answer  *string `json:"answer"`
		Message *string `json:"message"`
	}
	if json.Unmarshal(e.Message, &of) == nil {
		switch {
		case e.Action == payload.ReplyRAG && of.Answer != nil:
			return *of.Answer
		case e.Action == payload.ErrorAction && of.Message != nil:
			return *of.Message
		}
	}
	return string(e.Message)
}

// RAG returns the entry as an answer from documents; false for other entries.
func (e *Entry) RAG() (payload.RAGMessage, bool) {
	var m payload.RAGMessage
	ok := e.Action == payload.ReplyRAG && json.Unmarshal(e.Message, &m) == nil
	return m, ok
}

// UserMessage is a stored message to the agent, from this or another client. It
// can be a file.
type UserMessage struct{ Entry }

// Reply is a message of the agent.
type Reply struct{ Entry }

// Step is a reasoning step. It comes first with an N and without a Seq, and
// again when it is stored.
type Step struct {
	Entry
	// N counts the provisional events of its turn; 0 for a stored one.
	N int64
	// Step is the decoded Message.
	Step payload.ReasoningStep
}

// TasksUpdated is the task list of a run. It comes twice, like a Step.
type TasksUpdated struct {
	Entry
	// N is as in Step.
	N int64
	// Tasks is the decoded Message.
	Tasks []payload.Task
}

// Error reports that a turn failed, or that the server refused a request for
// which no call waits. Errors of turns are usually stored.
type Error struct {
	Entry
	// Code is a fault.Kind.
	Code string
	// Reason is a message for people.
	Reason string
	// Sentence is the id of the reason; empty for servers that do not send one.
	Sentence fault.Sentence
	// Retryable reports whether the same request may succeed later.
	Retryable bool
}

// fault returns the error as a fault with the cause err, which may be nil.
func (e *Error) fault(err error) error {
	return &fault.Fault{Kind: fault.Kind(e.Code), Text: fault.Text{Sentence: e.Sentence, Message: e.Reason}, Err: err}
}

// Status reports the progress of a turn. Status, Delta, and Snapshot are
// provisional: they are lost with the connection.
type Status struct {
	// Turn is the number of the turn.
	Turn int64
	// N counts its provisional events.
	N int64
	// Phase is one word, such as searching.
	Phase string
}

// Delta is a piece of a growing reply. The next Reply of the turn replaces it.
type Delta struct {
	// Turn is the number of the turn.
	Turn int64
	// N counts its provisional events.
	N int64
	// Text continues the text so far.
	Text string
}

// Snapshot is the output of a running turn that is not stored yet. It comes
// after a reconnect and replaces the provisional events of the turn.
type Snapshot struct{ payload.TurnSnapshot }

// TurnFinished ends a turn.
type TurnFinished struct {
	// Turn is the number of the turn.
	Turn int64
	// Outcome is the outcome of the turn. If Missed, it is Failed if the last
	// reply of the turn says so; otherwise it is Done, even if the turn was
	// stopped.
	Outcome payload.Outcome
	// Usage counts the tokens of the model; nil if unknown.
	Usage *payload.Usage
	// Missed reports that the turn ended while the client was disconnected.
	Missed bool
}

// TurnsShown reports that another branch of the conversation is shown.
type TurnsShown struct{ payload.TurnsShown }

// SessionReset reports that the session was emptied, or that the server has
// another session with its id. Entries up to Seq are gone.
type SessionReset struct {
	// Seq is the number of the last entry that is gone.
	Seq int64
}

// Connected reports a connection to the server. The missed entries follow.
type Connected struct{ payload.Welcome }

// Synced reports that all missed entries have arrived. Live events follow.
type Synced struct{ payload.Synced }

// Disconnected reports that the connection is lost and that the client will
// reconnect.
type Disconnected struct {
	// Err is the reason.
	Err error
	// Retry is the time until the next attempt.
	Retry time.Duration
}

func (*Status) stored() *Entry       { return nil }
func (*Delta) stored() *Entry        { return nil }
func (*Snapshot) stored() *Entry     { return nil }
func (*TurnFinished) stored() *Entry { return nil }
func (*TurnsShown) stored() *Entry   { return nil }
func (*SessionReset) stored() *Entry { return nil }
func (*Connected) stored() *Entry    { return nil }
func (*Synced) stored() *Entry       { return nil }
func (*Disconnected) stored() *Entry { return nil }
