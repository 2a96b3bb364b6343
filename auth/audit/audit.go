// Package audit records the acts of administrators and operators that others must be able
// to check. A record says who did something to which object, and when. It has no content.
package audit

import (
	"context"
	"fmt"
	"log/slog"
	"time"
)

// MaxRecords is the number of records that a store keeps. A new record displaces the
// oldest one.
const MaxRecords = 100_000

// Action is the name of an act: the kind of its object, a dot, and a verb.
type Action string

// The actions.
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
	// ConversationsDeleted is the deletion of all conversations of an owner by an
	// operator. The object is the owner.
	ConversationsDeleted Action = "conversations.deleted"
)

// Operator is the actor of acts at the command line.
const Operator = "operator"

// Record is one act.
type Record struct {
	// ID orders the records. The store assigns it.
	ID int64
	// Time is the time of the act. The store assigns it.
	Time time.Time
	// Actor is the principal, or Operator. It is "" without authentication.
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
	// Records returns up to limit records, newest first. before, unless 0, selects the
	// records with a lower ID.
	Records(ctx context.Context, before int64, limit int) ([]Record, error)
}

// Log stores records and writes each of them to the log of the program. It is safe for
// concurrent use.
type Log struct {
	store  Store
	logger *slog.Logger
}

// NewLog returns a log.
func NewLog(store Store, logger *slog.Logger) *Log { return &Log{store, logger} }

// Add stores a record. Call it before the act, and do not act if it fails.
func (l *Log) Add(ctx context.Context, record Record) error {
	record, err := l.store.AddRecord(ctx, record)
	if err != nil {
		return fmt.Errorf("audit %s of %q: %w", record.Action, record.Object, err)
	}
	l.logger.InfoContext(ctx, "audit",
		"id", record.ID, "action", record.Action, "actor", record.Actor, "remote", record.Address, "object", record.Object)
	return nil
}

// Records returns stored records; see [Store].
func (l *Log) Records(ctx context.Context, before int64, limit int) ([]Record, error) {
	return l.store.Records(ctx, before, limit) //nolint:wrapcheck // the store names the operation
}
