// Package source defines sources: places with documents, such as folders, web
// sites, git repositories, buckets, mailboxes, and feeds. Package syncer
// synchronizes collections with them.
package source

import (
	"context"
	"io"
	"iter"
	"time"

	"docent/rag/corpus"
)

// Item is one document at a source.
type Item struct {
	// Key identifies the item within its source and never changes. It may be a
	// path, an address, or the UID of a message.
	Key string
	// Name is a file name that helps to detect the format.
	Name string
	// Address is the address of the original for people; "" if there is none.
	// Citations link to it.
	Address string
	// Size is in bytes; 0 if unknown.
	Size int64
	// Modified is the modification time; zero if unknown.
	Modified time.Time
	// DateFrom says where Modified comes from. Default: corpus.FileTime.
	DateFrom corpus.DateFrom
	// State is data of the source for this item, such as an ETag. The source gets
	// it back at the next listing. Only the source interprets it.
	State []byte
	// Unchanged reports that the content has not changed since the stored State.
	// The sync then does not open the item.
	Unchanged bool
	// Err is the reason why this item cannot be listed or read. Other items are not
	// affected, and the earlier version of this item is kept.
	Err error
}

// Known returns the State that the last successful sync stored for an item. ok is
// false for a new item. Known is safe for concurrent use.
type Known func(key string) (state []byte, ok bool)

// Source lists and opens the documents of one place. Only one sync at a time uses
// it. The sync may open several items concurrently.
type Source interface {
	// List yields each current item of the source once, in any order. An error is
	// yielded once and last. The listing is then incomplete, and no items are
	// removed. Breaking the loop cancels the listing.
	List(ctx context.Context, known Known) iter.Seq2[Item, error]
	// Open returns the content of an item. The caller closes it and applies its
	// own size limit.
	Open(ctx context.Context, item Item) (io.ReadCloser, error)
}

// Partial is a Source whose listing may omit documents that should stay.
type Partial interface {
	// Partial reports whether the sync keeps items that are missing in a listing.
	Partial() bool
}

// Emptier is a Source that can distinguish an empty place from an unreachable
// one.
type Emptier interface {
	// CheckEmpty is called after an empty listing of a source that had items
	// before. since is the time when an item was last read. If the empty listing is
	// not credible, CheckEmpty returns an error, and no items are removed.
	CheckEmpty(since time.Time) error
}
