package corpus

import (
	"strings"
	"time"
)

// DefaultCollection is the collection of documents that name none.
const DefaultCollection = "default"

// HeadingSeparator joins title and headings.
const HeadingSeparator = " › "

// Status says whether a document can be found.
type Status string

// The document states.
const (
	// Ready: its chunks are stored and searchable.
	Ready Status = "ready"
	// Failed: it could not be read; Document.Error says why.
	Failed Status = "failed"
)

// Document is an ingested source. Its chunks are stored separately.
type Document struct {
	// ID is never reused.
	ID int64
	// Collection is the named set it belongs to.
	Collection string
	// Source is an absolute path, a URL, upload:NAME or stdin:NAME, with
	// "#ID" behind it where one file holds several documents. Unique in its
	// collection.
	Source string
	// Title is what people call it.
	Title string
	// MediaType is the type found in the content, such as text/html.
	MediaType string
	// Language is an ISO 639-1 code, "" if it could not be told.
	Language string
	// Size is the source's size in bytes.
	Size int64
	// SHA256 is the hash of the source's bytes, in hex.
	SHA256 string
	// ETag is the server's tag of a fetched source, "" otherwise.
	ETag string
	// Modified is the source's own modification time; zero if unknown.
	Modified time.Time
	// Status says whether it can be found.
	Status Status
	// Error is the reason of a Failed document, one line that people can read.
	Error string
	// Pipeline names the extraction and chunking that made its chunks, with its
	// format and the version of the format's reader. If the program has another
	// value, the next ingest reads the document again.
	Pipeline string
	// Version is the corpus revision that wrote it last.
	Version int64
	// Chunks is how many chunks it has.
	Chunks int
	// Text is the extracted text that chunk offsets count in; lists leave it
	// empty.
	Text string
	// CreatedAt is when it was first stored.
	CreatedAt time.Time
	// UpdatedAt is when it was last stored.
	UpdatedAt time.Time
}

// Kind is the kind of text in a chunk. Retrieval weighs features by it.
type Kind string

// The chunk kinds.
const (
	// Prose is running text.
	Prose Kind = "prose"
	// Code is source code.
	Code Kind = "code"
	// Table is table rows with their header.
	Table Kind = "table"
)

// Chunk is a passage of a document, as retrieval finds it and answers cite it.
type Chunk struct {
	// ID is never reused; a changed document gets new chunks.
	ID int64
	// DocumentID is the document it is from.
	DocumentID int64
	// Ordinal counts the document's chunks from 0.
	Ordinal int
	// Kind is the sort of text.
	Kind Kind
	// Text is the passage as shown: Document.Text[Start:End], but that a
	// table's rows may repeat their header in front.
	Text string
	// Headings is the path of headings above it, outermost first, without the
	// title.
	Headings []string
	// Page counts from 0; nil where there are no pages.
	Page *int
	// PageLabel is the page as printed; "" where there are none.
	PageLabel string
	// Start is the byte offset in the document's extracted text.
	Start int
	// End is the exclusive byte offset.
	End int
	// Tokens is its length in tokens of the built-in vocabulary.
	Tokens int
}

// Heading returns the heading path as one line.
func (c Chunk) Heading() string { return strings.Join(c.Headings, HeadingSeparator) }

// HeadingLine returns the line above a chunk's text in embeddings and indexes:
// title and heading path.
func HeadingLine(title string, headings []string) string {
	if len(headings) == 0 {
		return title
	}
	h := strings.Join(headings, HeadingSeparator)
	if title == "" {
		return h
	}
	return title + HeadingSeparator + h
}

// IndexText returns the text that is embedded and indexed for a chunk: the
// heading line, a newline, and the chunk's text.
func IndexText(title string, c Chunk) string {
	return HeadingLine(title, c.Headings) + "\n" + c.Text
}
