// Package journal holds what a session leaves in a database: its messages, events,
// steps, and state. A database implements [Store] and [Directory].
package journal

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"docent/agent"
)

// ErrNoTurn is the cause of a fault.NotFound that is about a turn, not about the
// session.
var ErrNoTurn = errors.New("no such turn")

// MaxNameBytes bounds the ids and names given at a handshake.
const MaxNameBytes = 255

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
	// EnteredAt is when the session moved to State; zero before it did.
	EnteredAt time.Time
	// WakeAt is when the state's timed conditions want to be looked at next;
	// zero if it has none.
	WakeAt time.Time
	// Variables are the session variables, a JSON value each.
	Variables map[string]json.RawMessage
	// Seq is the sequence number given last.
	Seq int64
	// ResetSeq is Seq as it was when the session was reset; 0 if it never was.
	ResetSeq int64
	// Turn is the number of the turn begun last; turns count from 1, the
	// greeting is turn 0.
	Turn int64
	// Messages counts the stored chat messages, also replaced ones; only lists
	// fill it.
	Messages int
	// First is how the first text that the user said and that was not replaced
	// begins, at most 100 characters of it; "" if there is none or the session has a name. Only
	// lists fill it.
	First string
	// CreatedAt is when it was made.
	CreatedAt time.Time
	// UpdatedAt is when it was last written; naming and pinning it do not count.
	UpdatedAt time.Time
	// Pinned puts it before others in lists.
	Pinned bool
	// Pending are the events that were stored and that no committed turn has
	// handled, oldest first, without those whose turn was replaced; only
	// OpenSession fills it.
	Pending []EventRecord
	// Last is the event that a turn took last, see TurnRecord.Last; of no ID if
	// there is none or its turn was replaced. What it carries and what its message says are nil if they
	// have more than MaxHistoryContent bytes. Only OpenSession fills it.
	Last EventRecord
}

// EventRecord is an event received, a row of BAF's table event. Events that
// nothing has handled yet are a session's queue, which lives here.
type EventRecord struct {
	// ID is the row's id and orders a session's events.
	ID int64
	// Turn is the turn that the event began, given when it is stored.
	Turn int64
	// Name is the event's, such as receive_message_text.
	Name string
	// Info is what BAF stores of it: a message's text, a file's name.
	Info string
	// Human tells what the user did from what other agents and programs sent.
	Human bool
	// Data is what the event carries, as JSON: of a message its content.
	Data json.RawMessage
	// Origin is what the runtime has to know to answer, such as the peer and
	// its id of the request; a JSON object, opaque to the store. Nil if nothing.
	Origin json.RawMessage
	// Time is when it was received.
	Time time.Time
	// Message is the chat message stored with it; zero if the event is none.
	Message agent.ChatMessage
	// Handled reports that a committed turn has handled the event. Only Receive of a
	// duplicate fills it.
	Handled bool
	// Begun reports that replies of its turn are stored although the turn was
	// never committed: it was cut short. Only OpenSession fills it.
	Begun bool
}

// Incoming is an event to be stored before anything else happens.
type Incoming struct {
	// Session is the session's row id.
	Session int64
	// ClientID makes storing idempotent within the session; "" does not.
	ClientID string
	// Type and Content are as in ChatMessage. Without a Type no chat message
	// is stored and ClientID counts for nothing.
	Type string
	// Content is the message; Event.Data is not stored beside it if they are
	// equal.
	Content json.RawMessage
	// Sender is as in ChatMessage.
	Sender string
	// Replaces is as in ChatMessage. If it is not 0, Receive fails with
	// fault.NotFound (ErrNoTurn) if there is no such turn, with fault.Invalid
	// unless that turn began with a message of a person, and with
	// fault.Conflict if it was replaced already; of a duplicate it is not looked
	// at.
	Replaces int64
	// Event is what happened; the store gives it ID and Turn.
	Event EventRecord
	// History asks for the newest messages before this one.
	History int
}

// Receipt answers Receive.
type Receipt struct {
	// Event is the stored event, with ID, Turn and Message.
	Event EventRecord
	// Duplicate reports that the client id was there already; Event is then
	// the one stored first, and nothing was written.
	Duplicate bool
	// History are the messages before it, oldest first, as many as asked, without
	// replaced ones. The Content of those with more than MaxHistoryContent bytes is nil.
	History []agent.ChatMessage
}

// TurnRecord is what a turn leaves behind, written in one batch.
type TurnRecord struct {
	// Session is the session's row id.
	Session int64
	// Turn is the turn that is done; 0 is for what no event began: the
	// greeting, a timed move, variables that a client sets.
	Turn int64
	// Partial tells that the turn goes on: only Entries are written, so that
	// clients can be shown them.
	Partial bool
	// Handled are the ids of the events that the turn took from the queue, that
	// which began it first.
	Handled []int64
	// Last is the id of the event that the session's bodies are about from now
	// on; 0 leaves it as it is.
	Last int64
	// Entries are what it leaves in the record; they get Seq in order.
	Entries []Entry
	// Links say which messages steps of this turn belong to that were stored
	// before; those that belong to one already stay with it.
	Links []Link
	// State is the state the session is in now.
	State string
	// EnteredAt and WakeAt are as in SessionRecord.
	EnteredAt time.Time
	// WakeAt is when to look at timed conditions.
	WakeAt time.Time
	// Set are variables to write.
	Set map[string]json.RawMessage
	// Delete are variables to remove.
	Delete []string
	// Transitions are the moves made, in order.
	Transitions []agent.TransitionRecord
	// Predictions are what messages were understood as, in order.
	Predictions []agent.PredictionRecord
	// Key names the write. If the session's last write had the same key, nothing is
	// written, and the result is that of the first time.
	Key string
}

// Link says which message closed the loop of a step that was stored before.
type Link struct {
	// Step is the step's id; 0 stands for all steps of the turn that were stored
	// before and belong to no message, and then it is the only link.
	Step int64
	// Answer is the position in TurnRecord.Entries, counted from 1, of the
	// message; 0 if it was stored before as well.
	Answer int
	// Chat is the id of the message if Answer is 0; one of another session
	// links nothing.
	Chat int64
}

// Entry is one thing in a session's record: a message or a step.
type Entry struct {
	// Message is what was said; nil for a step.
	Message *agent.ChatMessage
	// Step is what was reasoned; nil for a message.
	Step *agent.ReasoningRecord
	// Answer is, for a step, the position in TurnRecord.Entries, counted from
	// 1, of the message that closed its loop; 0 while none has.
	Answer int
}

// Seq returns the sequence number of the message or of the step.
func (e Entry) Seq() int64 {
	if e.Message != nil {
		return e.Message.Seq
	}
	return e.Step.Seq
}

// Written is what a commit stored, or what was stored of the turn before.
type Written struct {
	// Entries have their ids and seqs, the user's message not among them.
	Entries []Entry
	// Repeated reports that the turn had been committed before: nothing was
	// written, and Entries are all that is stored of it; of turn 0 none.
	Repeated bool
}

// Failed reports that the turn's last message says that it failed.
func (t TurnRecord) Failed() bool {
	for i := len(t.Entries) - 1; i >= 0; i-- {
		if m := t.Entries[i].Message; m != nil {
			return m.ClientID == agent.FailedID
		}
	}
	return false
}

// NoContent is the MessageQuery.MaxContent of who wants none.
const NoContent = 1

// MessageQuery selects messages of a session. Of steps, content is their payload.
type MessageQuery struct {
	// Turn, if not 0, leaves out messages of other turns; those of the turn come
	// also if it was replaced.
	Turn int64
	// After, if not 0, leaves out messages up to that seq.
	After int64
	// Before, if not 0, leaves out messages from that seq on.
	Before int64
	// Until, if not zero, leaves out messages that were stored later.
	Until time.Time
	// Replaced adds what is no part of the conversation any more; see
	// ChatMessage.Replaces.
	Replaced bool
	// Last, if not 0, keeps only the newest that many.
	Last int
	// Bytes, if not 0, then keeps only the oldest, as many as have no more
	// content together, in bytes, but at least one; it pages with After. Sizes are
	// those in the database, or larger, so that fewer may come than would fit.
	Bytes int
	// MaxContent, if not 0, makes content nil that is larger, in bytes, and does
	// not read it. A store may count it as it is compressed, and then once more
	// as it is read.
	MaxContent int
}

// Store keeps conversations. It is safe for concurrent use. Methods on a
// session fail with fault.NotFound if it is gone.
type Store interface {
	// OpenSession returns the session of record.Key, or stores record as a new
	// one; created reports which. Of several calls at once, one creates.
	OpenSession(ctx context.Context, record SessionRecord) (session SessionRecord, created bool, err error)
	// Receive stores an event with its message, gives it a turn and the
	// message its seq, and returns history in the same round trip.
	Receive(ctx context.Context, in Incoming) (Receipt, error)
	// CommitTurn writes a turn's outcome in one transaction and one round trip.
	// Of several commits of a turn other than 0 the first that is not partial
	// counts: later ones write nothing, unless the turn had failed and now has
	// not. A turn whose event was removed meanwhile leaves nothing.
	CommitTurn(ctx context.Context, turn TurnRecord) (Written, error)
	// Messages returns stored messages, oldest first.
	Messages(ctx context.Context, session int64, query MessageQuery) ([]agent.ChatMessage, error)
	// ResetSession removes all that a session holds but its row and names; Seq
	// goes on growing, state and variables are empty. It returns Seq, which
	// becomes ResetSeq.
	ResetSession(ctx context.Context, session int64) (seq int64, err error)

	// Session returns what is stored of a session, without Pending and Last;
	// fault.NotFound if there is none.
	Session(ctx context.Context, key SessionKey) (SessionRecord, error)
	// Sessions lists sessions; see Directory.
	Sessions(ctx context.Context, filter SessionFilter) ([]SessionRecord, error)

	Reasonings
	Alarms
}

// Reasonings is the part of a Store that returns what was reasoned.
type Reasonings interface {
	// Steps returns stored steps and task lists, oldest first.
	Steps(ctx context.Context, session int64, query MessageQuery) ([]agent.ReasoningRecord, error)
}

// Alarm says when a session wants to be woken.
type Alarm struct {
	// ID is the session's public id.
	ID string
	// At is when.
	At time.Time
}

// Alarms is the part of a Store that knows which sessions wait for a time.
type Alarms interface {
	// Alarms returns the sessions of an agent whose WakeAt is set and not before
	// after, soonest first, at most limit.
	Alarms(ctx context.Context, agent string, after time.Time, limit int) ([]Alarm, error)
}

// SessionFilter narrows a list of sessions.
type SessionFilter struct {
	// Agent, if set, is the agent's name.
	Agent string
	// Username, if set, is the user's.
	Username string
	// Owner, if set, is the principal's.
	Owner string
	// Spoken leaves out sessions in which no user said anything; what other
	// agents say does not count.
	Spoken bool
	// Match, if set, is text that has to be in the name or in what was said and
	// not replaced, as ChatMessage.Said has it, whatever the letters' case.
	Match string
	// Latest orders by use alone.
	Latest bool
	// Limit bounds the list; 0 means 200.
	Limit int
}

// SessionChange is what is changed of a session that is not its conversation.
type SessionChange struct {
	// Name is the display name, which "" removes; nil leaves it.
	Name *string
	// Pinned is as in SessionRecord; nil leaves it.
	Pinned *bool
}

// Directory lists and manages conversations. It is safe for concurrent use.
type Directory interface {
	// Sessions lists them, pinned ones before the others and else newest use
	// first, without Pending.
	Sessions(ctx context.Context, filter SessionFilter) ([]SessionRecord, error)
	// Session returns one; fault.NotFound if there is none.
	Session(ctx context.Context, key SessionKey) (SessionRecord, error)
	// ChangeSession names or pins it.
	ChangeSession(ctx context.Context, key SessionKey, change SessionChange) error
	// DeleteSession removes it with all that it holds.
	DeleteSession(ctx context.Context, key SessionKey) error
}
