package extract

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"sync"
	"time"
	"unsafe"

	"github.com/klippa-app/go-pdfium"
	pdferrors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/responses"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"

	"docent/internal/fault"
)

const (
	// pdfMemoryPages bounds the memory of one PDF reader, in pages of 64 KiB:
	// 512 MiB.
	pdfMemoryPages = 8 << 10
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

// pdfReader runs the PDF library in its sandbox: no files, no clock, bounded
// memory. Compiling it is costly, so it is done once, with the first PDF.
type pdfReader struct {
	cacheDir string
	timeout  time.Duration
	reading  chan struct{} // a token for each PDF that is read
	drawing  chan struct{} // a token for each page that is drawn or read alone

	mu    sync.Mutex // guards pool and cache
	pool  pdfium.Pool
	cache wazero.CompilationCache
}

// start returns the pool of sandboxes.
func (r *pdfReader) start() (pdfium.Pool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.pool != nil {
		return r.pool, nil
	}
	cfg := wazero.NewRuntimeConfig().WithMemoryLimitPages(pdfMemoryPages).WithCloseOnContextDone(true)
	if r.cacheDir != "" {
		cache, err := wazero.NewCompilationCacheWithDir(r.cacheDir)
		if err != nil {
			return nil, fmt.Errorf("open the cache of compiled code in %s: %w", r.cacheDir, err)
		}
		r.cache = cache
		cfg = cfg.WithCompilationCache(cache)
	}
	pool, err := webassembly.Init(webassembly.Config{
		MaxTotal: cap(r.reading) + cap(r.drawing), FSConfig: wazero.NewFSConfig(), RuntimeConfig: cfg, Stdout: io.Discard, Stderr: io.Discard,
	})
	if err != nil {
		return nil, fmt.Errorf("start the PDF reader: %w", err)
	}
	r.pool = pool
	return pool, nil
}

// close frees the pool.
func (r *pdfReader) close(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var err error
	if r.pool != nil {
		err = r.pool.Close()
		r.pool = nil
	}
	if r.cache != nil {
		err = errors.Join(err, r.cache.Close(ctx))
		r.cache = nil
	}
	return err
}

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
func (r *pdfReader) read(ctx context.Context, data []byte) (*pdfFile, error) {
	var file *pdfFile
	err := r.inside(ctx, r.reading, data, r.timeout, func(ctx context.Context, p pdfium.Pdfium, doc references.FPDF_DOCUMENT, pages int) (err error) {
		file, err = readPages(ctx, p, doc, pages)
		return err
	})
	if err != nil {
		return nil, err
	}
	return file, nil
}

// pdfWork is done on a PDF that is open in a sandbox.
type pdfWork func(ctx context.Context, p pdfium.Pdfium, doc references.FPDF_DOCUMENT, pages int) error

// inside opens a PDF in a sandbox of its own and works on it when it gets one of
// the tokens. What takes too long is stopped, and the sandbox with it.
func (r *pdfReader) inside(ctx context.Context, tokens chan struct{}, data []byte, limit time.Duration, work pdfWork) error {
	select {
	case tokens <- struct{}{}:
		defer func() { <-tokens }()
	case <-ctx.Done():
		return ctx.Err()
	}
	pool, err := r.start()
	if err != nil {
		return err
	}
	instance, err := pool.GetInstanceWithContext(ctx)
	if err != nil {
		return fmt.Errorf("get a PDF reader: %w", err)
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- opened(limited, instance, data, work) }()
	select {
	case err := <-done:
		_ = instance.Close() // it is thrown away whatever it says
		return err
	case <-limited.Done():
		interrupt(instance)
		<-done
		_ = instance.Close()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fault.New(fault.Invalid, "it takes longer than %s to read", limit)
	}
}

// opened opens a PDF and works on it.
func opened(ctx context.Context, p pdfium.Pdfium, data []byte, work pdfWork) error {
	doc, err := p.OpenDocument(&requests.OpenDocument{File: &data})
	if err != nil {
		return pdfFault(err)
	}
	count, err := p.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: doc.Document})
	if err != nil {
		return pdfFault(err)
	}
	return work(ctx, p, doc.Document, count.PageCount)
}

// interrupt ends the call that a sandbox is in. The library's own way, Kill,
// races with that call, so the function it would call is taken from its worker;
// where a later version has none, the call is waited for.
func interrupt(instance pdfium.Pdfium) {
	v := reflect.ValueOf(instance)
	for _, field := range []string{"worker", "Cancel"} {
		if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
			return
		}
		if v = v.Elem().FieldByName(field); !v.IsValid() {
			return
		}
	}
	if !v.CanAddr() {
		return
	}
	if cancel, ok := reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem().Interface().(context.CancelFunc); ok && cancel != nil {
		cancel()
	}
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
