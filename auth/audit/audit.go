// Package audit records acts that others must be able to check: sign-ins, changes of users,
// rights, tokens, documents, and sources, exports, and readings of conversations. A record says
// who did something to which object, and when. It has no content.
package audit

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"
)

// MaxRecords is the number of records that a store keeps. A new record displaces the
// oldest one.
const MaxRecords = 100_000

// day is the step in which records expire, so that each day adds at most one LogExpired.
const day = 24 * time.Hour

// Action is the name of an act: the kind of its object, a dot, and a verb.
type Action string

// The actions of routes. api.Routes says which route has which action.
const (
	// SignedIn is a sign-in. The actor signed in.
	SignedIn Action = "user.signed_in"
	// UserInvited is the creation of a user and of a link. The object is the user.
	UserInvited Action = "user.invited"
	// UserChanged is a change of a user's scopes, or the disabling of a user.
	UserChanged Action = "user.changed"
	// UserSignedOut is the end of one or all sign-ins of a user.
	UserSignedOut Action = "user.signed_out"
	// UserDeleted is the deletion of a user.
	UserDeleted Action = "user.deleted"
	// LinkMade is the creation of a link to set the password of a user.
	LinkMade Action = "user.link_made"
	// PasswordChanged is a change of a password by its user.
	PasswordChanged Action = "user.password_changed"
	// AccountExported is the export of all data of the actor.
	AccountExported Action = "account.exported"
	// OwnConversationExported is the export of a conversation by its owner. The object is
	// the id of the session.
	OwnConversationExported Action = "own_conversation.exported"
	// TokenCreated is the creation of a token by its user. The object is its id.
	TokenCreated Action = "token.created"
	// TokenRevoked is the revocation of a token by its user. The object is its id.
	TokenRevoked Action = "token.revoked"
	// RightSet is a change of a right. The object is the collection.
	RightSet Action = "right.set"
	// CollectionCreated is the creation of a collection. The object is the collection.
	CollectionCreated Action = "collection.created"
	// CollectionChanged is a change of the name or the description of a collection.
	CollectionChanged Action = "collection.changed"
	// CollectionEmptied is the deletion of all documents of a collection.
	CollectionEmptied Action = "collection.emptied"
	// CollectionDeleted is the deletion of a collection.
	CollectionDeleted Action = "collection.deleted"
	// CollectionOpened is the removal of all rights on a collection.
	CollectionOpened Action = "collection.opened"
	// GroupCreated is the creation of a group. The object is the group.
	GroupCreated Action = "group.created"
	// GroupDeleted is the deletion of a group.
	GroupDeleted Action = "group.deleted"
	// MemberSet is a change of the members of a group. The object is the group.
	MemberSet Action = "group.member_set"
	// DocumentsAdded is an upload. The object is the collection.
	DocumentsAdded Action = "documents.added"
	// DocumentsDeleted is the deletion of documents. The object has their ids.
	DocumentsDeleted Action = "documents.deleted"
	// DocumentsTagged is a change of the tags of documents. The object has their ids.
	DocumentsTagged Action = "documents.tagged"
	// DocumentsMoved is the move of documents to another collection. The object is the collection with their ids.
	DocumentsMoved Action = "documents.moved"
	// DocumentRenamed is a new title of a document. The object is its id.
	DocumentRenamed Action = "document.renamed"
	// DocumentReplaced is new content of a document. The object is its id.
	DocumentReplaced Action = "document.replaced"
	// DocumentsRetried is the wish to read failed documents again. The object has their ids, or
	// their collection.
	DocumentsRetried Action = "documents.retried"
	// DocumentsReadAgain is the wish to read ready documents again. The object has their ids.
	DocumentsReadAgain Action = "documents.read_again"
	// WorkCanceled is the end of work by a person. The object is its id.
	WorkCanceled Action = "work.canceled"
	// SourceCreated is the creation of a source. The object is its id.
	SourceCreated Action = "source.created"
	// SourceChanged is a change of a source.
	SourceChanged Action = "source.changed"
	// SourceDeleted is the deletion of a source.
	SourceDeleted Action = "source.deleted"
	// SetUp is the use of the code of the first start. The object is the first administrator, or "".
	SetUp Action = "server.set_up"
	// SettingChanged is a new stored value of a setting. The object is its key.
	SettingChanged Action = "setting.changed"
	// SettingRemoved is the removal of a stored value.
	SettingRemoved Action = "setting.removed"
	// ModelChanged is a change of a stored chat model, or of their order. The object is its name.
	ModelChanged Action = "model.changed"
	// ModelRemoved is the removal of a stored chat model.
	ModelRemoved Action = "model.removed"
	// BackupStarted is the start of a backup on demand. The object is "".
	BackupStarted Action = "backup.started"
	// DigestSent is a digest that somebody sent now. The object is "".
	DigestSent Action = "digest.sent"
	// KeyRotated is the change of the key that encrypts stored secrets. The object is "".
	KeyRotated Action = "key.rotated"
	// LogExported is the export of this log as a file.
	LogExported Action = "log.exported"
)

// The actions on conversations of others.
const (
	// ConversationsListed is a read list of conversations of others. The object is the
	// owner, or "" for all owners.
	ConversationsListed Action = "conversations.listed"
	// ConversationRead is the reading of messages of a conversation of others. The object
	// is the id of the session.
	ConversationRead Action = "conversation.read"
	// ConversationExported is the export of a conversation of others. The object is the id
	// of the session.
	ConversationExported Action = "conversation.exported"
	// QuestionsListed is a read list of questions with the names of those who asked. The object is "".
	QuestionsListed Action = "questions.listed"
	// QuestionRead is the reading of the answer to a question of others. The object is the id of the
	// question.
	QuestionRead Action = "question.read"
	// ShareCreated, ShareRead, and ShareRevoked are acts on a shared link: its creation, a
	// reading by another principal than its owner, and its end. The object is the id of the
	// session.
	ShareCreated Action = "share.created"
	ShareRead    Action = "share.read"
	ShareRevoked Action = "share.revoked"
	// PromptShared is the creation, the change, or the removal of a prompt that everybody sees. The
	// object is its id.
	PromptShared Action = "prompt.shared"
	// ConversationsDeleted is the deletion of all conversations of an owner by an
	// operator. The object is the owner.
	ConversationsDeleted Action = "conversations.deleted"
	// MemoryRead and MemoryErased are acts of an operator on the facts that agents remember about a
	// user. The object is the user.
	MemoryRead   Action = "memory.read"
	MemoryErased Action = "memory.erased"
)

// The removals of conversations and questions that are older than the time to keep them. The object is
// their number. The actor is Server.
const (
	ConversationsExpired Action = "conversations.expired"
	QuestionsExpired     Action = "questions.expired"
)

// LogExpired is the removal of records that are older than the time to keep them. The object is
// their number. The actor is Server.
const LogExpired Action = "log.expired"

// DigestRefused is a weekly digest that a recipient did not get. The object is the address. The actor is Server.
const DigestRefused Action = "digest.refused"

// The actors that are no principals.
const (
	// Operator is the actor of acts at the command line.
	Operator = "operator"
	// Server is the actor of acts of docent itself.
	Server = "server"
)

// Record is one act.
type Record struct {
	// ID orders the records. The store assigns it.
	ID int64
	// Time is the time of the act. The store assigns it.
	Time time.Time
	// Actor is the principal, Operator, or Server. It is "" without authentication.
	Actor string
	// Address is the network address of the client, as in the log; "" at the command line.
	Address string
	// Action is the act.
	Action Action
	// Object is the id of the object, or "".
	Object string
}

// Store keeps records. It is safe for concurrent use.
type Store interface {
	// AddRecord stores a record and returns it with its ID and its time. It removes the
	// oldest records beyond MaxRecords.
	AddRecord(ctx context.Context, record Record) (Record, error)
	// Records returns the records of a query, newest first.
	Records(ctx context.Context, q Query) ([]Record, error)
	// ExpireRecords removes the records before a time, and adds a record of LogExpired with
	// their number. If there are none, it changes nothing and returns false.
	ExpireRecords(ctx context.Context, before time.Time) (record Record, expired bool, err error)
}

// Query selects records. Empty fields select all.
type Query struct {
	// Before selects the records with a lower ID.
	Before int64
	// Actor is a part of the actor, in any case of letters.
	Actor string
	// Actions are actions, such as "token.created", or kinds of them, such as "token".
	Actions []string
	// Since and Until select the records from Since to before Until.
	Since, Until time.Time
	// Limit is the number of records. Required.
	Limit int
}

// Log stores records and writes each of them to the log of the program. It is safe for
// concurrent use.
type Log struct {
	store  Store
	logger *slog.Logger
}

// NewLog returns a log.
func NewLog(store Store, logger *slog.Logger) *Log { return &Log{store, logger} }

// Add stores a record. Before the reading of a conversation of others, call it first, and do
// not read if it fails.
func (l *Log) Add(ctx context.Context, record Record) error {
	record, err := l.store.AddRecord(ctx, record)
	if err != nil {
		return fmt.Errorf("audit %s of %q: %w", record.Action, record.Object, err)
	}
	l.write(ctx, record)
	return nil
}

// write writes a stored record to the log of the program.
func (l *Log) write(ctx context.Context, record Record) {
	l.logger.InfoContext(ctx, "audit",
		"id", record.ID, "action", record.Action, "actor", record.Actor, "remote", record.Address, "object", record.Object)
}

// Records returns stored records; see [Store].
func (l *Log) Records(ctx context.Context, q Query) ([]Record, error) {
	return l.store.Records(ctx, q) //nolint:wrapcheck // the store names the operation
}

// Expire removes the records of the days (UTC) that ended longer than keep before now.
// Several processes may call it: each record is removed and counted once.
func (l *Log) Expire(ctx context.Context, now time.Time, keep time.Duration) error {
	record, expired, err := l.store.ExpireRecords(ctx, now.UTC().Truncate(day).Add(-keep))
	if err != nil {
		return fmt.Errorf("remove old audit records: %w", err)
	}
	if expired {
		l.write(ctx, record)
	}
	return nil
}

// Keep expires records every hour until ctx ends. It logs failures. Without keep, it returns
// at once.
func (l *Log) Keep(ctx context.Context, keep time.Duration) error {
	if keep <= 0 {
		return nil
	}
	every := time.NewTicker(time.Hour)
	defer every.Stop()
	for {
		if err := l.Expire(ctx, time.Now(), keep); err != nil && !errors.Is(err, context.Canceled) {
			l.logger.WarnContext(ctx, "audit", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-every.C:
		}
	}
}
