package pdf

import (
	"context"
	"errors"

	"github.com/klippa-app/go-pdfium"
	pdferrors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/responses"

	"docent/internal/fault"
)

const (
	// maxBookmarks bounds the outline read of a PDF; a damaged one may be a
	// circle.
	maxBookmarks = 4096
	// maxBookmarkDepth bounds its depth.
	maxBookmarkDepth = 32
	// maxPDFPages bounds the pages read.
	maxPDFPages = 20000
	// maxPDFText bounds the text of all pages; a packed page may unpack to much
	// more than the file.
	maxPDFText = 64 << 20
)

// pdfFile is what was read of a PDF.
type pdfFile struct {
	title     string
	pages     []string // the text of each page as the library gives it
	labels    []string
	bookmarks []bookmark
	broken    int // pages that could not be read
}

// bookmark is an entry of a PDF's outline.
type bookmark struct {
	title string
	level int // from 1
	page  int
}

// read reads a PDF's text, pages and outline.
func (r *Reader) read(ctx context.Context, data []byte) (*pdfFile, error) {
	var file *pdfFile
	err := r.reading.inside(ctx, data, r.timeout, func(ctx context.Context, p pdfium.Pdfium, doc references.FPDF_DOCUMENT, pages int) (err error) {
		file, err = readPages(ctx, p, doc, pages)
		return err
	})
	if err != nil {
		return nil, err
	}
	return file, nil
}

// readPages reads title, outline and pages.
func readPages(ctx context.Context, p pdfium.Pdfium, doc references.FPDF_DOCUMENT, pages int) (*pdfFile, error) {
	f := &pdfFile{}
	if meta, err := p.FPDF_GetMetaText(&requests.FPDF_GetMetaText{Document: doc, Tag: "Title"}); err == nil {
		f.title = meta.Value
	}
	if pages > maxPDFPages {
		return nil, fault.New(fault.Invalid, "too large: it has %d pages, the limit is %d", pages, maxPDFPages)
	}
	size := 0
	for i := range pages {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		page, err := p.GetPageText(&requests.GetPageText{Page: requests.Page{ByIndex: &requests.PageByIndex{Document: doc, Index: i}}})
		text := ""
		if err != nil {
			f.broken++
		} else {
			text = page.Text
		}
		if size += len(text); size > maxPDFText {
			return nil, fault.New(fault.Invalid, "too large: its text is more than %d MiB", maxPDFText>>20)
		}
		label := ""
		if l, err := p.FPDF_GetPageLabel(&requests.FPDF_GetPageLabel{Document: doc, Page: i}); err == nil {
			label = l.Label
		}
		f.pages, f.labels = append(f.pages, text), append(f.labels, label)
	}
	// The library follows an outline that is a circle without end, so it is
	// counted first.
	if n := countBookmarks(ctx, p, doc, nil, 0, 1); n > 0 && n <= maxBookmarks {
		if outline, err := p.GetBookmarks(&requests.GetBookmarks{Document: doc}); err == nil {
			f.addBookmarks(outline.Bookmarks, 1)
		}
	}
	return f, ctx.Err()
}

// countBookmarks adds the outline's entries below a parent, or all, to n. It is
// over maxBookmarks if they are that many or cannot be followed.
func countBookmarks(ctx context.Context, p pdfium.Pdfium, doc references.FPDF_DOCUMENT, parent *references.FPDF_BOOKMARK, n, level int) int {
	first, err := p.FPDFBookmark_GetFirstChild(&requests.FPDFBookmark_GetFirstChild{Document: doc, Bookmark: parent})
	if err != nil || level > maxBookmarkDepth {
		return maxBookmarks + 1
	}
	for at := first.Bookmark; at != nil; {
		if n = countBookmarks(ctx, p, doc, at, n+1, level+1); n > maxBookmarks || ctx.Err() != nil {
			return maxBookmarks + 1
		}
		next, err := p.FPDFBookmark_GetNextSibling(&requests.FPDFBookmark_GetNextSibling{Document: doc, Bookmark: *at})
		if err != nil {
			return maxBookmarks + 1
		}
		at = next.Bookmark
	}
	return n
}

// addBookmarks notes entries of the outline and those below them.
func (f *pdfFile) addBookmarks(entries []responses.GetBookmarksBookmark, level int) {
	for _, e := range entries {
		page := -1
		if e.DestInfo != nil {
			page = e.DestInfo.PageIndex
		}
		f.bookmarks = append(f.bookmarks, bookmark{e.Title, level, page})
		f.addBookmarks(e.Children, level+1)
	}
}

// pdfFault says why a PDF cannot be opened.
func pdfFault(err error) error {
	switch {
	case errors.Is(err, pdferrors.ErrPassword):
		return fault.Wrap(fault.Invalid, err, "encrypted: it opens only with a password")
	case errors.Is(err, pdferrors.ErrSecurity):
		return fault.Wrap(fault.Invalid, err, "encrypted: in a way that is not supported")
	default:
		return fault.Wrap(fault.Invalid, err, "damaged: it is not a PDF that can be opened, or only a part of one")
	}
}
