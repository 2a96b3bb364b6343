package pages

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"docent/api/route"
	"docent/api/stall"
	"docent/ingest/intake"
	"docent/ingest/scratch"
	"docent/internal/fault"
)

// MaxSentBytes bounds a PDF in the body of a request.
const MaxSentBytes = 32 << 20

// image sends the image of a page of a document.
func (p *pages) image(ctx context.Context, in *imageInput) (*huma.StreamResponse, error) {
	d, err := p.document(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	etag := fmt.Sprintf(`"%s-%d-%d"`, d.SHA256, in.Page, in.Width)
	if matches(in.NoneMatch, etag) { // the client has the page, so it exists
		return &huma.StreamResponse{Body: func(hc huma.Context) {
			_, w := humago.Unwrap(hc)
			imageHeader(w.Header(), etag)
			w.WriteHeader(http.StatusNotModified)
		}}, nil
	}
	key := pageKey{hash: d.SHA256, index: in.Page, width: in.Width}
	kept, found, failed := p.cache.find(key)
	if failed != nil {
		return nil, withoutPages(d.ID, failed)
	}
	if !found {
		done, err := p.drawing.Take(ctx, patience)
		if err != nil {
			return nil, err
		}
		defer done()
		kept, err = p.fromOriginal(ctx, d, key, func(pdf []byte) (cachedPage, error) {
			png, pages, err := p.cfg.Drawer.DrawPage(ctx, original(d, pdf), in.Page, in.Width)
			return cachedPage{png: png, pages: pages}, err
		})
		if err != nil {
			return nil, err
		}
	}
	return p.send(ctx, kept, etag), nil
}

// matches reports whether an If-None-Match names a tag. It ignores "*", because it
// does not know whether the page exists.
func matches(header, etag string) bool {
	for tag := range strings.SplitSeq(header, ",") {
		if strings.TrimPrefix(strings.TrimSpace(tag), "W/") == etag {
			return true
		}
	}
	return false
}

// imageHeader lets only the browser of the user keep the image. The browser must
// ask each time whether the user may still see it.
func imageHeader(h http.Header, etag string) {
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	if etag != "" {
		h.Set("ETag", etag)
		h.Set("Cache-Control", "private, no-cache")
	}
}

// send sends the image of a page.
func (p *pages) send(ctx context.Context, page cachedPage, etag string) *huma.StreamResponse {
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		_, w := humago.Unwrap(hc)
		h := w.Header()
		imageHeader(h, etag)
		h.Set("Content-Type", "image/png")
		h.Set("Content-Length", strconv.Itoa(len(page.png)))
		h.Set("Docent-Pages", strconv.Itoa(page.pages))
		p.routes.Send(ctx, hc, route.Copy(bytes.NewReader(page.png)))
	}}
}

// draw draws a page of a PDF that comes with the request.
func (p *pages) draw(ctx context.Context, in *drawInput) (*huma.StreamResponse, error) {
	if p.cfg.Drawer == nil {
		return nil, fault.New(fault.NotFound, "page_images_off", "this server does not draw pages")
	}
	req, _ := in.HTTP()
	if kind, _, err := mime.ParseMediaType(req.Header.Get("Content-Type")); err != nil || kind != pdfType {
		return nil, route.NewError(http.StatusUnsupportedMediaType, fault.Invalid, fault.NewText("pdf_needed", "send a PDF as %s", pdfType))
	}
	arrived, err := p.receive(ctx, in)
	if err != nil {
		return nil, err
	}
	defer arrived.remove()
	release, err := p.sent.Take(ctx, patience)
	if err != nil {
		return nil, err
	}
	defer release()
	pdf, err := os.ReadFile(arrived.name)
	if err != nil {
		return nil, fmt.Errorf("read a PDF: %w", err)
	}
	key := pageKey{hash: hash(pdf), index: in.Page, width: in.Width}
	kept, found, err := p.cache.find(key)
	if err != nil {
		return nil, err
	}
	if !found {
		done, err := p.drawing.Take(ctx, patience)
		if err != nil {
			return nil, err
		}
		defer done()
		if kept.png, kept.pages, err = p.cfg.Drawer.DrawPage(ctx, intake.Source{Media: pdfType, Data: pdf}, in.Page, in.Width); err != nil {
			p.cache.fail(key, err)
			return nil, err
		}
		p.cache.put(key, kept)
	}
	return p.send(ctx, kept, ""), nil
}

// sentPDF is a PDF of a request in a temporary file.
type sentPDF struct {
	name   string
	remove func()
}

// receive writes the PDF of a request to a temporary file.
func (p *pages) receive(ctx context.Context, in *drawInput) (_ sentPDF, err error) {
	req, w := in.HTTP()
	if req.ContentLength > MaxSentBytes {
		return sentPDF{}, route.TooLarge(fault.NewText("the_pdf", "the PDF"), MaxSentBytes)
	}
	done, err := p.arriving.Take(ctx, patience)
	if err != nil {
		return sentPDF{}, err
	}
	defer done()
	folder, err := scratch.Make(scratch.Upload)
	if err != nil {
		return sentPDF{}, err //nolint:wrapcheck // the error is complete
	}
	arrived := sentPDF{filepath.Join(folder.Path, "page.pdf"), func() { _ = folder.Remove() }}
	defer func() {
		if err != nil {
			arrived.remove()
		}
	}()
	f, err := os.Create(arrived.name)
	if err != nil {
		return sentPDF{}, fmt.Errorf("store a PDF: %w", err)
	}
	body := http.MaxBytesReader(w, req.Body, MaxSentBytes)
	_, err = io.Copy(f, stall.NewReader(w, body, p.cfg.StallTimeout))
	if err != nil {
		err = cutOff(ctx, err)
	}
	return arrived, errors.Join(err, f.Close())
}

// cutOff is the error of a PDF that did not arrive.
func cutOff(ctx context.Context, err error) error {
	var limit *http.MaxBytesError
	var disk *fs.PathError
	switch {
	case errors.As(err, &disk):
		return fmt.Errorf("store a PDF: %w", err)
	case errors.As(err, &limit):
		return route.TooLarge(fault.NewText("the_pdf", "the PDF"), MaxSentBytes)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return route.NewError(http.StatusRequestTimeout, fault.Invalid,
			fault.NewText("pdf_stalled", "no more of the PDF arrived; send it again"))
	case ctx.Err() != nil:
		return ctx.Err()
	default:
		return fault.Wrap(fault.Invalid, err, "pdf_cut_off", "the end of the PDF is missing")
	}
}
