// Package extract detects the format of a source and reads its text with its
// structure. It detects the format from the content. It uses the name only where
// the content is ambiguous, for example between kinds of plain text.
package extract

import (
	"context"
	"fmt"
	"strings"

	"docent/ingest/extract/metadata"
	"docent/ingest/extract/pdf"
	"docent/ingest/extract/picture"
	"docent/ingest/extract/plain"
	"docent/ingest/format"
	"docent/ingest/intake"
	"docent/ingest/jsonl"
	"docent/ingest/outline"
	"docent/internal/fault"
)

// Config configures an Extractor.
type Config = pdf.Config

// Extractor reads documents. It is safe for concurrent use. Close it when done.
type Extractor struct{ pdf *pdf.Reader }

// New returns an extractor.
func New(cfg Config) (*Extractor, error) {
	reader, err := pdf.New(cfg)
	if err != nil {
		return nil, err
	}
	return &Extractor{pdf: reader}, nil
}

// Prepare compiles the PDF reader, which takes some seconds of processor time.
// The compiled code stays in CacheDir. Without Prepare, the first PDF compiles
// it.
func (e *Extractor) Prepare(ctx context.Context) error { return e.pdf.Prepare(ctx) }

// Close frees the resources of the extractor. No call may be running.
func (e *Extractor) Close(ctx context.Context) error { return e.pdf.Close(ctx) }

// ReadPage returns the positions of the letters on a page of a PDF or a
// picture. The pages of a picture have no letters. ReadPage fails with
// fault.NotFound if the page does not exist, and with fault.Invalid if the
// document cannot be read.
func (e *Extractor) ReadPage(ctx context.Context, data []byte, index int) (*pdf.Page, error) {
	if picture.Media(data) != "" {
		return picture.Page(data, index)
	}
	return e.pdf.ReadPage(ctx, data, index)
}

// DrawPage draws a page of a PDF or a picture as PNG, width pixels wide. It
// also returns the number of pages.
func (e *Extractor) DrawPage(ctx context.Context, data []byte, index, width int) (drawn []byte, pages int, err error) {
	if picture.Media(data) != "" {
		return picture.Draw(data, index, width)
	}
	return e.pdf.DrawPage(ctx, data, index, width)
}

// Extract returns the text of a source and its media type. If the source is
// unreadable, the error is fault.Invalid and gives the reason in one line. Other
// errors are not caused by the source.
func (e *Extractor) Extract(ctx context.Context, src intake.Source) (doc *outline.Document, mediaType string, err error) {
	if err := ctx.Err(); err != nil {
		return nil, "", err
	}
	if src.Line != nil {
		doc, err := readLine(src.Line)
		return doc, "application/json", err
	}
	read, media, err := e.detect(ctx, src)
	if err != nil {
		return nil, media, err
	}
	defer func() {
		// A hostile document may make a parser panic. Such a panic only fails
		// this source.
		if p := recover(); p != nil {
			doc, err = nil, fault.Wrap(fault.Invalid, fmt.Errorf("extract %s: panic: %v", media, p),
				"reader_failed", "damaged: docent failed to read %s", media)
		}
	}()
	f := &format.File{Name: src.Name, Data: src.Data, Recognized: src.Recognized}
	if doc, err = read(ctx, f); err != nil {
		return nil, media, err
	}
	setPackedDate(ctx, f, media, doc)
	if doc.Truncated || len(doc.Text) > outline.MaxText {
		return nil, media, fault.New(fault.Invalid, "text_too_large", "too large: its text is more than %d MiB", outline.MaxText>>20)
	}
	if strings.TrimSpace(doc.Text) == "" {
		return nil, media, errEmpty
	}
	if doc.Title == "" {
		doc.Title = outline.NameTitle(src.Name)
	}
	if doc.Version == "" {
		doc.Version = metadata.VersionIn(doc.Title)
	}
	return doc, withCharset(media, doc.Charset), nil
}

// withCharset adds a character set to a media type.
func withCharset(media, charset string) string {
	if charset == "" {
		return media
	}
	return media + "; charset=" + charset
}

// readLine returns the document of one JSONL line.
func readLine(line *jsonl.Line) (*outline.Document, error) {
	if strings.TrimSpace(line.Text) == "" {
		return nil, errEmpty
	}
	doc := plain.Text("", line.Text)
	doc.Title = strings.Join(strings.Fields(outline.Clean(line.Title)), " ")
	return doc, nil
}

var errEmpty = fault.New(fault.Invalid, "document_empty", "empty: it contains no text")
