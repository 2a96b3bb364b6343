package corpus

import (
	"context"
	"io"
	"iter"
)

// Revision is the state of a corpus.
type Revision struct {
	// Database is a random name given to the database when it was made, so
	// that files derived from one are never used with another.
	Database string
	// Number grows by one with each committed change of a document.
	Number int64
}

// Change is one document at a revision.
type Change struct {
	// Revision is the one that wrote or removed the document.
	Revision int64
	// Document has no Text. If Removed, only its ID is set.
	Document Document
	// Removed reports that the document is gone.
	Removed bool
	// Chunks are all of the document's chunks, by ordinal; none if it failed.
	Chunks []Chunk
	// Vectors are the chunks' embeddings, in the same order; nil where a chunk
	// has none by the embedder asked for.
	Vectors [][]float32
}

// Corpus is the source of indexes. It is safe for concurrent use.
type Corpus interface {
	// Revision returns the present state.
	Revision(ctx context.Context) (Revision, error)
	// Changes yields each document changed after revision since, once, in its
	// newest state, in the order of their revisions, with the vectors of the
	// named embedder. With since 0 it yields every live document and no
	// removals. Changes committed meanwhile may or may not be seen; none that
	// is older than one already yielded is. An error comes once and last.
	Changes(ctx context.Context, since int64, embedder string) iter.Seq2[Change, error]
	// Watch returns a channel that gets a value soon after the revision has
	// grown, by whatever process, at the latest after a second, and soon after
	// a database that was away is back. Several changes may share one value. It
	// is closed when ctx ends.
	Watch(ctx context.Context) (<-chan struct{}, error)
	// Passages returns the named chunks with their documents (without Text),
	// in the order asked; unknown ids are left out.
	Passages(ctx context.Context, ids []int64) ([]Passage, error)
}

// Passage is a chunk with its document.
type Passage struct {
	Chunk
	// Document has no Text.
	Document Document
}

// DocumentOrder is the order of a list of documents. Equal documents are
// ordered by ID.
type DocumentOrder string

// The orders of documents.
const (
	// ByID is the order in which they were first stored.
	ByID DocumentOrder = ""
	// ByTitle goes by the title's first letters, code point by code point with
	// letter case ignored.
	ByTitle DocumentOrder = "title"
	// BySize goes by the source's bytes.
	BySize DocumentOrder = "size"
	// ByUpdated goes by when they were last stored.
	ByUpdated DocumentOrder = "updated"
)

// DocumentFilter narrows and orders a list of documents.
type DocumentFilter struct {
	// ID, if set, names the only document to list.
	ID int64
	// Collection, if set, names the only collection to list.
	Collection string
	// Status, if set, is the only status to list.
	Status Status
	// Match, if set, is a part of source or title, letter case ignored.
	Match string
	// After leaves out documents up to this ID: the cursor of pages by ID.
	After int64
	// Order is what the list is ordered by.
	Order DocumentOrder
	// Descending turns the order round.
	Descending bool
	// Past is the cursor in any order: the last document of the page before, of
	// which the ID and what the order goes by are needed. It need not exist any more.
	Past *Document
	// Limit bounds the page; 0 means 100, the most is 1,000.
	Limit int
}

// CollectionInfo describes a collection.
type CollectionInfo struct {
	// Name is the collection's name.
	Name string
	// Documents counts its documents that are Ready.
	Documents int
	// Failed counts its documents that could not be read.
	Failed int
	// Chunks counts its chunks.
	Chunks int
}

// Library reads stored documents. It is safe for concurrent use. Methods on
// one document fail with fault.NotFound if it does not exist.
type Library interface {
	// Documents lists documents without Text.
	Documents(ctx context.Context, filter DocumentFilter) ([]Document, error)
	// Document returns one with its Text.
	Document(ctx context.Context, id int64) (Document, error)
	// DocumentChunks returns those of its chunks whose ordinal is greater than
	// after, by ordinal: -1 begins with the first. A limit of 0 means 200, the
	// most is 1,000.
	DocumentChunks(ctx context.Context, id int64, after, limit int) ([]Chunk, error)
	// Original returns the source's bytes as ingested. The caller closes it.
	Original(ctx context.Context, id int64) (io.ReadCloser, error)
	// Collections lists the collections by name; DefaultCollection is always there.
	Collections(ctx context.Context) ([]CollectionInfo, error)
}
