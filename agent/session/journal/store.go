// Package journal holds what a session leaves in a database: its messages, events,
// steps, and state. A database implements [Store] and [Directory].
package journal

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"docent/agent/chat"
)

// ErrNoTurn is the cause of a fault.NotFound if the session exists but has no such
// turn.
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

// EventRecord is a received event, a row of BAF's table event. The unhandled events
// of a session are its queue.
type EventRecord struct {
	// ID is the row's id and orders a session's events.
	ID int64
	// Turn is the turn that the event began, given when it is stored.
	Turn int64
	// Name is the event's, such as receive_message_text.
	Name string
	// Info is the text of a message or the name of a file, as in BAF.
	Info string
	// Human reports that the event came from a user, not from an agent or a program.
	Human bool
	// Data is the event's data as JSON. For a message, it is the content.
	Data json.RawMessage
	// Origin tells the runtime where to send the answer, such as the peer and the
	// id of its request. It is a JSON object that the store does not read, or nil.
	Origin json.RawMessage
	// Time is the time of receipt.
	Time time.Time
	// Message is the chat message stored with the event; zero without one.
	Message chat.Message
	// Handled reports that a committed turn has handled the event. Only Receive of a
	// duplicate fills it.
	Handled bool
	// Begun reports that replies of its turn are stored although the turn was
	// never committed: it was cut short. Only OpenSession fills it.
	Begun bool
}

// Incoming is a received event that Store.Receive stores.
type Incoming struct {
	// Session is the session's row id.
	Session int64
	// ClientID makes storing idempotent within the session, unless it is "".
	ClientID string
	// Type and Content are as in ChatMessage. Without a Type, the store keeps no
	// chat message and ignores ClientID.
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
	// Event is the event; the store sets ID and Turn.
	Event EventRecord
	// History asks for the newest messages before this one.
	History int
}

// Receipt answers Receive.
type Receipt struct {
	// Event is the stored event, with ID, Turn and Message.
	Event EventRecord
	// Duplicate reports that the client id was stored before. Event is then the
	// first event of that id, and the store wrote nothing.
	Duplicate bool
	// History are the messages before it, oldest first, as many as asked, without
	// replaced ones. The Content of those with more than MaxHistoryContent bytes is nil.
	History []chat.Message
}

// TurnRecord is the outcome of a turn. The store writes it in one transaction.
type TurnRecord struct {
	// Session is the session's row id.
	Session int64
	// Turn is the number of the turn. It is 0 without an event: for the greeting,
	// a timed move, and variables that a client sets.
	Turn int64
	// Partial reports that the turn goes on. The store then writes only Entries,
	// so that clients can see them.
	Partial bool
	// Handled are the ids of the events that the turn took from the queue. The
	// event that began the turn comes first.
	Handled []int64
	// Last is the id of the session's new current event; 0 keeps the old one.
	Last int64
	// Entries are the new messages and steps. The store numbers them in order.
	Entries []Entry
	// Links connect steps of this turn that are stored already to their messages.
	// Steps that have a message keep it.
	Links []Link
	// State is the state the session is in now.
	State string
	// EnteredAt and WakeAt are as in SessionRecord.
	EnteredAt time.Time
	// WakeAt is when to look at timed conditions.
	WakeAt time.Time
	// Set are the variables to write.
	Set map[string]json.RawMessage
	// Delete are the variables to remove.
	Delete []string
	// Transitions are the moves made, in order.
	Transitions []chat.Transition
	// Predictions are the recognized intents of messages, in order.
	Predictions []chat.Prediction
	// Key makes the write idempotent. If the session's last write had the same key,
	// the store writes nothing and returns the first result.
	Key string
}

// Link connects a stored step to the message that ended its reasoning.
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

// Entry is a message or a step in a session's record.
type Entry struct {
	// Message is nil for a step.
	Message *chat.Message
	// Step is nil for a message.
	Step *chat.Reasoning
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

// Written is the result of a commit.
type Written struct {
	// Entries are the stored entries with their ids and sequence numbers, without the
	// user's message.
	Entries []Entry
	// Repeated reports that the turn was committed before. The store wrote nothing,
	// and Entries are all stored entries of the turn; none for turn 0.
	Repeated bool
}

// Failed reports whether the last message says that the turn failed. A turn
// without an event fails silently, unless its record was stored before.
func (w Written) Failed() bool {
	for _, e := range slices.Backward(w.Entries) {
		if m := e.Message; m != nil {
			return m.ClientID == chat.FailedID || !w.Repeated && m.Turn == 0
		}
	}
	return !w.Repeated
}

// Failed reports that the turn's last message says that it failed.
func (t TurnRecord) Failed() bool {
	for i := len(t.Entries) - 1; i >= 0; i-- {
		if m := t.Entries[i].Message; m != nil {
			return m.ClientID == chat.FailedID
		}
	}
	return false
}

// NoContent as MessageQuery.MaxContent reads messages without content.
const NoContent = 1

// MessageQuery selects messages or steps of a session. The content of a step is its
// payload.
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
	// Replaced includes replaced turns; see ChatMessage.Replaces.
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
	// The first commit of a turn that is not partial ends the turn. Later commits
	// write nothing, with two exceptions: turn 0, and a turn that failed before and
	// succeeds now. If the turn's event was removed, CommitTurn writes nothing.
	CommitTurn(ctx context.Context, turn TurnRecord) (Written, error)
	// Messages returns stored messages, oldest first.
	Messages(ctx context.Context, session int64, query MessageQuery) ([]chat.Message, error)
	// ResetSession removes the contents of a session but keeps its row and names.
	// State and variables are empty then; Seq goes on growing. It returns Seq, which
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

// Reasonings is the part of a Store that returns steps of reasoning.
type Reasonings interface {
	// Steps returns stored steps and task lists, oldest first.
	Steps(ctx context.Context, session int64, query MessageQuery) ([]chat.Reasoning, error)
}

// Alarm is the time to wake a session.
type Alarm struct {
	// ID is the session's public id.
	ID string
	// At is the time.
	At time.Time
}

// Alarms is the part of a Store that lists sessions with timed conditions.
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

// SessionChange changes the name or the pin of a session.
type SessionChange struct {
	// Name is the display name. "" removes it, and nil keeps it.
	Name *string
	// Pinned is as in SessionRecord; nil keeps it.
	Pinned *bool
}

// Directory lists and manages conversations. It is safe for concurrent use.
type Directory interface {
	// Sessions lists them, pinned ones before the others and else newest use
	// first, without Pending.
	Sessions(ctx context.Context, filter SessionFilter) ([]SessionRecord, error)
	// Session returns one session, or fails with fault.NotFound.
	Session(ctx context.Context, key SessionKey) (SessionRecord, error)
	// ChangeSession changes the name or the pin of a session.
	ChangeSession(ctx context.Context, key SessionKey, change SessionChange) error
	// DeleteSession removes a session and its contents.
	DeleteSession(ctx context.Context, key SessionKey) error
}
