// Package work keeps the record of everything that reads documents: uploads, syncs, runs of
// docent ingest, and readings that somebody asked for. All processes that share a database
// share the record. A [Keeper] records the work of this process. A [Runner] does the work that
// waits.
//
// A process holds a lease on its work and extends it. If the process is killed, the lease
// expires. A reading then waits again, and other work ends as interrupted.
package work

import (
	"context"
	"time"

	"docent/internal/fault"
	"docent/rag/corpus"
)

// Kind says what reads documents.
type Kind string

// The kinds of work.
const (
	// Upload is a file that somebody uploads.
	Upload Kind = "upload"
	// Sync is the sync of a source.
	Sync Kind = "sync"
	// Ingest is a run of docent ingest.
	Ingest Kind = "ingest"
	// Retry reads a failed document again.
	Retry Kind = "retry"
	// ReadAgain reads a ready document again.
	ReadAgain Kind = "read_again"
)

// State is the state of work.
type State string

// The states of work.
const (
	// Queued work waits.
	Queued State = "queued"
	// Running work has a lease.
	Running State = "running"
	// Done work has ended. Documents in it may have failed.
	Done State = "done"
	// Failed work has ended with a reason.
	Failed State = "failed"
	// Canceled work was ended by a person.
	Canceled State = "canceled"
)

// Stage is a step of running work.
type Stage string

// The stages of work.
const (
	// Waiting work is queued.
	Waiting Stage = "waiting"
	// Receiving work waits for the bytes of an upload.
	Receiving Stage = "receiving"
	// Reading work extracts, embeds, and stores text.
	Reading Stage = "reading"
)

const (
	// MaxQueued bounds the queued items.
	MaxQueued = 10_000
	// MaxEnded bounds the ended items that a store keeps.
	MaxEnded = 5000
	// KeepEnded is the time for which a store keeps ended items.
	KeepEnded = 30 * 24 * time.Hour
	// MaxTries is the number of times that a killed reading is begun.
	MaxTries = 3
	// MaxLease bounds the time from Lease.Now to Lease.Until. A longer lease is from before the
	// clock was set back, and counts for nothing.
	MaxLease = 10 * time.Minute
)

// Item is one piece of work.
type Item struct {
	// ID is set by the store.
	ID int64
	// Kind says what it is.
	Kind Kind
	// State and Stage say how far it is.
	State State
	Stage Stage
	// Collection gets the documents.
	Collection string
	// Document is the id of its only document, or 0.
	Document int64
	// Source is the id of the source of a sync, or 0.
	Source int64
	// Name names it for people: a file, a source, or a folder.
	Name string
	// By is the principal who asked for it; "" for docent itself.
	By string
	// Done and Total count documents; 0 if they are unknown.
	Done, Total int64
	// Size is in bytes; 0 if it is unknown.
	Size int64
	// Failed counts documents that could not be read.
	Failed int64
	// Reason says why it failed.
	Reason fault.Text
	// Tries counts how often it began.
	Tries int
	// Stopping reports that somebody has canceled it and that it still runs.
	Stopping bool
	// CreatedAt, StartedAt, and EndedAt are its times; zero if they are still to come.
	CreatedAt, StartedAt, EndedAt time.Time
}

// Lease is the right of one process to do work.
type Lease struct {
	// Owner names the holder.
	Owner string
	// Now is the present time, and Until the time when the lease expires.
	Now, Until time.Time
}

// Progress has the properties of work that change while it runs.
type Progress struct {
	Stage       Stage
	Done, Total int64
	Size        int64
}

// End is the result of work.
type End struct {
	// State is Done, Failed, or Canceled.
	State State
	// Document is the id of its only document; 0 keeps the present one.
	Document int64
	// Failed counts documents that could not be read.
	Failed int64
	// Reason says why it failed.
	Reason fault.Text
	// Forget removes the item, because there is nothing to say about it.
	Forget bool
}

// Store keeps work. It is safe for concurrent use.
type Store interface {
	// QueueWork adds a waiting item for each document, and returns their number. It leaves out
	// unknown documents, and those that wait already or are being read. It fails with
	// fault.Busy if more than MaxQueued items would wait.
	QueueWork(ctx context.Context, kind Kind, documents []int64, by string) (int, error)
	// ClaimWork leases the item that has waited longest. ok is false without one.
	ClaimWork(ctx context.Context, lease Lease) (item Item, ok bool, err error)
	// BeginWork adds an item that runs, and returns its id.
	BeginWork(ctx context.Context, item Item, lease Lease) (int64, error)
	// KeepWork extends the lease and stores the progress. ok is false if the lease is lost or
	// somebody has canceled the item.
	KeepWork(ctx context.Context, id int64, lease Lease, progress Progress) (ok bool, err error)
	// EndWork ends an item. It does nothing if the lease is lost. It removes ended items beyond
	// MaxEnded and KeepEnded.
	EndWork(ctx context.Context, id int64, owner string, end End) error
	// ReturnWork lets an item wait again. It does nothing if the lease is lost.
	ReturnWork(ctx context.Context, id int64, owner string) error
	// FreeWork frees the items whose lease has expired. Readings wait again, unless they have
	// begun MaxTries times. Others fail. It returns their number.
	FreeWork(ctx context.Context, now time.Time) (int, error)
	// CancelWork ends a waiting item, and asks the process of a running one to end it.
	// collections are those that the caller manages; nil means all. It fails with
	// fault.NotFound for an item elsewhere or without an end to come.
	CancelWork(ctx context.Context, id int64, collections []string) error
	// ListWork returns the items of collections; nil means all. Running items come first, then
	// queued ones in their order, then the ended ones, latest first. There are at most limit
	// of each state. queued counts all items that wait.
	ListWork(ctx context.Context, collections []string, limit int) (items []Item, queued int, err error)
}

// Origin says from where a document can be read again.
type Origin struct {
	// ID, Collection, Title, Source, Size, Status, and Error are those of the document.
	ID                        int64
	Collection, Title, Source string
	Size                      int64
	Status                    corpus.Status
	Error                     fault.Text
	// Kept reports that the original is stored.
	Kept bool
	// Of names the source that read the document by its id; 0 without one.
	Of int64
}

// FailureGroup are documents that failed for one reason.
type FailureGroup struct {
	// Reason is the reason of the latest document. Its id is that of the group.
	Reason fault.Text
	// Count is the number of documents, and Again that of those with an original.
	Count, Again int64
	// Latest is the time of the latest failure.
	Latest time.Time
	// Document is the id of the latest document, Title its title, and Collection its collection.
	Document          int64
	Title, Collection string
}

// Documents finds documents that can be read again. It is safe for concurrent use.
type Documents interface {
	// Origins returns the origins of documents, by id. It leaves out unknown ones.
	Origins(ctx context.Context, ids []int64) ([]Origin, error)
	// FailedIDs returns the ids of up to limit failed documents of collections, in order; nil
	// means all collections. reason is the id of their reason; "" means any.
	FailedIDs(ctx context.Context, collections []string, reason string, limit int) ([]int64, error)
	// FailureGroups groups the failed documents of collections by their reasons, largest group
	// first; nil means all collections.
	FailureGroups(ctx context.Context, collections []string, limit int) ([]FailureGroup, error)
}
