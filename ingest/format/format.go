// Package format defines a document format: its description, its marks, and its reader.
// ingest/extract lists the formats that docent reads.
package format

import (
	"cmp"
	"context"
	"mime"
	"strings"

	"docent/ingest/extract/charset"
	"docent/ingest/outline"
)

// Format is a kind of document. Each reader exports one, and ingest/extract lists them.
type Format struct {
	Info
	// Match says how surely a file has this format. Default: nil, no file has it. The
	// ingester itself opens such files, for example archives.
	Match func(ctx context.Context, f *File) Match
	// Read returns the document in a file. An error of kind fault.Invalid gives the reason
	// why the file cannot be read. Default: nil, for formats that are converted or
	// opened first.
	Read Reader
}

// Match says how surely a file has a format.
type Match struct {
	// Score is the certainty. The format with the highest score reads the file, or
	// the first one in the list of formats if several have it.
	Score Score
	// Media is the media type of the file. Default: Info.Media.
	Media string
	// Err says why a file of this format cannot be read. Default: nil.
	Err error
}

// Score is the certainty that a file has a format.
type Score int

// The scores, in ascending order.
const (
	// No means that the file has another format.
	No Score = iota
	// Fallback is for a format that takes all files without a better one.
	Fallback
	// Guess means that the beginning looks like the format, and the name says nothing.
	Guess
	// Likely means that the name or the beginning is usual for the format.
	Likely
	// Named means that the name stands for one format only, or that the text has marks
	// that hardly occur in others.
	Named
	// Sure means that the content has the signature of the format.
	Sure
)

// If returns a match with a score if ok is true, and no match otherwise.
func If(ok bool, score Score) Match {
	if !ok {
		return Match{}
	}
	return Match{Score: score}
}

// Info describes a format.
type Info struct {
	// Name is the name of the format. Short is the name in lists of documents.
	// Default: Name. The lists of formats omit formats without a name.
	Name, Short string
	// Group is the heading in lists of formats.
	Group Group
	// Endings are the usual endings of file names, with their dots. The first
	// is the most common one.
	Endings []string
	// Media is the media type of documents in the format. The sign … at its end
	// stands for any text.
	Media string
	// Unit is the unit that the page numbers of a document count.
	Unit Unit
	// Packed reports that a file is a ZIP archive with the parts of one
	// document.
	Packed bool
	// NeverMail reports that a file with one of the endings is not mail, even if it begins like a message.
	NeverMail bool
	// Convert is the ending of the format into which LibreOffice converts a
	// document before it is read; "" for formats with a reader.
	Convert string
	// Version is the version of the reader. Raise it when the reader improves:
	// the next ingestion then reads the documents of this format again, and no
	// others. Default: 1.
	Version int
	// Reads describes the content that is read, Leaves the omitted content, and
	// Limits the limits besides those of all formats.
	Reads, Leaves, Limits string
}

// Unit is the unit that the page numbers of a document count.
type Unit string

// The units of page numbers.
const (
	Page  Unit = ""
	Slide Unit = "slide"
	Sheet Unit = "sheet"
	Image Unit = "image"
)

// Group is a heading in lists of formats.
type Group string

// The groups, in the order of lists.
const (
	Texts    Group = "text and data"
	Web      Group = "web"
	Office   Group = "office"
	Mail     Group = "mail"
	Books    Group = "books"
	Markup   Group = "markup"
	Pictures Group = "pictures"
	Archives Group = "archives"
)

// groups are all groups in the order of lists.
var groups = []Group{Texts, Web, Office, Mail, Books, Markup, Pictures, Archives}

// ShortName returns the name in lists of documents.
func (f Info) ShortName() string { return cmp.Or(f.Short, f.Name) }

// Archive reports whether files in the format contain files of any format.
func (f Info) Archive() bool { return f.Group == Archives }

// Base returns a media type without its parameters, in lower case.
func Base(media string) string {
	base, _, err := mime.ParseMediaType(media)
	if err != nil {
		base, _, _ = strings.Cut(strings.ToLower(media), ";")
		return strings.TrimSpace(base)
	}
	return base
}

// Reader returns the document in a file.
type Reader func(ctx context.Context, f *File) (*outline.Document, error)

// Bytes adapts a reader of bytes to Format.Read.
func Bytes(read func(ctx context.Context, name string, data []byte) (*outline.Document, error)) Reader {
	return func(ctx context.Context, f *File) (*outline.Document, error) { return read(ctx, f.Name, f.Data) }
}

// Text adapts a reader of decoded text to Format.Read.
func Text(read func(name, text string) *outline.Document) Reader {
	return func(_ context.Context, f *File) (*outline.Document, error) {
		text, set, err := charset.Decode(f.Data, "")
		if err != nil {
			return nil, err
		}
		doc := read(f.Name, text)
		doc.Charset = set
		return doc, nil
	}
}
