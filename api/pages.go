package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"docent/ingest/extract/pdf"
	"docent/ingest/intake"
	"docent/internal/fault"
	"docent/rag/corpus"
)

const (
	pdfType = "application/pdf"
	// maxDrawnBytes bounds a PDF that is sent to be drawn.
	maxDrawnBytes = 32 << 20
	// maxDrawing is how many PDFs are held in memory at once to show pages of: as
	// many as are worked on.
	maxDrawing = pdf.PageDrawers
	// maxDrawn is how many PDFs that are sent to be drawn are held in memory at
	// once, as they arrive and as they wait for their turn.
	maxDrawn = 4
)

// Pages shows documents page by page; pages count from 0.
type Pages interface {
	// Shows reports whether documents of a media type have pages to show.
	Shows(media string) bool
	// ReadPage reads where the letters of a page are.
	ReadPage(ctx context.Context, src intake.Source, page int) (*pdf.Page, error)
	// DrawPage draws a page as PNG and returns the number of pages.
	DrawPage(ctx context.Context, src intake.Source, page, width int) (png []byte, pages int, err error)
}

// PageView describes a page of a document, and where a part of the text is on it.
type PageView struct {
	// Page counts from 0.
	Page int `json:"page"`
	// Pages is how many there are.
	Pages int `json:"pages"`
	// Label is the page as printed; null if the file gives none.
	Label *string `json:"label" doc:"The printed page number. Null if the file has none."`
	// Width is in points.
	Width float64 `json:"width" doc:"In points, as displayed."`
	// Height is in points.
	Height float64 `json:"height" doc:"In points, as displayed."`
	// Marks lie over the part of the text.
	Marks []pdf.Mark `json:"marks" doc:"Rectangles over the text, one for each part of a line. They cover only the part on this page. Empty if the text is not on the page."`
}

type pageInput struct {
	ID    int64 `path:"id" minimum:"1"`
	Page  int   `path:"page" minimum:"0" doc:"Counts from 0."`
	Start int   `query:"start" minimum:"0" doc:"The byte offset of the marked part in the text of the document."`
	End   int   `query:"end" minimum:"0" doc:"The end of the marked part, exclusive. Without it, nothing is marked."`
}

type pageOutput struct{ Body PageView }

type pageImageInput struct {
	ID        int64  `path:"id" minimum:"1"`
	Page      int    `path:"page" minimum:"0" doc:"Counts from 0."`
	Width     int    `query:"width" minimum:"200" maximum:"2400" default:"1200" doc:"In pixels. Very long pages are smaller."`
	NoneMatch string `header:"If-None-Match"`
}

type drawInput struct {
	Page  int `query:"page" minimum:"0" doc:"Counts from 0."`
	Width int `query:"width" minimum:"200" maximum:"2400" default:"1200" doc:"In pixels. Very long pages are smaller."`
	r     *http.Request
	w     http.ResponseWriter
}

// Resolve takes the request itself, so that the body is not read before its turn.
func (in *drawInput) Resolve(hc huma.Context) []error {
	in.r, in.w = humago.Unwrap(hc)
	return nil
}

func (s *server) pageRoutes() {
	const draw = "/api/pages"
	busy := []int{http.StatusNotFound, http.StatusTooManyRequests}
	picture := func(headers map[string]*huma.Param) map[string]*huma.Response {
		headers["Docent-Pages"] = &huma.Param{Schema: &huma.Schema{Type: "integer"}, Description: "How many pages the PDF has."}
		return map[string]*huma.Response{"200": {Description: "OK", Headers: headers, Content: map[string]*huma.MediaType{
			"image/png": {Schema: &huma.Schema{Type: "string", Format: "binary"}},
		}}}
	}
	register(s, huma.Operation{
		Method: http.MethodGet, Path: "/api/documents/{id}/pages/{page}", OperationID: "get-document-page", Tags: []string{"documents"}, Errors: busy,
		Summary: "Get the size of a page, and the position of a text on it", Description: "Some formats have no pages.",
	}, s.page)
	images := picture(map[string]*huma.Param{"ETag": {Schema: &huma.Schema{Type: "string"}, Description: "Changes with the document's content."}})
	images["304"] = &huma.Response{Description: "It is still what If-None-Match names"}
	register(s, huma.Operation{
		Method: http.MethodGet, Path: "/api/documents/{id}/pages/{page}/image", OperationID: "get-document-page-image", Tags: []string{"documents"}, Errors: busy,
		Summary: "Get an image of a page", Description: "The image shows the page as printed, with its rotation, crop box, and annotations, on white.", Responses: images,
	}, s.pageImage)
	register(s, huma.Operation{
		Method: http.MethodPost, Path: draw, OperationID: "draw-page", Tags: []string{"documents"},
		Summary:       "Draw a page of a PDF file from a conversation",
		Description:   fmt.Sprintf("The file has at most %s. docent does not store it.", size(maxDrawnBytes)),
		Errors:        append(busy, http.StatusRequestTimeout, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType),
		Responses:     picture(map[string]*huma.Param{}),
		DefaultStatus: http.StatusOK,
	}, s.draw)
	// Told afterwards: huma would read a body that it knows of by itself.
	s.api.OpenAPI().Paths[draw].Post.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
		pdfType: {Schema: &huma.Schema{Type: "string", Format: "binary"}},
	}}
}

// paged returns a document that has pages, without its text.
func (s *server) paged(ctx context.Context, id int64) (corpus.Document, error) {
	d, err := s.metadata(ctx, id)
	if err != nil {
		return d, err
	}
	if s.cfg.Pages == nil || !s.cfg.Pages.Shows(d.MediaType) {
		return d, fault.New(fault.NotFound, "document_pages_unsupported", "document %d has no pages that this server can show", id)
	}
	return d, nil
}

// startDrawing waits for its turn to hold a PDF in memory; done ends it.
func (s *server) startDrawing(ctx context.Context) (done func(), err error) {
	return patiently(ctx, s.drawing)
}

// patiently waits for a slot for as long as a reader may be left waiting.
func patiently(ctx context.Context, s *slots) (done func(), err error) {
	patience := time.NewTimer(readPatience)
	defer patience.Stop()
	return s.take(ctx, patience.C)
}

func (s *server) page(ctx context.Context, in *pageInput) (*pageOutput, error) {
	d, err := s.paged(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	marked := in.Start != 0 || in.End != 0
	if marked && in.Start >= in.End {
		return nil, fault.New(fault.Invalid, "text_range_empty", "the part of the text from %d to %d is empty", in.Start, in.End)
	}
	key := keptPage{hash: d.SHA256, index: in.Page}
	kept, found := s.kept.get(key)
	out := func(p *pdf.Page, marks []pdf.Mark) *pageOutput {
		return &pageOutput{PageView{Page: p.Index, Pages: p.Pages, Label: label(p.Label), Width: points(p.Width), Height: points(p.Height), Marks: marks}}
	}
	if found && !marked {
		return out(kept.read, []pdf.Mark{}), nil
	}
	done, err := s.startDrawing(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	var passage pdf.Passage
	if marked {
		if passage, err = s.passage(ctx, in); err != nil {
			return nil, err
		}
	}
	if !found {
		kept, err = s.fromOriginal(ctx, d, key, func(pdf []byte) (drawnPage, error) {
			read, err := s.cfg.Pages.ReadPage(ctx, original(d, pdf), in.Page)
			return drawnPage{read: read}, err
		})
		if err != nil {
			return nil, err
		}
	}
	marks := []pdf.Mark{}
	if marked {
		marks = kept.read.Marks(passage)
	}
	return out(kept.read, marks), nil
}

// points are rounded to what matters.
func points(v float64) float64 { return math.Round(v*100) / 100 }

// passage is the part of a document's text that is to be marked.
func (s *server) passage(ctx context.Context, in *pageInput) (pdf.Passage, error) {
	d, err := s.cfg.Library.Document(ctx, in.ID)
	if err != nil {
		return pdf.Passage{}, err
	}
	if in.End > len(d.Text) {
		return pdf.Passage{}, fault.New(fault.Invalid, "text_range_beyond_end", "the text ends at byte %d, before %d", len(d.Text), in.End)
	}
	whole := func(at int) bool { return at == len(d.Text) || utf8.RuneStart(d.Text[at]) }
	if !whole(in.Start) || !whole(in.End) {
		return pdf.Passage{}, fault.New(fault.Invalid,
			"text_range_cuts_character", "the part of the text from %d to %d cuts a character", in.Start, in.End)
	}
	return pdf.PassageIn(d.Text, in.Start, in.End), nil
}

// fromOriginal works on a document's bytes and keeps what is made of them.
func (s *server) fromOriginal(ctx context.Context, d corpus.Document, key keptPage, work func(pdf []byte) (drawnPage, error)) (drawnPage, error) {
	if kept, found := s.kept.get(key); found { // it came while this waited
		return kept, nil
	}
	original, err := s.cfg.Library.Original(ctx, d.ID)
	if err != nil {
		return drawnPage{}, err
	}
	pdf, err := io.ReadAll(original)
	if err = errors.Join(err, original.Close()); err != nil {
		return drawnPage{}, fmt.Errorf("read the original of document %d: %w", d.ID, err)
	}
	made, err := work(pdf)
	if err != nil {
		if fault.KindOf(err) == fault.Invalid {
			err = fault.Wrap(fault.NotFound, err,
				"document_without_pages", "document %d has no pages to show: %s", d.ID, fault.TextOf(err))
		}
		return drawnPage{}, err
	}
	if hash(pdf) == key.hash { // it was not replaced meanwhile
		s.kept.put(key, made)
	}
	return made, nil
}

// original is a document as it was read.
func original(d corpus.Document, data []byte) intake.Source {
	return intake.Source{Name: d.Source, Media: d.MediaType, Data: data}
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func (s *server) pageImage(ctx context.Context, in *pageImageInput) (*huma.StreamResponse, error) {
	d, err := s.paged(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	etag := fmt.Sprintf(`"%s-%d-%d"`, d.SHA256, in.Page, in.Width)
	if matches(in.NoneMatch, etag) { // who has this one was sent it, so there is the page
		return &huma.StreamResponse{Body: func(hc huma.Context) {
			_, w := humago.Unwrap(hc)
			pictureHeader(w.Header(), etag)
			w.WriteHeader(http.StatusNotModified)
		}}, nil
	}
	key := keptPage{d.SHA256, in.Page, in.Width}
	kept, found := s.kept.get(key)
	if !found {
		done, err := s.startDrawing(ctx)
		if err != nil {
			return nil, err
		}
		defer done()
		kept, err = s.fromOriginal(ctx, d, key, func(pdf []byte) (drawnPage, error) {
			png, pages, err := s.cfg.Pages.DrawPage(ctx, original(d, pdf), in.Page, in.Width)
			return drawnPage{png: png, pages: pages}, err
		})
		if err != nil {
			return nil, err
		}
	}
	return s.sendPicture(ctx, kept, etag), nil
}

// matches reports whether an If-None-Match names a tag. It takes no "*", as it
// does not know whether there is the page.
func matches(header, etag string) bool {
	for tag := range strings.SplitSeq(header, ",") {
		if strings.TrimPrefix(strings.TrimSpace(tag), "W/") == etag {
			return true
		}
	}
	return false
}

// pictureHeader says how a page may be kept: by its reader alone, who has to ask
// each time whether it may still be seen.
func pictureHeader(h http.Header, etag string) {
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	if etag != "" {
		h.Set("ETag", etag)
		h.Set("Cache-Control", "private, no-cache")
	}
}

// sendPicture sends a page that was drawn.
func (s *server) sendPicture(ctx context.Context, page drawnPage, etag string) *huma.StreamResponse {
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		_, w := humago.Unwrap(hc)
		h := w.Header()
		pictureHeader(h, etag)
		h.Set("Content-Type", "image/png")
		h.Set("Content-Length", strconv.Itoa(len(page.png)))
		h.Set("Docent-Pages", strconv.Itoa(page.pages))
		s.send(ctx, hc, copied(bytes.NewReader(page.png)))
	}}
}

// draw draws a page of a PDF that comes with the request.
func (s *server) draw(ctx context.Context, in *drawInput) (*huma.StreamResponse, error) {
	if s.cfg.Pages == nil {
		return nil, fault.New(fault.NotFound, "page_images_off", "this server does not draw pages")
	}
	if kind, _, err := mime.ParseMediaType(in.r.Header.Get("Content-Type")); err != nil || kind != pdfType {
		return nil, &Error{
			status: http.StatusUnsupportedMediaType, Code: fault.Invalid,
			Text: fault.NewText("pdf_needed", "send a PDF as %s", pdfType),
		}
	}
	// It may come slowly, so others whose pages are drawn do not wait for it; and
	// it may have to wait, so uploads do not wait for that.
	gone, err := patiently(ctx, s.drawn)
	if err != nil {
		return nil, err
	}
	defer gone()
	pdf, err := s.drawnBody(ctx, in)
	if err != nil {
		return nil, err
	}
	key := keptPage{hash(pdf), in.Page, in.Width}
	kept, found := s.kept.get(key)
	if !found {
		done, err := s.startDrawing(ctx)
		if err != nil {
			return nil, err
		}
		defer done()
		if kept.png, kept.pages, err = s.cfg.Pages.DrawPage(ctx, intake.Source{Media: pdfType, Data: pdf}, in.Page, in.Width); err != nil {
			return nil, err
		}
		s.kept.put(key, kept)
	}
	return s.sendPicture(ctx, kept, ""), nil
}

// drawnBody reads the PDF of a request.
func (s *server) drawnBody(ctx context.Context, in *drawInput) ([]byte, error) {
	if in.r.ContentLength > maxDrawnBytes {
		return nil, s.tooLarge(fault.NewText("the_pdf", "the PDF"), maxDrawnBytes)
	}
	body := http.MaxBytesReader(in.w, in.r.Body, maxDrawnBytes)
	var pdf bytes.Buffer
	pdf.Grow(int(max(in.r.ContentLength, 0)) + bytes.MinRead) // so that it need not be copied
	_, err := pdf.ReadFrom(&patient{rc: http.NewResponseController(in.w), stall: s.cfg.StallTimeout, read: body.Read})
	var limit *http.MaxBytesError
	switch {
	case err == nil:
		return pdf.Bytes(), nil
	case errors.As(err, &limit):
		return nil, s.tooLarge(fault.NewText("the_pdf", "the PDF"), maxDrawnBytes)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, &Error{
			status: http.StatusRequestTimeout, Code: fault.Invalid,
			Text: fault.NewText("pdf_stalled", "no more of the PDF arrived; send it again"),
		}
	case ctx.Err() != nil:
		return nil, ctx.Err()
	default:
		return nil, fault.Wrap(fault.Invalid, err, "pdf_cut_off", "the PDF breaks off")
	}
}
