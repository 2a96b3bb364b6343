package source

import (
	"context"
	"time"

	"docent/internal/fault"
)

// Manual is the schedule of a source that is synced only when somebody asks.
const Manual = "manual"

// Record is a stored source.
type Record struct {
	// ID is given by the store.
	ID int64
	// Name identifies the source for people. No two sources have the same.
	Name string
	// Kind names one of the kinds, such as folder or web.
	Kind string
	// Location is the place: a path, an address, a bucket.
	Location string
	// Options are the kind's settings without the secret ones.
	Options map[string]string
	// Secret has the encrypted secret settings; nil if there are none.
	Secret []byte
	// Collection gets the documents.
	Collection string
	// Schedule is Manual or the time between two syncs, such as 15m.
	Schedule string
	// Paused sources are synced only when somebody asks.
	Paused bool
	// CreatedAt is when the source was added.
	CreatedAt time.Time

	// NextAt is when the next sync is due; zero if none is.
	NextAt time.Time
	// Requested says what somebody has asked for.
	Requested Request
	// Errors counts the syncs that failed since the last good one.
	Errors int
	// Last sums up the last sync; nil before the first.
	Last *Summary
	// BusyUntil is when the lease of a running sync expires; zero without one.
	BusyUntil time.Time
	// BusyBy names the holder of that lease.
	BusyBy string
	// Progress is how far that sync has come.
	Progress Progress
	// Items counts the items that the source had at its last sync.
	Items int
	// Failed counts those of them that could not be read.
	Failed int
}

// Request is a wish for a sync.
type Request int

// The requests, in order of strength.
const (
	// NoRequest leaves the source to its schedule.
	NoRequest Request = iota
	// SyncRequest asks for a sync now.
	SyncRequest
	// RetryRequest asks for a sync now that reads all failed items again.
	RetryRequest
)

// Progress is how far a sync has come.
type Progress struct {
	// Done counts the items that are finished.
	Done int `json:"done"`
	// Total counts the items that are listed so far.
	Total int `json:"total"`
}

// Summary says what one sync did.
type Summary struct {
	// StartedAt is when it began.
	StartedAt time.Time `json:"started_at"`
	// EndedAt is when it was over.
	EndedAt time.Time `json:"ended_at"`
	// Added counts new items.
	Added int `json:"added"`
	// Changed counts items whose documents were stored anew.
	Changed int `json:"changed"`
	// Unchanged counts items with nothing to do.
	Unchanged int `json:"unchanged"`
	// Removed counts items that were gone.
	Removed int `json:"removed"`
	// Failed counts items that could not be read.
	Failed int `json:"failed"`
	// Error says why the sync as a whole failed or was incomplete; "" if it was
	// complete.
	Error string `json:"error"`
	// Sentence names the error for programs; nil without one.
	Sentence *fault.Sentence `json:"sentence,omitempty"`
}

// Fail notes why the sync failed.
func (s *Summary) Fail(why fault.Text) {
	s.Error, s.Sentence = why.Message, nil
	if why.ID != "" {
		s.Sentence = &why.Sentence
	}
}

// Status is the state of an item.
type Status string

// The states of an item.
const (
	// Pending: the item is about to be read for the first time.
	Pending Status = "pending"
	// Ready: the item was read.
	Ready Status = "ready"
	// Failed: the item was fetched, and its content is of no use.
	Failed Status = "failed"
	// Unreachable: the item could not be fetched.
	Unreachable Status = "unreachable"
)

// ItemRecord is a stored item.
type ItemRecord struct {
	// Key identifies the item within its source.
	Key string
	// Document is the source of the item's document. Parts of it are called
	// Document#PART.
	Document string
	// Address is where people find the original; "" if there is no such place.
	Address string
	// State is what the source gave for the content that was read last.
	State []byte
	// Status says how reading went.
	Status Status
	// Owned is set if the source added the document. Others are never removed.
	Owned bool
	// Reason says why the item could not be read.
	Reason fault.Text
	// Tries counts the failures since the item was last read.
	Tries int
	// At is when the row was last written.
	At time.Time
}

// New is a source to add.
type New struct {
	// Kind names the kind of source. Required.
	Kind string
	// Location is the place. Required.
	Location string
	// Name identifies the source for people; default the location.
	Name string
	// Collection gets the documents; default the default collection.
	Collection string
	// Schedule is Manual or an interval; default the schedule of the kind.
	Schedule string
	// Options are the settings of the kind that are not secret.
	Options map[string]string
	// Secret are the secret settings of the kind.
	Secret map[string]string
	// Remote is set if the source is added over the network. Local kinds are
	// then refused.
	Remote bool
}

// Patch is a change that a person makes to a source; nil fields stay.
type Patch struct {
	// Name is the new name.
	Name *string
	// Schedule is the new schedule.
	Schedule *string
	// Paused stops or resumes the schedule.
	Paused *bool
}

// Change is a change to a stored source; nil fields stay.
type Change struct {
	// Name is the new name.
	Name *string
	// Schedule is the new schedule.
	Schedule *string
	// NextAt is when the next sync is due; zero for never.
	NextAt *time.Time
	// Paused stops or resumes the schedule.
	Paused *bool
}

// Sources keeps sources. It is safe for concurrent use. A name that is taken is
// a fault.Conflict, an unknown id a fault.NotFound.
type Sources interface {
	// AddSource stores a source with a new ID, which it returns.
	AddSource(ctx context.Context, r Record) (int64, error)
	// Source returns one.
	Source(ctx context.Context, id int64) (Record, error)
	// ListSources returns all, by name.
	ListSources(ctx context.Context) ([]Record, error)
	// ChangeSource changes one.
	ChangeSource(ctx context.Context, id int64, change Change) error
	// RemoveSource removes one with its items. Documents stay.
	RemoveSource(ctx context.Context, id int64) error
}

// Items keeps the items of sources. It is safe for concurrent use.
type Items interface {
	// SourceItems returns all items of a source.
	SourceItems(ctx context.Context, source int64) ([]ItemRecord, error)
	// PutSourceItems stores items in one step, each key once. Rows of the same
	// key are replaced. It fails with fault.NotFound if the source is gone.
	PutSourceItems(ctx context.Context, source int64, items []ItemRecord) error
	// RemoveSourceItems removes items; unknown keys are ignored.
	RemoveSourceItems(ctx context.Context, source int64, keys []string) error
	// FailedItems returns up to limit items that are Failed or Unreachable, by
	// key, after the given one.
	FailedItems(ctx context.Context, source int64, after string, limit int) ([]ItemRecord, error)
	// HandOver makes another source of the same collection the owner of each
	// document that it has, too, and returns those documents.
	HandOver(ctx context.Context, source int64, documents []string) ([]string, error)
}

// Lease is the right of one process to sync a source.
type Lease struct {
	// Owner names the holder.
	Owner string
	// Now is the present time.
	Now time.Time
	// Until is when the lease expires.
	Until time.Time
}

// End says how a sync ended.
type End struct {
	// Last sums it up.
	Last Summary
	// NextAt is when the next is due; zero for never.
	NextAt time.Time
	// Errors counts the syncs that failed since the last good one.
	Errors int
}

// Leases lets one process at a time sync a source. It is safe for concurrent use.
type Leases interface {
	// DueSources returns the sources that are to be synced now: those that were
	// asked for, and those that are due or were interrupted, and are not paused.
	// Leased ones are left out.
	DueSources(ctx context.Context, now time.Time) ([]int64, error)
	// RequestSync asks for a sync. A stronger request stays.
	RequestSync(ctx context.Context, source int64, request Request) error
	// StartSync takes the lease and clears the request; ok is false if another
	// process holds it.
	StartSync(ctx context.Context, source int64, lease Lease) (ok bool, err error)
	// KeepSync extends the lease and notes the progress; ok is false if it is lost.
	KeepSync(ctx context.Context, source int64, lease Lease, progress Progress) (ok bool, err error)
	// EndSync gives the lease back. A nil end notes nothing else. A lost lease
	// changes nothing.
	EndSync(ctx context.Context, source int64, owner string, end *End) error
}
