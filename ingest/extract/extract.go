// Package extract reads the text of a source with its structure. What a source
// is, is decided by its content; its name only helps where content cannot tell,
// as between kinds of plain text.
package extract

import (
	"context"
	"fmt"
	"strings"

	"docent/ingest/extract/pdf"
	"docent/ingest/extract/picture"
	"docent/ingest/extract/plain"
	"docent/ingest/intake"
	"docent/ingest/outline"
	"docent/internal/fault"
)

// Config sets what extraction may use.
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

// Prepare makes the PDF reader ready, which takes some seconds of processor time
// once for a CacheDir. The first PDF does it otherwise.
func (e *Extractor) Prepare(ctx context.Context) error { return e.pdf.Prepare(ctx) }

// Close frees what the extractor holds. Nothing may be being read.
func (e *Extractor) Close(ctx context.Context) error { return e.pdf.Close(ctx) }

// ReadPage reads where the letters of a page are, of a PDF or of a picture, which
// has one page and no letters. A page that does not exist is fault.NotFound, a
// document that cannot be read is fault.Invalid.
func (e *Extractor) ReadPage(ctx context.Context, data []byte, index int) (*pdf.Page, error) {
	if picture.Media(data) != "" {
		return picture.Page(data, index)
	}
	return e.pdf.ReadPage(ctx, data, index)
}

// DrawPage draws a page of a PDF or a picture in a width as PNG and returns the number of pages.
func (e *Extractor) DrawPage(ctx context.Context, data []byte, index, width int) (drawn []byte, pages int, err error) {
	if picture.Media(data) != "" {
		drawn, err = picture.Draw(data, index, width)
		return drawn, 1, err
	}
	return e.pdf.DrawPage(ctx, data, index, width)
}

// Extract returns a source's text and its media type. An error of kind
// fault.Invalid says in one line why this source cannot be read; others have
// nothing to do with the source.
func (e *Extractor) Extract(ctx context.Context, src intake.Source) (doc *outline.Document, mediaType string, err error) {
	if err := ctx.Err(); err != nil {
		return nil, "", err
	}
	if src.Line != nil {
		doc, err := readLine(src.Line)
		return doc, "application/json", err
	}
	kind, err := e.detect(ctx, src)
	if err != nil {
		return nil, kind.Media, err
	}
	defer func() {
		// Parsers of foreign formats may panic on input made to hurt them; that
		// ends this source and nothing else.
		if p := recover(); p != nil {
			doc, err = nil, fault.Wrap(fault.Invalid, fmt.Errorf("extract %s: panic: %v", kind.Media, p),
				"reader_failed", "damaged: the reader of %s gave up", kind.Media)
		}
	}()
	doc, err = kind.read(ctx, src.Name, src.Data)
	if err != nil {
		return nil, kind.Media, err
	}
	if doc.Truncated || len(doc.Text) > outline.MaxText {
		return nil, kind.Media, fault.New(fault.Invalid, "text_too_large", "too large: its text is more than %d MiB", outline.MaxText>>20)
	}
	if strings.TrimSpace(doc.Text) == "" {
		return nil, kind.Media, errEmpty
	}
	if doc.Title == "" {
		doc.Title = outline.NameTitle(src.Name)
	}
	return doc, withCharset(kind.Media, doc.Charset), nil
}

// withCharset is a media type with the character set that was found.
func withCharset(media, charset string) string {
	if charset == "" {
		return media
	}
	return media + "; charset=" + charset
}

// readLine returns the document of a JSONL line.
func readLine(line *intake.Line) (*outline.Document, error) {
	if strings.TrimSpace(line.Text) == "" {
		return nil, errEmpty
	}
	doc := plain.Text("", line.Text)
	doc.Title = strings.Join(strings.Fields(outline.Clean(line.Title)), " ")
	return doc, nil
}

var errEmpty = fault.New(fault.Invalid, "document_empty", "empty: there is no text in it")
