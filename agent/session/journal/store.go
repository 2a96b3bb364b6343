// Package journal holds the stored data of sessions: their messages, events, steps, and state. A
// database implements [Store] and [Directory].
package journal

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"docent/agent/chat"
	"docent/payload"
)

// ErrNoTurn is the cause of a fault.NotFound if the session exists but has no such
// turn.
var ErrNoTurn = errors.New("no such turn")

// MaxNameBytes bounds the ids and names in a handshake.
const MaxNameBytes = 255

// SessionKey names a session.
type SessionKey struct {
	// Agent is the agent's name.
	Agent string
	// ID is the session's public id, unique per agent.
	ID string
}

// SessionRecord is a stored session. Its names follow BAF's table session.
type SessionRecord struct {
	// RowID is the id of the row, or 0 before the session is stored.
	RowID int64
	// Key names the session.
	Key SessionKey
	// Name is the display name, or "".
	Name string
	// Username is the name from the handshake, or "".
	Username string
	// Owner is the principal that created the session, or "" while authentication is off.
	Owner string
	// Address is the quota.Client's address of the client that created the session, or "".
	Address string
	// Platform is BAF's platform class name, such as WebSocketPlatform.
	Platform string
	// Channel is how clients reach the session, such as page or widget; "" if unknown. The client that
	// creates the session sets it.
	Channel string
	// State is the name of the current state, or "" before the body of the initial state ran.
	State string
	// EnteredAt is the time at which the session entered State. It is zero without a State.
	EnteredAt time.Time
	// WakeAt is the time of the next check of the state's timed conditions. It is zero without such
	// conditions.
	WakeAt time.Time
	// Variables are the session variables as JSON.
	Variables map[string]json.RawMessage
	// Seq is the newest sequence number.
	Seq int64
	// ResetSeq is the Seq of the last reset, or 0.
	ResetSeq int64
	// Turn is the number of the newest turn. Turns count from 1. The greeting is turn 0.
	Turn int64
	// Messages is the number of stored chat messages, including replaced ones. Only lists fill it.
	Messages int
	// First is the beginning of the user's first text that was not replaced, at most 100
	// characters. It is "" if the session has a name or no such text. Only lists fill it.
	First string
	// Found is the newest message that contains SessionFilter.Match, or nil. Only lists fill it.
	Found *Found
	// CreatedAt is the time of creation.
	CreatedAt time.Time
	// UpdatedAt is the time of the last write. Changes of the name and the pin do not count.
	UpdatedAt time.Time
	// Pinned puts the session before others in lists.
	Pinned bool
	// Archived takes the session out of lists of open sessions. A new message takes it back.
	Archived bool
	// Folder is the name of the user's folder with the session, or "".
	Folder string
	// Replica, in OpenSession, is the id of the replica that is to run the session; see Leases. ""
	// claims nothing. Stores for one process ignore it, and all fences.
	Replica string
	// Fence is the fence of writes by Replica. Only OpenSession with a Replica fills it.
	Fence int64
	// Pending are the stored events that no committed turn has handled, oldest first. Events of
	// replaced turns are excluded. Only OpenSession fills it.
	Pending []EventRecord
	// Last is the last consumed event, see TurnRecord.Last. It has no ID if there is none or its
	// turn is hidden. Its data and the content of its message are nil above MaxHistoryContent
	// bytes. Only OpenSession fills it.
	Last EventRecord
	// Hidden are the turns of the branches that are not shown. Only OpenSession fills it.
	Hidden []payload.TurnRange
}

// EventRecord is a received event, a row of BAF's table event. The unhandled events
// of a session are its queue.
type EventRecord struct {
	// ID is the id of the row. It orders the events of a session.
	ID int64
	// Turn is the turn that the event begins. The store assigns it.
	Turn int64
	// Name is the name of the event, such as receive_message_text.
	Name string
	// Info is the text of a message or the name of a file, as in BAF.
	Info string
	// Human reports that the event came from a user, not from an agent or a program.
	Human bool
	// Data is the event's data as JSON. For a message, it is the content.
	Data json.RawMessage
	// Origin describes the request that the event answers, such as the agent and the id of the
	// request. The runtime uses it to answer. It is a JSON object that the store does not read, or
	// nil.
	Origin json.RawMessage
	// Time is the time of receipt.
	Time time.Time
	// Message is the chat message stored with the event; zero without one.
	Message chat.Message
	// Handled reports that a committed turn has handled the event. Only Receive of a
	// duplicate fills it.
	Handled bool
	// Begun reports that the store has replies of a turn that was never committed. The turn was
	// interrupted. Only OpenSession fills it.
	Begun bool
}

// Incoming is a received event that Store.Receive stores.
type Incoming struct {
	// Session is the session's row id.
	Session int64
	// Fence, unless it is 0, is SessionRecord.Fence. Receive fails with ErrStale for an old one.
	Fence int64
	// ClientID makes storing idempotent within the session, unless it is "".
	ClientID string
	// Type has the same meaning as in ChatMessage. Without a Type, the store keeps no chat message.
	Type string
	// Content is the message. The store does not store an equal Event.Data again.
	Content json.RawMessage
	// Sender has the same meaning as in ChatMessage.
	Sender string
	// Replaces has the same meaning as in ChatMessage. If it is not 0, Receive fails with
	// fault.NotFound (ErrNoTurn) if the turn does not exist. It fails with fault.Invalid if no
	// message of a person began the turn, and with fault.Conflict if the turn was replaced already.
	// Receive ignores Replaces for a duplicate.
	Replaces int64
	// Event is the event. The store sets ID and Turn.
	Event EventRecord
	// History is the number of earlier messages to return.
	History int
}

// Receipt is the result of Receive.
type Receipt struct {
	// Event is the stored event with ID, Turn, and Message.
	Event EventRecord
	// Duplicate reports that the store already had the client id. Event is then the first event
	// with that id, and the store wrote nothing.
	Duplicate bool
	// History are the newest earlier messages, oldest first, without replaced ones. Content above
	// MaxHistoryContent bytes is nil.
	History []chat.Message
}

// TurnRecord is the outcome of a turn. The store writes it in one transaction.
type TurnRecord struct {
	// Session is the session's row id.
	Session int64
	// Fence, unless it is 0, is SessionRecord.Fence. CommitTurn fails with ErrStale for an old one.
	Fence int64
	// Turn is the number of the turn. It is 0 without an event: for the greeting,
	// a timed move, and variables that a client sets.
	Turn int64
	// Partial reports that the turn goes on. The store then writes only Entries,
	// so that clients can see them.
	Partial bool
	// Handled are the ids of the events that the turn consumed. The event that began the turn comes
	// first.
	Handled []int64
	// Last is the id of the session's new current event. 0 keeps the old one.
	Last int64
	// Entries are the new messages and steps. The store numbers them in order.
	Entries []Entry
	// Links connect stored steps of this turn to their messages. A step that has a message keeps
	// it.
	Links []Link
	// State is the current state of the session.
	State string
	// EnteredAt has the same meaning as in SessionRecord.
	EnteredAt time.Time
	// WakeAt has the same meaning as in SessionRecord.
	WakeAt time.Time
	// Set are the variables to write.
	Set map[string]json.RawMessage
	// Delete are the variables to remove.
	Delete []string
	// Documents are the new documents of the session, in order. They replace earlier ones of the
	// same turn, unless it is 0.
	Documents []Document
	// Forget removes the stored documents of the session before Documents are added.
	Forget bool
	// Transitions are the moves in order.
	Transitions []chat.Transition
	// Predictions are the recognized intents of messages, in order.
	Predictions []chat.Prediction
	// Key makes the write idempotent. If the session's last write had the same key,
	// the store writes nothing and returns the first result.
	Key string
}

// Link connects a stored step to the message that ended its reasoning.
type Link struct {
	// Step is the id of the step. 0 means all stored steps of the turn without a message. It is
	// then the only link.
	Step int64
	// Answer is the position of the message in TurnRecord.Entries, counted from 1. It is 0 for a
	// stored message.
	Answer int
	// Chat is the id of the message if Answer is 0. The store ignores a message of another session.
	Chat int64
}

// Entry is a message or a step in a session's record.
type Entry struct {
	// Message is nil for a step.
	Message *chat.Message
	// Step is nil for a message.
	Step *chat.Reasoning
	// Answer belongs to a step. It is the position in TurnRecord.Entries, counted from 1, of the
	// message that ended the reasoning. It is 0 without such a message.
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
	// Repeated reports that the turn was committed before. The store wrote nothing. Entries are
	// then all stored entries of the turn, or none for turn 0.
	Repeated bool
}

// Failed reports whether the last message is an apology. A turn without an event fails without an
// apology, unless its record was stored before.
func (w Written) Failed() bool {
	for _, e := range slices.Backward(w.Entries) {
		if m := e.Message; m != nil {
			return m.ClientID == chat.FailedID || !w.Repeated && m.Turn == 0
		}
	}
	return !w.Repeated
}

// Failed reports whether the turn's last message is an apology.
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

// MessageQuery selects messages or steps of a session. The content of a step is its payload. Zero
// fields select everything.
type MessageQuery struct {
	// Turn excludes other turns. It also selects a replaced turn.
	Turn int64
	// After excludes messages up to that sequence number.
	After int64
	// Before excludes messages from that sequence number on.
	Before int64
	// Until excludes later messages.
	Until time.Time
	// Replaced includes replaced turns; see ChatMessage.Replaces.
	Replaced bool
	// Last limits the number of messages and keeps the newest.
	Last int
	// Bytes limits the total content in bytes and keeps the oldest messages, but at least one. It
	// applies after Last, and allows paging with After. Sizes are those in the database, or larger,
	// so fewer messages than possible may come.
	Bytes int
	// MaxContent sets content above that size in bytes to nil and does not read it. A store may
	// compare the compressed size first, and then the size after reading.
	MaxContent int
}

// Store keeps conversations. It is safe for concurrent use. Methods on a session fail with
// fault.NotFound if the session does not exist.
type Store interface {
	// OpenSession returns the session of record.Key. If it does not exist, OpenSession stores
	// record and returns created as true. Only one of several concurrent calls creates it. With
	// record.Replica, it makes that replica run the session and raises the fence. It fails with
	// HeldError if another live replica runs the session.
	OpenSession(ctx context.Context, record SessionRecord) (session SessionRecord, created bool, err error)
	// Receive stores an event with its message. It assigns the turn and the sequence number, and
	// returns history in the same round trip.
	Receive(ctx context.Context, in Incoming) (Receipt, error)
	// CommitTurn writes a turn's outcome in one transaction and one round trip.
	// The first commit of a turn that is not partial ends the turn. Later commits
	// write nothing, with two exceptions: turn 0, and a turn that failed before and
	// succeeds now. If the turn's event was removed, CommitTurn writes nothing.
	CommitTurn(ctx context.Context, turn TurnRecord) (Written, error)
	// Messages returns stored messages, oldest first.
	Messages(ctx context.Context, session int64, query MessageQuery) ([]chat.Message, error)
	// ResetSession removes the contents of a session but keeps its row and names. State and
	// variables become empty. Seq continues to grow. ResetSession returns Seq, which becomes
	// ResetSeq. It fails with ErrStale for an old fence, unless fence is 0.
	ResetSession(ctx context.Context, session, fence int64) (seq int64, err error)

	// Session returns a stored session without Pending and Last. It fails with fault.NotFound if
	// the session does not exist.
	Session(ctx context.Context, key SessionKey) (SessionRecord, error)
	// Sessions lists sessions; see Directory.
	Sessions(ctx context.Context, filter SessionFilter) ([]SessionRecord, error)

	Reasonings
	Alarms
	Documents
}

// Unused removes unused sessions from a Store: those that have never received an event, such as a
// message.
type Unused interface {
	// DeleteUnused removes a session if it is unused. Otherwise it does nothing, and neither for an
	// old fence; see TurnRecord.Fence.
	DeleteUnused(ctx context.Context, session, fence int64) error
	// SweepUnused removes unused sessions of an agent that were last written before a time, at most
	// limit. It keeps those with a WakeAt and those of live replicas.
	SweepUnused(ctx context.Context, agent string, before time.Time, limit int) error
}

// Reasonings is the part of a Store that reads steps of reasoning.
type Reasonings interface {
	// Steps returns stored steps and task lists, oldest first.
	Steps(ctx context.Context, session int64, query MessageQuery) ([]chat.Reasoning, error)
}

// Alarm is the time to wake a session.
type Alarm struct {
	// ID is the session's public id.
	ID string
	// At is the time to wake it.
	At time.Time
}

// Alarms is the part of a Store that lists sessions with timed conditions.
type Alarms interface {
	// Alarms returns the sessions of an agent with a WakeAt that is not before after, soonest
	// first, at most limit.
	Alarms(ctx context.Context, agent string, after time.Time, limit int) ([]Alarm, error)
}

// Archive selects sessions by SessionRecord.Archived.
type Archive int

// The selections.
const (
	// ArchiveAny selects all sessions.
	ArchiveAny Archive = iota
	// ArchiveOpen selects those that are not archived.
	ArchiveOpen
	// ArchiveOnly selects archived ones.
	ArchiveOnly
)

// SessionFilter selects sessions. Zero fields select everything.
type SessionFilter struct {
	// ID selects the public id.
	ID string
	// Agent selects the name of the agent.
	Agent string
	// Username selects the name of the user.
	Username string
	// Owner selects the principal.
	Owner string
	// Spoken excludes sessions without a user's message and without an event of a trigger. Messages of
	// other agents do not count.
	Spoken bool
	// Waiting selects sessions with a message or another event that no turn has handled.
	Waiting bool
	// Archive selects by the archive.
	Archive Archive
	// Match selects sessions whose name or messages contain this text, ignoring case. Replaced
	// messages do not count. Messages are searched as ChatMessage.Said returns them.
	Match string
	// Except excludes the sessions of a principal. "" excludes none.
	Except string
	// Since and Until select sessions that were last used at or after Since, and before Until.
	Since, Until time.Time
	// Past, with Latest, selects the sessions after this one. It needs RowID and UpdatedAt.
	Past *SessionRecord
	// Latest orders by the time of use alone, without pins.
	Latest bool
	// Limit bounds the list. 0 means 200.
	Limit int
}

// Found is a message that a search has found.
type Found struct {
	// Seq and Turn are those of the message.
	Seq, Turn int64
	// IsUser reports whether the user wrote the message.
	IsUser bool
	// Text is the part of the message around the first match, in one line. An ellipsis stands for each
	// omitted end.
	Text string
}

// MaxFolder bounds the name of a folder, in characters.
const MaxFolder = 60

// SessionChange changes how lists show a session.
type SessionChange struct {
	// Name is the new display name. "" removes the name, and nil keeps it.
	Name *string
	// Pinned has the same meaning as in SessionRecord. nil keeps it.
	Pinned *bool
	// Archived has the same meaning as in SessionRecord. nil keeps it.
	Archived *bool
	// Folder has the same meaning as in SessionRecord. nil keeps it.
	Folder *string
}

// Directory lists and manages conversations. It is safe for concurrent use.
type Directory interface {
	// Sessions lists sessions without Pending. Pinned ones come first, then the last used.
	Sessions(ctx context.Context, filter SessionFilter) ([]SessionRecord, error)
	// Session returns one session, or fails with fault.NotFound.
	Session(ctx context.Context, key SessionKey) (SessionRecord, error)
	// ChangeSession changes how lists show a session.
	ChangeSession(ctx context.Context, key SessionKey, change SessionChange) error
	// DeleteSession removes a session and its contents.
	DeleteSession(ctx context.Context, key SessionKey) error
	// ExpireSessions removes sessions that were last used before a time, at most limit, and returns
	// their keys. It keeps pinned ones, those in a folder, and those with a WakeAt.
	ExpireSessions(ctx context.Context, before time.Time, limit int) ([]SessionKey, error)
	// RemoveFile removes the documents of a turn, and replaces the content of the user's file that
	// began it. It fails with fault.NotFound (ErrNoTurn) if no file of the user began the turn, and
	// with fault.Conflict while no committed turn has handled the file.
	RemoveFile(ctx context.Context, session, turn int64, left json.RawMessage) error
}
