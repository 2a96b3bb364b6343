package corpus

import (
	"strings"
	"time"

	"docent/internal/fault"
)

// DefaultCollection is the collection of documents that were added without a
// collection name.
const DefaultCollection = "default"

// HeadingSeparator separates the title and the headings.
const HeadingSeparator = " › "

// Status says whether a document is searchable.
type Status string

// The document states.
const (
	// Ready: the chunks are stored and searchable.
	Ready Status = "ready"
	// Failed: the document could not be read. Document.Error gives the reason.
	Failed Status = "failed"
	// Skipped: the source has no text, for example a picture. It is stored only so that it is not
	// read again. Document.Error gives the reason.
	Skipped Status = "skipped"
)

// Document is an ingested source. Its chunks are stored separately.
type Document struct {
	// ID is never reused.
	ID int64
	// Collection is the name of the document's collection.
	Collection string
	// Source is an absolute path, a URL, upload:NAME, stdin:NAME, or answer:NAME for an approved
	// answer. If one file contains several documents, "#ID" follows. No two documents of a collection
	// have the same source.
	Source string
	// Title is the name that users see.
	Title string
	// FileTitle is the title in the file if people renamed the document; otherwise "". Only stores set it.
	FileTitle string
	// MediaType is the type detected from the content, such as text/html.
	MediaType string
	// Language is an ISO 639-1 code, or "" if unknown.
	Language string
	// Size is the size of the source in bytes.
	Size int64
	// SHA256 is the hash of the source in hex.
	SHA256 string
	// ETag is the server's tag of a fetched source, or "".
	ETag string
	// Modified is the modification time of the source, or zero if unknown.
	Modified time.Time
	// Status says whether the document is searchable.
	Status Status
	// Error is the reason why a document failed, as one line for users.
	Error fault.Text
	// Pipeline names the reader, its version, and the chunking that made the
	// chunks. If the program's value differs, the next ingest reads the document
	// again.
	Pipeline string
	// Date is when the document was written or last changed. It is the day and the time that the
	// document itself states, without the time zone. Times of servers, commits, and files are in
	// UTC. A document that states only a day has the time 00:00. Date is zero if it is unknown.
	// It is unknown for all documents that were last read by a version without dates.
	Date time.Time
	// DateFrom says where Date comes from; "" without a date. FileTime is weak: copying a file
	// often changes it.
	DateFrom DateFrom
	// Version is the version of the described product or of the document itself, such as
	// "16.2", if the title or the document's own fields state it; "" if they do not.
	Version string
	// Folder is the path of its folder, such as manuals/pumps, without the folders of the server above it; "" if
	// it is in none.
	Folder string
	// Tags are those that the document states, such as those in the YAML of a Markdown file.
	Tags []string
	// OwnTags are those that people added.
	OwnTags []string
	// Revision is the last corpus revision that stored the document.
	Revision int64
	// Chunks is the number of chunks.
	Chunks int
	// Cited is the number of answers that cite the document, also of deleted ones. Only Library sets it.
	Cited int64
	// Text is the extracted text. Chunk offsets refer to it. Lists leave it empty.
	Text string
	// CreatedAt is the time when the document was first stored.
	CreatedAt time.Time
	// UpdatedAt is the time when the document was last stored.
	UpdatedAt time.Time
}

// Day returns the day of Date, such as 2026-05-12; "" without a date.
func (d *Document) Day() string {
	if d.Date.IsZero() {
		return ""
	}
	return d.Date.Format(time.DateOnly)
}

// DateFrom says where the date of a document comes from.
type DateFrom string

// The origins of dates. A document has the date of the first of them that gives one.
const (
	// FrontMatter: the fields at the beginning of a text, such as the YAML of a Markdown file.
	FrontMatter DateFrom = "front_matter"
	// Properties: the properties of an office document, a PDF, or a book. The time of the last change
	// comes before the time of creation.
	Properties DateFrom = "properties"
	// MailHeader: the field Date of a message.
	MailHeader DateFrom = "mail_header"
	// PageMarkup: the metadata of a web page, or its time elements.
	PageMarkup DateFrom = "page_markup"
	// FeedEntry: the entry of a feed.
	FeedEntry DateFrom = "feed_entry"
	// Commit: the last commit that changed the file.
	Commit DateFrom = "commit"
	// LastModified: the header Last-Modified of a web server.
	LastModified DateFrom = "last_modified"
	// FileTime: the modification time of the file.
	FileTime DateFrom = "file_time"
)

// Known reports whether it is one of the origins, or "".
func (f DateFrom) Known() bool {
	switch f {
	case "", FrontMatter, Properties, MailHeader, PageMarkup, FeedEntry, Commit, LastModified, FileTime:
		return true
	}
	return false
}

// Kind is the kind of text in a chunk. The weights of retrieval features depend
// on it.
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
	// ID is never reused. A changed document gets new chunks.
	ID int64
	// DocumentID is the ID of the chunk's document.
	DocumentID int64
	// Ordinal counts the document's chunks from 0.
	Ordinal int
	// Kind is the kind of text.
	Kind Kind
	// Text is the passage as shown. It equals Document.Text[Start:End], except that table rows may repeat their header in
	// front.
	Text string
	// Headings is the path of headings above the chunk, outermost first, without the title.
	Headings []string
	// Page counts from 0. It is nil if the document has no pages.
	Page *int
	// PageLabel is the printed page number, or "".
	PageLabel string
	// Start is the byte offset in the extracted text of the document.
	Start int
	// End is the exclusive byte offset in that text.
	End int
	// Tokens is the length in tokens of the built-in vocabulary.
	Tokens int
}

// Heading returns the heading path as one line.
func (c Chunk) Heading() string { return strings.Join(c.Headings, HeadingSeparator) }

// HeadingLine returns the title and the heading path as one line. Embeddings and
// indexes include it above a chunk's text.
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

// Dated reports whether the document or its source states its date. The time of a file says little: copying often
// changes it.
func (d *Document) Dated() bool { return !d.Date.IsZero() && d.DateFrom != FileTime }
