// Package worker reads untrusted documents. A [Pool] reads them in worker
// processes without network access and with limits on memory and processor time.
// If a document crashes its reader, only that document fails. [Local] reads
// documents in the current process. Worker processes, tests, and small programs
// use it.
package worker

import (
	"context"
	"fmt"
	"runtime/debug"

	"docent/ingest/boilerplate"
	"docent/ingest/chunk"
	"docent/ingest/extract"
	"docent/ingest/extract/pdf"
	"docent/ingest/intake"
	"docent/internal/fault"
)

// Config configures a Local.
type Config struct {
	// Tokens counts the tokens of passages; default 4/3 of the words. Worker
	// processes count with the built-in vocabulary.
	Tokens func(text string) int
	// CacheDir keeps the compiled PDF reader; default none. Without it, each
	// process that reads a PDF spends two seconds on compiling.
	CacheDir string
	// Killed reports that another process kills this one when a document takes too
	// long. PDFs are then read faster but cannot be interrupted.
	Killed bool
}

// Local reads documents in this process. It is safe for concurrent use. Close it
// when done.
type Local struct {
	extract *extract.Extractor
	cutter  *chunk.Cutter
}

// NewLocal checks the configuration and returns a reader.
func NewLocal(cfg Config) (*Local, error) {
	ex, err := extract.New(extract.Config{CacheDir: cfg.CacheDir, Uninterrupted: cfg.Killed, Timeout: maxWall})
	if err != nil {
		return nil, err
	}
	return &Local{extract: ex, cutter: chunk.New(cfg.Tokens)}, nil
}

// Close frees the resources of the reader. No call may be running.
func (l *Local) Close(ctx context.Context) error { return l.extract.Close(ctx) }

// beforeRead is set by tests that break workers.
var beforeRead func(intake.Source) error

var errEmpty = fault.New(fault.Invalid, "document_empty", "empty: it contains no text")

// Read reads one document. If the document is unreadable, the error is
// fault.Invalid and gives the reason in one line. Reading.Media is set if the
// type is known. Other errors are not caused by the document.
func (l *Local) Read(ctx context.Context, src intake.Source) (r intake.Reading, err error) {
	defer recovered(&err)
	if beforeRead != nil {
		if err := beforeRead(src); err != nil {
			return intake.Reading{}, err
		}
	}
	doc, media, err := l.extract.Extract(ctx, src)
	if err != nil {
		return intake.Reading{Media: media}, err
	}
	doc = boilerplate.Drop(doc, src.Shared)
	chunks, omitted := l.cutter.Cut(doc)
	if omitted > 0 && doc.Note == "" {
		doc.Note = fmt.Sprintf("%.1f MiB of encoded data, such as base64, cannot be searched", float64(omitted)/(1<<20))
	}
	if len(chunks) == 0 {
		return intake.Reading{Media: media}, errEmpty
	}
	return intake.Reading{
		Title: doc.Title, Media: media, Language: language(doc), Date: doc.Date, DateFrom: doc.DateFrom, Version: doc.Version, Tags: doc.Tags,
		Note: doc.Note, Scanned: doc.Scanned, Text: doc.Text, Chunks: chunks,
	}, nil
}

// Edges returns the hashes of the first and last blocks of a document. They help
// to find the blocks that most documents of a folder share.
func (l *Local) Edges(ctx context.Context, src intake.Source) (edges []uint64, err error) {
	defer recovered(&err)
	doc, _, err := l.extract.Extract(ctx, src)
	if err != nil {
		return nil, err
	}
	return boilerplate.Edges(doc), nil
}

// MayHaveParts reports whether a source with this name and beginning may
// contain other documents.
func (l *Local) MayHaveParts(name string, head []byte) bool { return extract.MayHaveParts(name, head) }

// Version returns the version of the reader for a media type.
func (l *Local) Version(media string) int { return extract.Version(media) }

// Parts writes the documents inside a source to a file, one after the other.
// whole reports whether the source is itself a document too.
func (l *Local) Parts(ctx context.Context, src intake.Source, file string) (whole bool, parts []intake.Part, err error) {
	defer recovered(&err)
	f, err := createParts(file)
	if err != nil {
		return false, nil, err
	}
	defer f.close(&err)
	whole, found := l.extract.Parts(ctx, src)
	err = batches(found, f.write)
	return whole, f.parts, err
}

// ReadPage returns the positions of the letters on a page of a PDF or a
// picture. It fails with fault.NotFound if the page does not exist, and with
// fault.Invalid if the PDF cannot be read.
func (l *Local) ReadPage(ctx context.Context, src intake.Source, page int) (p *pdf.Page, err error) {
	defer recovered(&err)
	return l.extract.ReadPage(ctx, src.Data, page)
}

// DrawPage draws a page of a PDF or a picture as PNG, width pixels wide. It
// also returns the number of pages.
func (l *Local) DrawPage(ctx context.Context, src intake.Source, page, width int) (png []byte, pages int, err error) {
	defer recovered(&err)
	return l.extract.DrawPage(ctx, src.Data, page, width)
}

// panicError is a panic of a reader.
type panicError struct {
	value any
	stack []byte
}

// Is reports whether the target is intake.ErrBroken.
func (e *panicError) Is(target error) bool { return target == intake.ErrBroken }

// Error returns the value of the panic and the stack, for logs.
func (e *panicError) Error() string { return fmt.Sprintf("panic: %v\n%s", e.value, e.stack) }

// recovered turns a panic into an error of the document.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = fault.Wrap(fault.Invalid, &panicError{p, debug.Stack()}, "worker_gave_up", "damaged: docent's reader gave up on it")
	}
}
