package corpus

import (
	"context"
	"io"
	"iter"
	"time"
)

// Revision is the state of a corpus.
type Revision struct {
	// Database is a random name of the database, chosen at its creation. It
	// prevents the use of files that were derived from another database.
	Database string
	// Number grows by one with each committed change to a document.
	Number int64
}

// Change describes one document at a revision.
type Change struct {
	// Revision is the number of the revision that wrote or removed the document.
	Revision int64
	// Document has no Text. If Removed, only its ID is set.
	Document Document
	// Removed reports that the document was removed.
	Removed bool
	// Chunks are all chunks of the document, by ordinal. A failed document has none.
	Chunks []Chunk
	// Vectors are the embeddings of the chunks, in the same order. An entry is nil if the named embedder has not embedded the
	// chunk.
	Vectors [][]float32
}

// Corpus is the source of indexes. It is safe for concurrent use.
type Corpus interface {
	// Revision returns the current state.
	Revision(ctx context.Context) (Revision, error)
	// Changes yields each document that changed after revision since, with the vectors of the named
	// embedder. It yields a document once, in its newest state, in the order of revisions. With since 0
	// it yields every live document and no removals. It may miss changes that are committed during the
	// call. It never misses a change that is older than a yielded one. An error comes once and last.
	Changes(ctx context.Context, since int64, embedder string) iter.Seq2[Change, error]
	// Watch returns a channel that receives a value at most a second after any
	// process has raised the revision. It also receives a value after a lost
	// connection to the database is restored. One value may stand for several
	// changes. The channel is closed when ctx ends.
	Watch(ctx context.Context) (<-chan struct{}, error)
	// Passages returns the named chunks with their documents, in the given order. The documents have no Text. Unknown ids are
	// omitted.
	Passages(ctx context.Context, ids []int64) ([]Passage, error)
}

// Passage is a chunk with its document.
type Passage struct {
	Chunk
	// Document has no Text.
	Document Document
}

// DocumentOrder is the order of a list of documents. Equal documents are ordered by ID.
type DocumentOrder string

// The orders of documents.
const (
	// ByID orders by ID, which is the order in which documents were first stored.
	ByID DocumentOrder = ""
	// ByTitle orders by the beginning of the title, by code point and ignoring
	// case.
	ByTitle DocumentOrder = "title"
	// BySize orders by the size of the source in bytes.
	BySize DocumentOrder = "size"
	// ByUpdated orders by the time when the document was last stored.
	ByUpdated DocumentOrder = "updated"
	// ByDate orders by Document.Date. Documents without a date come before all others.
	ByDate DocumentOrder = "date"
	// ByCited orders by Document.Cited.
	ByCited DocumentOrder = "cited"
)

// Origin is the way by which a document came.
type Origin string

// The origins.
const (
	// FromUpload: the document was uploaded.
	FromUpload Origin = "upload"
	// FromWeb: its source is an address.
	FromWeb Origin = "web"
	// FromFile: its source is a file of the server.
	FromFile Origin = "file"
	// FromAnswer: it is an approved answer.
	FromAnswer Origin = "answer"
)

// UnknownLanguage selects documents whose language is unknown.
const UnknownLanguage = "und"

// DocumentFilter selects and orders a list of documents.
type DocumentFilter struct {
	// ID, if set, names the only document to list.
	ID int64
	// Collection, if set, names the only collection to list.
	Collection string
	// Collections, if not nil, are the only collections to list.
	Collections []string
	// Status, if set, is the only status to list. Default: all but Skipped, unless ID is set.
	Status Status
	// Match, if set, lists only documents whose source or title contains it, in any
	// letter case.
	Match string
	// Place lists only documents in its folders and with its tags.
	Place Place
	// Tagged, if set, lists only documents with one of these tags, also in Place.
	Tagged []string
	// Types, if set, lists only documents with one of these media types, with any parameters.
	Types []string
	// Languages, if set, lists only documents in one of these languages.
	Languages []string
	// Origin, if set, lists only documents that came this way.
	Origin Origin
	// ChangedSince, if set, lists only documents that were stored at this time or later.
	ChangedSince time.Time
	// NeverCited lists only documents that no answer cites.
	NeverCited bool
	// SHA256, if not empty, lists only documents with this hash of their original.
	SHA256 string
	// Cited lists only documents that an answer cites.
	Cited bool
	// After lists only documents with a greater ID. It is the cursor of pages ordered by
	// ID.
	After int64
	// Order is the order of the list.
	Order DocumentOrder
	// Descending reverses the order.
	Descending bool
	// Past is the last document of the previous page, and the cursor in every order. Only its ID and
	// the field of the order are needed. The document need not exist any more.
	Past *Document
	// Limit is the maximum length of the page, at most 1,000. 0 means 100.
	Limit int
}

// CollectionInfo describes a collection.
type CollectionInfo struct {
	// Name is the collection's name.
	Name string
	// About describes the collection to people.
	About About
	// Documents is the number of documents with status Ready.
	Documents int
	// Failed is the number of documents that could not be read.
	Failed int
	// Chunks is the number of chunks.
	Chunks int
	// ChangedAt is the time when one of these documents was last stored; zero without documents.
	ChangedAt time.Time
}

// Library reads stored documents. It is safe for concurrent use. Methods on
// one document fail with fault.NotFound if it does not exist.
type Library interface {
	Lister
	PlaceCounter
	// Facets counts the documents of some collections; nil means all.
	Facets(ctx context.Context, collections []string) (Facets, error)
	// Documents lists documents without Text.
	Documents(ctx context.Context, filter DocumentFilter) ([]Document, error)
	// Document returns one document with its Text.
	Document(ctx context.Context, id int64) (Document, error)
	// DocumentChunks returns the document's chunks whose ordinal is greater than after, by ordinal. An after of -1 begins with
	// the first chunk. The maximum limit is 1,000; 0 means 200.
	DocumentChunks(ctx context.Context, id int64, after, limit int) ([]Chunk, error)
	// DocumentVersions returns the changes of the content of a document, latest first. Its first version is not among them.
	DocumentVersions(ctx context.Context, id int64) ([]Version, error)
	// Original returns the bytes of the source as they were ingested. The caller
	// closes the reader.
	Original(ctx context.Context, id int64) (io.ReadCloser, error)
	// Collections lists the collections by name, also those without documents. The list always contains DefaultCollection.
	Collections(ctx context.Context) ([]CollectionInfo, error)
}

// Facets are numbers of documents by their properties, the largest first. They count documents that are ready or failed.
type Facets struct {
	// Types are the media types, without parameters.
	Types []PlaceCount
	// Languages are the languages; UnknownLanguage for documents without one.
	Languages []PlaceCount
}

// Snapshots records the names of saved indexes in the database from which they were
// made. An earlier copy of the database does not know the names of later ones. It is
// safe for concurrent use.
type Snapshots interface {
	// PutSnapshot records the name of an index that is about to be saved. Stores keep
	// at least the last hundred names.
	PutSnapshot(ctx context.Context, name string) error
	// HasSnapshot reports whether the database knows a name.
	HasSnapshot(ctx context.Context, name string) (bool, error)
}

// Enrichment is searchable text that a chat model wrote about a chunk. It is never
// quoted.
type Enrichment struct {
	// ChunkID is the chunk's id.
	ChunkID int64
	// Ordinal counts the document's chunks from 0.
	Ordinal int
	// Document has only the fields ID, Collection, Source, and Language.
	Document Document
	// Text is the written text.
	Text string
}
