// Package source brings collections in line with places where documents live:
// folders, web sites, git repositories, buckets, mailboxes, and feeds.
package source

import (
	"context"
	"io"
	"iter"
	"time"
)

// Item is one document at a source.
type Item struct {
	// Key identifies the item within its source and never changes: a path, an
	// address, a message's UID.
	Key string
	// Name is a file name that helps to detect the format.
	Name string
	// Address is where people find the original; "" if there is no such place.
	// Citations link to it.
	Address string
	// Size is in bytes; 0 if unknown.
	Size int64
	// Modified is when the item was changed; zero if unknown.
	Modified time.Time
	// State is what the source wants to be given back for this item at the next
	// listing, such as an ETag. Only the source reads it.
	State []byte
	// Unchanged is set if the content is the one that was read when the stored
	// State was made: the item is not opened.
	Unchanged bool
	// Err says why this item cannot be listed or read. It does not stop the
	// others, and the version that was read last stays.
	Err error
}

// Known looks up the State that the last successful sync stored for an item; ok
// is false for a new one. It is safe for concurrent use.
type Known func(key string) (state []byte, ok bool)

// Source lists and opens the documents of one place. It is used by one sync at a
// time, which may open several items at once.
type Source interface {
	// List yields every item that the source has now, in any order, each key
	// once. An error comes once and last: the listing is incomplete, so no item
	// is taken to be gone. Breaking the loop cancels.
	List(ctx context.Context, known Known) iter.Seq2[Item, error]
	// Open returns an item's content. The caller closes it, and reads no more
	// than its own limit.
	Open(ctx context.Context, item Item) (io.ReadCloser, error)
}

// Emptier is a Source that can tell a place without documents from one out of
// reach.
type Emptier interface {
	// CheckEmpty is called after a listing without items if the source has had
	// items. since is when one of them was last read. An error says why the
	// listing cannot be believed: nothing is removed then.
	CheckEmpty(since time.Time) error
}
