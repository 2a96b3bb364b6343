// Package intake holds the types that the ingester, the readers of documents,
// and the stores share. It reads and stores nothing itself.
package intake

import (
	"errors"
	"time"

	"docent/ingest/jsonl"
	"docent/internal/fault"
	"docent/rag/corpus"
)

// Source is a document to read.
type Source struct {
	// Name is the file's name or path.
	Name string
	// Data is the content.
	Data []byte
	// Line is the document, if Data is a line that was parsed already.
	Line *jsonl.Line
	// Media is the media type, if an earlier reading found it. It only helps to
	// show pages.
	Media string
	// Shared are the hashes of blocks that most documents of a folder share, in
	// ascending order; see package boilerplate. Readers omit these blocks.
	Shared []uint64
	// Recognized is the text that OCR found, by page index; nil if OCR did not run.
	Recognized map[int]string
}

// Reading is a document that was read.
type Reading struct {
	// Title is the title in the document, or its file name.
	Title string
	// Media is the media type, detected from the content. It may also be set for
	// unreadable documents.
	Media string
	// Language is an ISO 639-1 code; "" if it could not be detected.
	Language string
	// Date is when the document was written or last changed, as it states itself; zero if it does
	// not. DateFrom names the part of the document that states it.
	Date     time.Time
	DateFrom corpus.DateFrom
	// Version is the version that the title or the document's fields state; "" if they do not.
	Version string
	// Tags are the tags that the document states.
	Tags []string
	// Note describes missing content, such as unreadable characters; "" if
	// nothing is missing.
	Note string
	// Scanned are the pages, counted from 0, that are pictures without text.
	Scanned []int
	// Text is the extracted text.
	Text string
	// Chunks are in order, without ids and vectors.
	Chunks []corpus.Chunk
}

// Part is a document inside another one. The contents of all parts of a
// document are in one file.
type Part struct {
	// Name is the path inside the container.
	Name string
	// Offset is where the content begins in the file.
	Offset int64
	// Size is in bytes.
	Size int64
	// Modified is when the part was changed; zero if unknown.
	Modified time.Time
	// Reason says why the part cannot be read.
	Reason fault.Text
}

// ErrBroken is the cause of the error when a document makes its reader panic or
// exit. Callers log such errors.
var ErrBroken = errors.New("the reader broke")
