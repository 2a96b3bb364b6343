package pdf

import (
	"context"
	"time"

	"docent/ingest/extract/metadata"
	"docent/ingest/extract/pdf/pdfium"
	"docent/internal/fault"
)

const (
	// maxBookmarks bounds the entries that are read from an outline.
	maxBookmarks = 4096
	// maxBookmarkDepth bounds the levels of an outline.
	maxBookmarkDepth = 32
	// maxPDFPages bounds the pages that are read.
	maxPDFPages = 20000
	// maxPDFText bounds the text of all pages, because a compressed page may
	// unpack to far more than the file.
	maxPDFText = 64 << 20
	// maxPageChars bounds the characters of one page.
	maxPageChars = 2 << 20
	// maxRestarts is the number of pages that may break their sandbox before
	// the rest of the PDF is skipped.
	maxRestarts = 8
	// renewAt is the memory of a sandbox above which the next page gets a new
	// one. The library does not free the pages that it has read.
	renewAt = 96 << 20
)

// pdfFile is the content of a PDF.
type pdfFile struct {
	title     string
	date      time.Time
	pages     []rawPage
	labels    []string
	bookmarks []bookmark
	broken    int   // pages that could not be read
	nonsense  []int // pages whose fonts have a wrong character map
	size      int   // length of all text, in characters
	scratch   layoutScratch
}

// bookmark is an entry of a PDF's outline.
type bookmark struct {
	title string
	level int // from 1
	page  int
}

// read reads a PDF's text, pages and outline.
func (r *Reader) read(ctx context.Context, data []byte) (*pdfFile, error) {
	f := &pdfFile{}
	err := r.reading.inside(ctx, r.timeout, func(ctx context.Context) error {
		for next, restarts := 0, 0; ; {
			done, broke, err := r.readSome(ctx, data, f, next)
			if err != nil || done {
				return err
			}
			if next = len(f.pages); !broke {
				continue
			}
			if restarts++; restarts > maxRestarts {
				return nil
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

// readSome reads pages in one sandbox, starting at a page. done reports that
// the last page was read, and broke that a page broke the sandbox.
func (r *Reader) readSome(ctx context.Context, data []byte, f *pdfFile, from int) (done, broke bool, err error) {
	err = r.reading.open(ctx, data, func(ctx context.Context, doc *pdfium.Document) error {
		if doc.Pages > maxPDFPages {
			return fault.New(fault.Invalid, "too_many_pages", "too large: it has %d pages; the limit is %d", doc.Pages, maxPDFPages)
		}
		if from == 0 {
			f.title, _ = doc.Title(ctx) // a document that breaks the sandbox here has no pages
			changed, _ := doc.Info(ctx, "ModDate")
			created, _ := doc.Info(ctx, "CreationDate")
			f.date = metadata.FirstDate(changed, created)
			f.bookmarks = readBookmarks(ctx, doc)
			f.labels = make([]string, max(doc.Pages, 0))
		}
		for i := from; i < doc.Pages; i++ {
			if err := f.readPage(ctx, doc, i); err != nil {
				return err
			}
			broke = doc.Sandbox.Broken() != nil
			if done = i+1 == doc.Pages; broke || doc.Sandbox.Used() > renewAt+min(len(data), pdfium.MaxCopied) {
				return nil
			}
		}
		done = true
		return nil
	})
	return done, broke, err
}

// readPage adds a page. An unreadable page is empty and counts as broken.
func (f *pdfFile) readPage(ctx context.Context, doc *pdfium.Document, index int) error {
	page, err := readRaw(ctx, doc, index, &f.scratch)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		f.broken++
		page = rawPage{}
	}
	if f.size += page.size(); f.size > maxPDFText {
		return fault.New(fault.Invalid, "text_too_large", "too large: its text is more than %d MiB", maxPDFText>>20)
	}
	f.pages = append(f.pages, page)
	f.labels[index], _ = doc.Label(ctx, index) // a page that broke the sandbox has no label
	return nil
}

// readBookmarks reads the outline. It stops at an entry that it has read
// before.
func readBookmarks(ctx context.Context, doc *pdfium.Document) []bookmark {
	w := outlineWalk{doc: doc, seen: map[uint64]bool{}}
	w.below(ctx, 0, 1)
	return w.found
}

// outlineWalk is the state of reading an outline.
type outlineWalk struct {
	doc   *pdfium.Document
	seen  map[uint64]bool
	found []bookmark
}

// below reads the entries below a parent; 0 is the top.
func (w *outlineWalk) below(ctx context.Context, parent uint64, level int) {
	if level > maxBookmarkDepth {
		return
	}
	at, err := w.doc.FirstBookmark(ctx, parent)
	for err == nil && at != 0 && !w.seen[at] && len(w.found) < maxBookmarks {
		w.seen[at] = true
		var mark bookmark
		if mark.title, mark.page, err = w.doc.Bookmark(ctx, at); err != nil {
			return
		}
		mark.level = level
		w.found = append(w.found, mark)
		w.below(ctx, at, level+1)
		at, err = w.doc.NextBookmark(ctx, at)
	}
}
