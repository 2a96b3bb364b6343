// Package source defines sources: places with documents, such as folders, web
// sites, git repositories, buckets, mailboxes, and feeds. Package syncer
// synchronizes collections with them.
package source

import (
	"context"
	"io"
	"iter"
	"time"
)

// Item is one document at a source.
type Item struct {
	// Key identifies the item within its source and never changes, such as a
	// path, an address, or the UID of a message.
	Key string
	// Name is a file name that helps to detect the format.
	Name string
	// Address is the address of the original for people; "" without one.
	// Citations link to it.
	Address string
	// Size is in bytes; 0 if unknown.
	Size int64
	// Modified is the modification time; zero if unknown.
	Modified time.Time
	// State is data that the source gets back for this item at the next
	// listing, such as an ETag. Only the source reads it.
	State []byte
	// Unchanged is set if the content has not changed since the stored State.
	// The item is not opened then.
	Unchanged bool
	// Err says why this item cannot be listed or read. It does not affect other
	// items, and the earlier version stays.
	Err error
}

// Known returns the State that the last successful sync stored for an item. ok
// is false for a new item. It is safe for concurrent use.
type Known func(key string) (state []byte, ok bool)

// Source lists and opens the documents of one place. One sync at a time uses
// it. The sync may open several items at once.
type Source interface {
	// List yields each current item of the source once, in any order. An error
	// comes once and last. It means that the listing is incomplete, so no item
	// is removed. Breaking the loop cancels the listing.
	List(ctx context.Context, known Known) iter.Seq2[Item, error]
	// Open returns the content of an item. The caller closes it and applies its
	// own size limit.
	Open(ctx context.Context, item Item) (io.ReadCloser, error)
}

// Emptier is a Source that can distinguish an empty place from an unreachable
// one.
type Emptier interface {
	// CheckEmpty is called after a listing without items if the source has had
	// items. since is the time when an item was last read. An error says why
	// the listing is not credible. Nothing is removed then.
	CheckEmpty(since time.Time) error
}
