package client

import (
	"encoding/json"
	"time"

	"docent/internal/fault"

	"docent/payload"
)

// Event is what a [Session] hears of: one of the types of this file.
type Event interface {
	// stored is what the event adds to the conversation's record; nil if nothing.
	stored() *Entry
}

// Entry is something of a conversation: a message or a step, mostly stored.
type Entry struct {
	// Seq is its number among all that is stored; 0 if it is not, as yet.
	Seq int64
	// Turn is the turn that it belongs to; the greeting is of turn 0.
	Turn int64
	// Action says what Message is.
	Action payload.Action
	// Message is its content. It is nil in the UserMessage of an own
	// Regenerate, which says again what the turn it replaces did.
	Message json.RawMessage
	// ID is the id that a client gave its message; "" if none did.
	ID string
	// Replaces is, on a UserMessage, the turn from which on it replaces what was
	// said before; 0 if it replaces nothing.
	Replaces int64
	// Sender is the other agent that said a UserMessage; "" if a user did.
	Sender string
	// Time is when it was made, to the second, in the server's local time; zero
	// if it was not told.
	Time time.Time
	// History reports that it was said before the connection.
	History bool
}

func (e *Entry) stored() *Entry {
	if e.Seq == 0 {
		return nil
	}
	return e
}

// Text is the entry for people: a text as it is, of an answer from documents
// the answer, of an error its sentence, of all else the JSON.
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

// RAG is the entry as an answer from documents; false if it is none.
func (e *Entry) RAG() (payload.RAGMessage, bool) {
	var m payload.RAGMessage
	ok := e.Action == payload.ReplyRAG && json.Unmarshal(e.Message, &m) == nil
	return m, ok
}

// UserMessage is what was said to the agent, here or by another client, once it
// is stored; also a file.
type UserMessage struct{ Entry }

// Reply is what the agent says.
type Reply struct{ Entry }

// Step is a step of reasoning. While it happens it has an N and no Seq; it comes
// again when it is stored.
type Step struct {
	Entry
	// N counts the provisional events of its turn; 0 once it is stored.
	N int64
	// Step is Message, read.
	Step payload.ReasoningStep
}

// TasksUpdated is the task list of a run; it comes twice, as a Step does.
type TasksUpdated struct {
	Entry
	// N is as in Step.
	N int64
	// Tasks is Message, read.
	Tasks []payload.Task
}

// Error says that a turn failed, and is stored then mostly, or that something
// that was sent was refused for which no call waits.
type Error struct {
	Entry
	// Code is a fault.Kind.
	Code string
	// Reason is a sentence for people.
	Reason string
	// Sentence names the reason for programs; it is empty for servers that do
	// not send one.
	Sentence fault.Sentence
	// Retryable reports that the same may succeed later.
	Retryable bool
}

// fault is the error as a fault with the cause err, which may be nil.
func (e *Error) fault(err error) error {
	return &fault.Fault{Kind: fault.Kind(e.Code), Text: fault.Text{Sentence: e.Sentence, Message: e.Reason}, Err: err}
}

// Status says how far a turn is. It is provisional, as are Delta and Snapshot:
// lost if the connection is.
type Status struct {
	// Turn is the turn's number.
	Turn int64
	// N counts its provisional events.
	N int64
	// Phase is one word, such as searching.
	Phase string
}

// Delta is a piece of a reply in the making, which the next Reply of its turn
// replaces.
type Delta struct {
	// Turn is the turn's number.
	Turn int64
	// N counts its provisional events.
	N int64
	// Text follows what came before.
	Text string
}

// Snapshot is all that a running turn has said that is not stored; it comes
// after a reconnect and replaces what was provisional of the turn.
type Snapshot struct{ payload.TurnSnapshot }

// TurnFinished ends a turn.
type TurnFinished struct {
	// Turn is the turn's number.
	Turn int64
	// Outcome is how. If Missed, it is Failed if the turn's last reply says so, and
	// else Done, also if somebody stopped it.
	Outcome payload.Outcome
	// Usage counts the model's tokens; nil if unknown.
	Usage *payload.Usage
	// Missed reports that the turn ended while the client was away.
	Missed bool
}

// SessionReset says that the session was emptied, or that the server has
// another one under its id: entries with Seq or less are gone.
type SessionReset struct {
	// Seq is the last entry's that is gone.
	Seq int64
}

// Connected says that the server has been reached; what was missed follows.
type Connected struct{ payload.Welcome }

// Synced says that what was missed has come: it is live from here on.
type Synced struct{ payload.Synced }

// Disconnected says that the connection is lost and that the client goes back.
type Disconnected struct {
	// Err is why.
	Err error
	// Retry is how long it waits before.
	Retry time.Duration
}

func (*Status) stored() *Entry       { return nil }
func (*Delta) stored() *Entry        { return nil }
func (*Snapshot) stored() *Entry     { return nil }
func (*TurnFinished) stored() *Entry { return nil }
func (*SessionReset) stored() *Entry { return nil }
func (*Connected) stored() *Entry    { return nil }
func (*Synced) stored() *Entry       { return nil }
func (*Disconnected) stored() *Entry { return nil }
