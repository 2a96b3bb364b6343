// Package extract reads the text of a source with its structure. What a source
// is, is decided by its content; its name only helps where content cannot tell,
// as between kinds of plain text.
package extract

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"docent/ingest/outline"
	"docent/internal/fault"
)

// Config sets what extraction may use.
type Config struct {
	// CacheDir keeps the compiled PDF reader between runs; "" compiles it anew
	// in each process that meets a PDF, which takes about two seconds.
	CacheDir string
	// Readers is how many PDFs are read at once; default 2.
	Readers int
	// Timeout bounds reading one PDF; default 3 minutes.
	Timeout time.Duration
	// PageTimeout bounds drawing or reading one page; default 20 seconds, as a
	// scanned page in colour takes some.
	PageTimeout time.Duration
}

// Extractor reads sources. It is safe for concurrent use. Close it when done.
type Extractor struct {
	pdf         *pdfReader
	pageTimeout time.Duration
}

// New returns an extractor.
func New(cfg Config) (*Extractor, error) {
	if cfg.Readers < 0 || cfg.Timeout < 0 || cfg.PageTimeout < 0 {
		return nil, errors.New("extract: Readers, Timeout and PageTimeout must not be negative")
	}
	readers, timeout := cmp.Or(cfg.Readers, 2), cmp.Or(cfg.Timeout, 3*time.Minute)
	return &Extractor{pdf: newPDFReader(cfg.CacheDir, readers, timeout), pageTimeout: cmp.Or(cfg.PageTimeout, 20*time.Second)}, nil
}

// Close frees what the extractor holds. Nothing may be being read.
func (e *Extractor) Close(ctx context.Context) error { return e.pdf.close(ctx) }

// Source is what is to be read.
type Source struct {
	// Name is the file's name or path.
	Name string
	// Data is the content.
	Data []byte
	// Record is the document, if Data is a line that was parsed already.
	Record *Record
}

// Extract returns a source's text and its media type. An error of kind
// fault.Invalid says in one line why this source cannot be read; others have
// nothing to do with the source.
func (e *Extractor) Extract(ctx context.Context, src Source) (doc *outline.Document, mediaType string, err error) {
	if err := ctx.Err(); err != nil {
		return nil, "", err
	}
	if src.Record != nil {
		doc, err := readRecord(src.Record)
		return doc, "application/json", err
	}
	kind, err := detect(src)
	if err != nil {
		return nil, kind.media, err
	}
	defer func() {
		// Parsers of foreign formats may panic on input made to hurt them; that
		// ends this source and nothing else.
		if p := recover(); p != nil {
			doc, err = nil, fault.Wrap(fault.Invalid, fmt.Errorf("extract %s: panic: %v", kind.media, p), "damaged: the reader of %s gave up", kind.media)
		}
	}()
	doc, err = kind.read(ctx, e, src)
	if err != nil {
		return nil, kind.media, err
	}
	if doc.Truncated || len(doc.Text) > outline.MaxText {
		return nil, kind.media, fault.New(fault.Invalid, "too large: its text is more than %d MiB", outline.MaxText>>20)
	}
	if strings.TrimSpace(doc.Text) == "" {
		return nil, kind.media, errEmpty
	}
	if doc.Title == "" {
		doc.Title = NameTitle(src.Name)
	}
	return doc, kind.media, nil
}

// NameTitle is the title of a source that has none of its own.
func NameTitle(name string) string {
	return path.Base(strings.ReplaceAll(name, "\\", "/"))
}

// readRecord is the document of a JSONL line.
func readRecord(rec *Record) (*outline.Document, error) {
	if strings.TrimSpace(rec.Text) == "" {
		return nil, errEmpty
	}
	doc := readPlain("", rec.Text)
	doc.Title = strings.Join(strings.Fields(outline.Clean(rec.Title)), " ")
	return doc, nil
}

var errEmpty = fault.New(fault.Invalid, "empty: there is no text in it")
