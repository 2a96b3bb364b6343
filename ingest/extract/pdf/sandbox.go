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
	// readMemory is for reading a whole PDF. Real PDFs need 17 to 50 MiB. A
	// page that needs more than this limit is skipped.
	readMemory = 144 << 20
	// drawMemory is for displaying one page. The largest image of a page takes
	// 32 MiB, and so does half-transparent content.
	drawMemory = 128 << 20
)

// Reader runs the PDF library in sandboxes without files or a clock and with
// bounded memory. Separate sandboxes read documents and draw pages. They share
// the compiled code of the library.
type Reader struct {
	library          *pdfium.Library
	timeout          time.Duration // for reading one document
	pageTimeout      time.Duration
	reading, drawing *sandboxes
}

// Config configures a Reader.
type Config struct {
	// CacheDir keeps the compiled code of the library between processes. With
	// "", each process that reads a PDF compiles it, which takes about two
	// seconds.
	CacheDir string
	// Readers is the number of PDFs that are read at the same time; default 2.
	Readers int
	// Timeout bounds reading one PDF; default 3 minutes.
	Timeout time.Duration
	// PageTimeout bounds drawing or reading one page. Default 1 minute, because a
	// scanned color page takes several seconds, and the machine may be busy.
	PageTimeout time.Duration
	// Uninterrupted makes reading 2.5 times as fast, but timeouts and contexts then
	// only take effect between pages. Set it in a process whose parent kills it
	// when a PDF takes too long. Default false.
	Uninterrupted bool
}

// New returns a reader. The reader starts the library for the first PDF. Close
// the reader when done.
func New(cfg Config) (*Reader, error) {
	if cfg.Readers < 0 || cfg.Timeout < 0 || cfg.PageTimeout < 0 {
		return nil, errors.New("pdf: Readers, Timeout and PageTimeout must not be negative")
	}
	library := pdfium.New(cfg.CacheDir, !cfg.Uninterrupted)
	return &Reader{
		library: library, timeout: cmp.Or(cfg.Timeout, 3*time.Minute), pageTimeout: cmp.Or(cfg.PageTimeout, time.Minute),
		reading: &sandboxes{library: library, memory: readMemory, tokens: make(chan struct{}, cmp.Or(cfg.Readers, 2))},
		drawing: &sandboxes{library: library, memory: drawMemory, tokens: make(chan struct{}, PageDrawers)},
	}, nil
}

// Prepare compiles the PDF library, which takes some seconds of processor time.
// The compiled code stays in CacheDir. Without Prepare, the first PDF compiles
// it.
func (r *Reader) Prepare(ctx context.Context) error {
	return r.library.Prepare(ctx)
}

// Close frees the resources of the reader. No call may be running.
func (r *Reader) Close(ctx context.Context) error {
	return r.library.Close(ctx)
}

// sandboxes bounds the number of sandboxes that work at once.
type sandboxes struct {
	library *pdfium.Library
	memory  int           // memory of a sandbox in bytes, besides its copy of the PDF
	tokens  chan struct{} // one token for each working sandbox
}

// work is a function that works on an open PDF.
type work func(ctx context.Context, doc *pdfium.Document) error

// inside takes a token and calls do with a time limit.
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

// open opens a PDF in its own sandbox and calls do with it.
func (s *sandboxes) open(ctx context.Context, data []byte, do work) error {
	sandbox, err := s.library.Start(ctx, min(s.memory+min(len(data), pdfium.MaxCopied), pdfium.MaxMemory))
	if err != nil {
		return err
	}
	// The sandbox is always discarded, because it may be in any state.
	defer func() { _ = sandbox.Close(ctx) }()
	doc, err := pdfium.Open(ctx, sandbox, data)
	if err != nil {
		return openFault(err)
	}
	return do(ctx, doc)
}

// openFault returns the error for a PDF that cannot be opened.
func openFault(err error) error {
	switch {
	case errors.Is(err, pdfium.ErrPassword):
		return fault.Wrap(fault.Invalid, err,
			"document_encrypted", "encrypted: it needs a password; remove the password and add it again")
	case errors.Is(err, pdfium.ErrSecurity):
		return fault.Wrap(fault.Invalid, err,
			"encryption_unsupported", "encrypted: this encryption is not supported; remove it and add the document again")
	default:
		return fault.Wrap(fault.Invalid, err, "pdf_damaged", "damaged: the PDF cannot be opened, or a part of it is missing; add an undamaged copy")
	}
}
