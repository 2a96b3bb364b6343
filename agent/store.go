package agent

import (
	"context"
	"encoding/json"
	"time"
)

// SessionKey names a session.
type SessionKey struct {
	// Agent is the agent's name.
	Agent string
	// ID is the session's public id, unique per agent.
	ID string
}

// SessionRecord is a session as stored. Names follow BAF's table session.
type SessionRecord struct {
	// RowID is the row's id; 0 before it is stored.
	RowID int64
	// Key names it.
	Key SessionKey
	// Name is the display name; "" if it has none.
	Name string
	// Username is the user named at the handshake; "" if none was.
	Username string
	// Owner is the principal that created it; "" while authentication is off.
	Owner string
	// Platform is BAF's platform class name, such as WebSocketPlatform.
	Platform string
	// State is the name of the current state; "" before the initial body ran.
	State string
	// Variables are the session variables, a JSON value each.
	Variables map[string]json.RawMessage
	// Seq is the sequence number given last.
	Seq int64
	// Turn is the number of the turn begun last; turns count from 1, the
	// greeting is turn 0.
	Turn int64
	// Messages counts the stored chat messages; only lists fill it.
	Messages int
	// CreatedAt is when it was made.
	CreatedAt time.Time
	// UpdatedAt is when it was last written.
	UpdatedAt time.Time
	// Pending are the user's messages that were stored and whose turn has not
	// been committed, by turn; only OpenSession fills it.
	Pending []ChatMessage
}

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
	// Time is when it was made.
	Time time.Time
}

// EventRecord is an event received, a row of BAF's table event.
type EventRecord struct {
	// Name is the event's, such as receive_message_text.
	Name string
	// Info is what BAF stores of it: a message's text, a file's name.
	Info string
	// Time is when it was received.
	Time time.Time
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

// Incoming is a user's message to be stored before anything else happens.
type Incoming struct {
	// Session is the session's row id.
	Session int64
	// ClientID makes storing idempotent within the session; "" does not.
	ClientID string
	// Type and Content are as in ChatMessage.
	Type string
	// Content is the message.
	Content json.RawMessage
	// Event is recorded beside it.
	Event EventRecord
	// History asks for the newest messages before this one.
	History int
}

// Receipt answers Receive.
type Receipt struct {
	// Message is the stored message, with Seq and Turn.
	Message ChatMessage
	// Duplicate reports that the client id was there already; Message is then
	// the one stored first, and nothing was written.
	Duplicate bool
	// History are the messages before it, oldest first, as many as asked.
	History []ChatMessage
}

// TurnRecord is what a turn leaves behind, written in one batch.
type TurnRecord struct {
	// Session is the session's row id.
	Session int64
	// Turn is the turn that is done; 0 is for what no message began: the
	// greeting, variables that a client sets.
	Turn int64
	// Replies get Seq in order; their ID and Seq need not be set.
	Replies []ChatMessage
	// State is the state the session is in now.
	State string
	// Set are variables to write.
	Set map[string]json.RawMessage
	// Delete are variables to remove.
	Delete []string
	// Transitions are the moves made, in order.
	Transitions []TransitionRecord
}

// FailedID is the ClientID of the reply, a turn's last, that says that the turn
// failed: such a turn may be run again.
const FailedID = "failed"

// Failed reports that the turn's last reply says that it failed.
func (t TurnRecord) Failed() bool {
	return len(t.Replies) > 0 && t.Replies[len(t.Replies)-1].ClientID == FailedID
}

// MessageQuery selects messages of a session.
type MessageQuery struct {
	// Turn, if not 0, leaves out messages of other turns.
	Turn int64
	// After, if not 0, leaves out messages up to that seq.
	After int64
	// Until, if not zero, leaves out messages that were stored later.
	Until time.Time
	// Last, if not 0, keeps only the newest that many.
	Last int
}

// Store keeps conversations. It is safe for concurrent use. Methods on a
// session fail with fault.NotFound if it is gone.
type Store interface {
	// OpenSession returns the session of record.Key, or stores record as a new
	// one; created reports which. Of several calls at once, one creates.
	OpenSession(ctx context.Context, record SessionRecord) (session SessionRecord, created bool, err error)
	// Receive stores a user's message, gives it its seq and a new turn, and
	// returns history in the same round trip.
	Receive(ctx context.Context, in Incoming) (Receipt, error)
	// CommitTurn writes a turn's outcome in one transaction and one round
	// trip, and returns the replies with their ids and seqs. Of several commits
	// of a turn other than 0 the first counts: later ones write nothing and
	// return the replies stored, unless the turn had failed and now has not. A
	// turn whose message was removed meanwhile leaves nothing.
	CommitTurn(ctx context.Context, turn TurnRecord) ([]ChatMessage, error)
	// Messages returns stored messages, oldest first.
	Messages(ctx context.Context, session int64, query MessageQuery) ([]ChatMessage, error)
	// ResetSession removes all that a session holds but its row and names; Seq
	// goes on growing, state and variables are empty.
	ResetSession(ctx context.Context, session int64) error
}

// SessionFilter narrows a list of sessions.
type SessionFilter struct {
	// Agent, if set, is the agent's name.
	Agent string
	// Username, if set, is the user's.
	Username string
	// Owner, if set, is the principal's.
	Owner string
	// Spoken leaves out sessions in which no user said anything.
	Spoken bool
	// Limit bounds the list; 0 means 200.
	Limit int
}

// Directory lists and manages conversations. It is safe for concurrent use.
type Directory interface {
	// Sessions lists them, newest use first, without Pending.
	Sessions(ctx context.Context, filter SessionFilter) ([]SessionRecord, error)
	// Session returns one; fault.NotFound if there is none.
	Session(ctx context.Context, key SessionKey) (SessionRecord, error)
	// RenameSession gives it a display name.
	RenameSession(ctx context.Context, key SessionKey, name string) error
	// DeleteSession removes it with all that it holds.
	DeleteSession(ctx context.Context, key SessionKey) error
}
