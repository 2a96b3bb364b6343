package pdf

import (
	"cmp"
	"context"
	"errors"
	"time"

	"docent/ingest/extract/pdf/pdfium"
	"docent/internal/fault"
)

// The memory of one sandbox, in bytes.
const (
	// readMemory is for a whole PDF that is ingested. Real ones take 17 to 50 MiB,
	// and a page that takes more than this is given up.
	readMemory = 144 << 20
	// drawMemory is for a page that is shown, which anybody may ask for.
	// The largest image of one takes 32, as does what is half transparent on it.
	drawMemory = 128 << 20
)

// Reader runs the PDF library in sandboxes: no files, no clock, bounded
// memory. Those that read documents and those that show pages are apart, and
// share the library's compiled code.
type Reader struct {
	library          *pdfium.Library
	timeout          time.Duration // of reading a document
	pageTimeout      time.Duration
	reading, drawing *sandboxes
}

// Config sets what reading PDFs may use.
type Config struct {
	// CacheDir keeps the library's compiled code between processes; "" compiles
	// it anew in each process that meets a PDF, which takes about two seconds.
	CacheDir string
	// Readers is how many PDFs are read at once; default 2.
	Readers int
	// Timeout bounds reading one PDF; default 3 minutes.
	Timeout time.Duration
	// PageTimeout bounds drawing or reading one page; default 20 seconds, as a
	// scanned page in color takes some.
	PageTimeout time.Duration
	// Uninterrupted is for a process that its parent kills when a PDF takes too
	// long. Timeouts and contexts then end a PDF only between its pages, and
	// reading is 2.5 times as fast. Default false.
	Uninterrupted bool
}

// New returns a reader. It starts nothing until the first PDF. Close it when done.
func New(cfg Config) (*Reader, error) {
	if cfg.Readers < 0 || cfg.Timeout < 0 || cfg.PageTimeout < 0 {
		return nil, errors.New("pdf: Readers, Timeout and PageTimeout must not be negative")
	}
	library := pdfium.New(cfg.CacheDir, !cfg.Uninterrupted)
	return &Reader{
		library: library, timeout: cmp.Or(cfg.Timeout, 3*time.Minute), pageTimeout: cmp.Or(cfg.PageTimeout, 20*time.Second),
		reading: &sandboxes{library: library, memory: readMemory, tokens: make(chan struct{}, cmp.Or(cfg.Readers, 2))},
		drawing: &sandboxes{library: library, memory: drawMemory, tokens: make(chan struct{}, PageDrawers)},
	}, nil
}

// Prepare makes the PDF library ready, which takes some seconds of processor time
// once for a CacheDir. The first PDF does it otherwise.
func (r *Reader) Prepare(ctx context.Context) error {
	return r.library.Prepare(ctx)
}

// Close frees what the reader holds. Nothing may be being read.
func (r *Reader) Close(ctx context.Context) error {
	return r.library.Close(ctx)
}

// sandboxes bound how many sandboxes work at once.
type sandboxes struct {
	library *pdfium.Library
	memory  int           // of one, in bytes, beside its copy of the PDF
	tokens  chan struct{} // one for each that works
}

// work is done on a PDF that is open in a sandbox.
type work func(ctx context.Context, doc *pdfium.Document) error

// inside gets one of the tokens and calls do, within a time limit.
func (s *sandboxes) inside(ctx context.Context, limit time.Duration, do func(ctx context.Context) error) error {
	select {
	case s.tokens <- struct{}{}:
		defer func() { <-s.tokens }()
	case <-ctx.Done():
		return ctx.Err()
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := do(limited)
	if err == nil || limited.Err() == nil {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fault.New(fault.Invalid, "reading_slow", "it takes longer than %s to read", limit)
}

// open opens a PDF in a sandbox of its own and works on it.
func (s *sandboxes) open(ctx context.Context, data []byte, do work) error {
	sandbox, err := s.library.Start(ctx, min(s.memory+min(len(data), pdfium.MaxCopied), pdfium.MaxMemory))
	if err != nil {
		return err
	}
	// It is thrown away in any case, as it may have been left in any state.
	defer func() { _ = sandbox.Close(ctx) }()
	doc, err := pdfium.Open(ctx, sandbox, data)
	if err != nil {
		return openFault(err)
	}
	return do(ctx, doc)
}

// openFault says why a PDF cannot be opened.
func openFault(err error) error {
	switch {
	case errors.Is(err, pdfium.ErrPassword):
		return fault.Wrap(fault.Invalid, err,
			"document_encrypted", "encrypted: it opens only with a password; remove the password and add it again")
	case errors.Is(err, pdfium.ErrSecurity):
		return fault.Wrap(fault.Invalid, err,
			"encryption_unsupported", "encrypted: this encryption is not supported; remove it and add the document again")
	default:
		return fault.Wrap(fault.Invalid, err, "pdf_damaged", "damaged: it is not a PDF that can be opened, or only a part of one")
	}
}
