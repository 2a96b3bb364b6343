package source

import (
	"context"
	"time"

	"docent/internal/fault"
)

// Manual is the schedule of a source that is only synced on request.
const Manual = "manual"

// Record is a stored source.
type Record struct {
	// ID is set by the store.
	ID int64
	// Name identifies the source for people. Names are unique.
	Name string
	// Kind names the kind of the source, such as folder or web.
	Kind string
	// Location is the place of the documents, such as a path, an address, or a
	// bucket.
	Location string
	// Options are the settings of the kind that are not secret.
	Options map[string]string
	// Secret contains the encrypted secret settings; nil if there are none.
	Secret []byte
	// Collection is the collection of the documents.
	Collection string
	// Schedule is Manual or the time between two syncs, such as 15m.
	Schedule string
	// Paused suspends the schedule. The source is then only synced on request.
	Paused bool
	// CreatedAt is the time when the source was added.
	CreatedAt time.Time

	// NextAt is the time of the next sync; zero if none is scheduled.
	NextAt time.Time
	// Requested is the pending request.
	Requested Request
	// Errors counts the failed syncs since the last successful one.
	Errors int
	// Begun counts the syncs that began since the last one that ended. It includes a
	// running sync. A sync without an end was in a process that was killed.
	Begun int
	// Last is the summary of the last sync; nil before the first.
	Last *Summary
	// BusyUntil is the time when the lease of a running sync expires; zero if no
	// sync is running.
	BusyUntil time.Time
	// BusyBy names the process that holds the lease.
	BusyBy string
	// Progress is the progress of the running sync.
	Progress Progress
	// Items counts the items of the source at its last sync.
	Items int
	// Failed counts the items that could not be read.
	Failed int
}

// MaxBegun is the number of syncs that may begin without one that ends. A further one
// pauses the source.
const MaxBegun = 2

// MaxLease bounds the time from Lease.Now to Lease.Until. A longer lease is from before the clock
// was set back, and counts for nothing.
const MaxLease = 10 * time.Minute

// Stopped reports whether docent paused the source because its syncs ended docent.
// Only [Sources.ChangeSource] with Paused false resumes it.
func (r Record) Stopped() bool { return r.Begun > MaxBegun }

// Request is a request for a sync.
type Request int

// The requests. A later one includes the earlier ones.
const (
	// NoRequest means that no sync is requested.
	NoRequest Request = iota
	// SyncRequest asks for a sync now.
	SyncRequest
	// RetryRequest asks for a sync now that also reads all failed items again.
	RetryRequest
)

// Progress is the progress of a sync.
type Progress struct {
	// Done counts the finished items.
	Done int `json:"done"`
	// Total counts the items listed so far.
	Total int `json:"total"`
}

// Summary is the outcome of one sync.
type Summary struct {
	// StartedAt is the start time.
	StartedAt time.Time `json:"started_at"`
	// EndedAt is the end time.
	EndedAt time.Time `json:"ended_at"`
	// Added counts new items.
	Added int `json:"added"`
	// Changed counts items with a new stored version.
	Changed int `json:"changed"`
	// Unchanged counts items whose documents are current.
	Unchanged int `json:"unchanged"`
	// Removed counts items that no longer exist.
	Removed int `json:"removed"`
	// Failed counts items that could not be read.
	Failed int `json:"failed"`
	// Error is the reason why the sync failed or was incomplete; "" if it was
	// complete.
	Error string `json:"error"`
	// Sentence identifies the error for programs; nil without one.
	Sentence *fault.Sentence `json:"sentence,omitempty"`
}

// Fail records the reason of a failed sync.
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
	// Pending: the item is being read for the first time.
	Pending Status = "pending"
	// Ready: the item was read.
	Ready Status = "ready"
	// Failed: the item was downloaded, but its content cannot be used.
	Failed Status = "failed"
	// Unreachable: the item could not be downloaded.
	Unreachable Status = "unreachable"
)

// ItemRecord is a stored item.
type ItemRecord struct {
	// Key identifies the item within its source.
	Key string
	// Document is the source of the item's document. Documents inside it have the
	// source Document#PART.
	Document string
	// Address is the address of the original for people; "" if there is none.
	Address string
	// State is the source's data for the content that was last read.
	State []byte
	// Status is the outcome of the last reading.
	Status Status
	// Owned reports that the source added the document. Removing the source or the
	// item never removes other documents.
	Owned bool
	// Reason says why the item could not be read.
	Reason fault.Text
	// Tries counts the failures since the last success.
	Tries int
	// At is the time of the last change to the row.
	At time.Time
}

// New is a source to add.
type New struct {
	// Kind names the kind of the source. Required.
	Kind string
	// Location is the place of the documents. Required.
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
	// Remote reports that the source is added over the network. Local kinds are
	// then rejected.
	Remote bool
}

// Patch is a change that a user makes to a source. Nil fields stay unchanged.
type Patch struct {
	// Name is the new name.
	Name *string
	// Schedule is the new schedule.
	Schedule *string
	// Paused suspends or resumes the schedule.
	Paused *bool
}

// Change is a change to a stored source. Nil fields stay unchanged.
type Change struct {
	// Name is the new name.
	Name *string
	// Schedule is the new schedule.
	Schedule *string
	// NextAt is the time of the next sync; zero for never.
	NextAt *time.Time
	// Paused suspends or resumes the schedule. False also sets Begun to 0.
	Paused *bool
}

// Resumes reports whether the change resumes the source.
func (c Change) Resumes() bool { return c.Paused != nil && !*c.Paused }

// Sources stores sources. It is safe for concurrent use. A duplicate name is a
// fault.Conflict, and an unknown id a fault.NotFound.
type Sources interface {
	// AddSource stores a source and returns its new ID.
	AddSource(ctx context.Context, r Record) (int64, error)
	// Source returns one source.
	Source(ctx context.Context, id int64) (Record, error)
	// ListSources returns all sources, by name.
	ListSources(ctx context.Context) ([]Record, error)
	// ChangeSource changes one source.
	ChangeSource(ctx context.Context, id int64, change Change) error
	// RemoveSource removes one source with its items. Its documents stay.
	RemoveSource(ctx context.Context, id int64) error
}

// Items stores the items of sources. It is safe for concurrent use.
type Items interface {
	// SourceItems returns all items of a source.
	SourceItems(ctx context.Context, source int64) ([]ItemRecord, error)
	// PutSourceItems stores items in one step. Each key occurs once. It
	// replaces rows with the same key. It fails with fault.NotFound if the
	// source no longer exists.
	PutSourceItems(ctx context.Context, source int64, items []ItemRecord) error
	// RemoveSourceItems removes items and ignores unknown keys.
	RemoveSourceItems(ctx context.Context, source int64, keys []string) error
	// FailedItems returns up to limit items that are Failed or Unreachable.
	// They are ordered by key and come after the given key.
	FailedItems(ctx context.Context, source int64, after string, limit int) ([]ItemRecord, error)
	// HandOver makes another source of the same collection the owner of the
	// documents that both sources have. It returns these documents.
	HandOver(ctx context.Context, source int64, documents []string) ([]string, error)
}

// Lease is the right of one process to sync a source.
type Lease struct {
	// Owner names the holder of the lease.
	Owner string
	// Now is the current time.
	Now time.Time
	// Until is the time when the lease expires.
	Until time.Time
}

// End is the result of a sync.
type End struct {
	// Last is the summary of the sync.
	Last Summary
	// NextAt is the time of the next sync; zero for never.
	NextAt time.Time
	// Errors counts the failed syncs since the last successful one.
	Errors int
	// Stops pauses the source and keeps its count of syncs without an end. Otherwise
	// the count is set to 0.
	Stops bool
}

// Leases ensures that only one process at a time syncs a source. It is safe for
// concurrent use.
type Leases interface {
	// DueSources returns the sources to sync now. These are sources with a request,
	// and unpaused sources that are due or whose sync was interrupted. It omits
	// leased and stopped sources.
	DueSources(ctx context.Context, now time.Time) ([]int64, error)
	// RequestSync requests a sync. A stronger pending request stays.
	RequestSync(ctx context.Context, source int64, request Request) error
	// StartSync takes the lease, clears the request, and raises Record.Begun. It returns
	// the new Begun, or 0 if another process holds the lease.
	StartSync(ctx context.Context, source int64, lease Lease) (begun int, err error)
	// KeepSync extends the lease and stores the progress. ok is false if the
	// lease is lost.
	KeepSync(ctx context.Context, source int64, lease Lease, progress Progress) (ok bool, err error)
	// EndSync releases the lease and stores the result unless end is nil. It does
	// nothing if the lease is lost.
	EndSync(ctx context.Context, source int64, owner string, end *End) error
	// FreeSync releases the lease of a process that was killed. Its sync stays without
	// an end. FreeSync does nothing if another process holds the lease.
	FreeSync(ctx context.Context, source int64, owner string) error
}
