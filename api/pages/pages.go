// Package pages shows single pages of documents. It draws them as images and
// locates passages on them.
package pages

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"docent/api/route"
	"docent/api/slots"
	"docent/ingest/extract/pdf"
	"docent/ingest/intake"
	"docent/internal/fault"
	"docent/rag/corpus"
)

const (
	pdfType = "application/pdf"
	// maxDrawing bounds the PDFs that are in memory at once while their pages are
	// drawn or read.
	maxDrawing = pdf.PageDrawers
	// maxArriving bounds the PDFs from requests that are in temporary files at once,
	// until they have arrived.
	maxArriving = 64
	// maxSent bounds the PDFs from requests that are in memory at once, while they
	// wait to be drawn.
	maxSent = 4
	// patience bounds how long a request waits for its turn.
	patience = 10 * time.Second
)

// Drawer reads and draws pages, which count from 0.
type Drawer interface {
	// Shows reports whether documents of a media type have pages to show.
	Shows(media string) bool
	// ReadPage reads the positions of the letters on a page.
	ReadPage(ctx context.Context, src intake.Source, page int) (*pdf.Page, error)
	// DrawPage draws a page as PNG and returns the number of pages.
	DrawPage(ctx context.Context, src intake.Source, page, width int) (png []byte, pages int, err error)
}

// Library reads documents.
type Library interface {
	// Metadata returns a document without its text.
	Metadata(ctx context.Context, id int64) (corpus.Document, error)
	// Document returns a document with its text.
	Document(ctx context.Context, id int64) (corpus.Document, error)
	// Original opens the bytes of a document.
	Original(ctx context.Context, id int64) (io.ReadCloser, error)
}

// Config sets the routes up.
type Config struct {
	// Library reads documents. Required.
	Library Library
	// Drawer reads and draws pages. Default: nil, documents have no pages.
	Drawer Drawer
	// StallTimeout ends a request if no data arrives for this time. Required.
	StallTimeout time.Duration
}

// pages handles the routes.
type pages struct {
	cfg     Config
	routes  *route.Router
	cache   *cache
	drawing *slots.Slots // of PDFs whose pages are drawn or read
	// arriving and sent are the slots of PDFs that come with a request. A PDF that
	// arrives slowly takes none that others need for drawing.
	arriving, sent *slots.Slots
}

type pageInput struct {
	ID    int64 `path:"id" minimum:"1"`
	Page  int   `path:"page" minimum:"0" doc:"Counts from 0."`
	Start int   `query:"start" minimum:"0" doc:"The byte offset of the marked part in the text of the document."`
	End   int   `query:"end" minimum:"0" doc:"The end of the marked part, exclusive. Without it, nothing is marked."`
}

type imageInput struct {
	ID        int64  `path:"id" minimum:"1"`
	Page      int    `path:"page" minimum:"0" doc:"Counts from 0."`
	Width     int    `query:"width" minimum:"200" maximum:"2400" default:"1200" doc:"In pixels. Very long pages are smaller."`
	NoneMatch string `header:"If-None-Match"`
}

type drawInput struct {
	route.StreamedBody
	Page  int `query:"page" minimum:"0" doc:"Counts from 0."`
	Width int `query:"width" minimum:"200" maximum:"2400" default:"1200" doc:"In pixels. Very long pages are smaller."`
}

// AddRoutes adds the routes for pages.
func AddRoutes(r *route.Router, cfg Config) {
	full := fault.New(fault.Busy, "page_images_full", "docent is drawing as many pages as it can; try again in a moment")
	p := &pages{
		cfg: cfg, routes: r, cache: newCache(), drawing: slots.New(maxDrawing, full),
		arriving: slots.New(maxArriving, full), sent: slots.New(maxSent, full),
	}
	const draw = "/api/pages"
	busy := []int{http.StatusNotFound, http.StatusTooManyRequests}
	picture := func(headers map[string]*huma.Param) map[string]*huma.Response {
		headers["Docent-Pages"] = &huma.Param{Schema: &huma.Schema{Type: "integer"}, Description: "How many pages the PDF has."}
		return map[string]*huma.Response{"200": {Description: "OK", Headers: headers, Content: map[string]*huma.MediaType{
			"image/png": {Schema: &huma.Schema{Type: "string", Format: "binary"}},
		}}}
	}
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: "/api/documents/{id}/pages/{page}", OperationID: "get-document-page",
		Tags: []string{"documents"}, Errors: busy,
		Summary: "Get the size of a page, and the position of a text on it", Description: "Some formats have no pages.",
	}, p.page)
	images := picture(map[string]*huma.Param{
		"ETag": {Schema: &huma.Schema{Type: "string"}, Description: "Changes with the document's content."},
	})
	images["304"] = &huma.Response{Description: "It is still what If-None-Match names"}
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: "/api/documents/{id}/pages/{page}/image", OperationID: "get-document-page-image",
		Tags:        []string{"documents"},
		Summary:     "Get an image of a page",
		Description: "The image shows the page as printed, with its rotation, crop box, and annotations, on white.",
		Responses:   images, Errors: busy,
	}, p.image)
	route.Add(r, huma.Operation{
		Method: http.MethodPost, Path: draw, OperationID: "draw-page", Tags: []string{"documents"},
		Summary:       "Draw a page of a PDF file from a conversation",
		Description:   fmt.Sprintf("The file has at most %s. docent does not store it.", route.Size(MaxSentBytes)),
		Errors:        append(busy, http.StatusRequestTimeout, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType),
		Responses:     picture(map[string]*huma.Param{}),
		DefaultStatus: http.StatusOK,
	}, p.draw)
	// The body is described afterwards: huma reads described bodies into memory.
	r.OpenAPI().Paths[draw].Post.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
		pdfType: {Schema: &huma.Schema{Type: "string", Format: "binary"}},
	}}
}

// document returns a document that has pages, without its text.
func (p *pages) document(ctx context.Context, id int64) (corpus.Document, error) {
	d, err := p.cfg.Library.Metadata(ctx, id)
	if err != nil {
		return d, err
	}
	if p.cfg.Drawer == nil || !p.cfg.Drawer.Shows(d.MediaType) {
		return d, fault.New(fault.NotFound, "document_pages_unsupported", "document %d has no pages that this server can show", id)
	}
	return d, nil
}

// fromOriginal makes a page from the bytes of a document, and caches it.
func (p *pages) fromOriginal(
	ctx context.Context, d corpus.Document, key pageKey, work func(pdf []byte) (cachedPage, error),
) (cachedPage, error) {
	kept, found, failed := p.cache.find(key)
	if found { // another request made it while this one waited
		return kept, nil
	}
	if failed != nil {
		return cachedPage{}, withoutPages(d.ID, failed)
	}
	original, err := p.cfg.Library.Original(ctx, d.ID)
	if err != nil {
		return cachedPage{}, err
	}
	pdf, err := io.ReadAll(original)
	if err = errors.Join(err, original.Close()); err != nil {
		return cachedPage{}, fmt.Errorf("read the original of document %d: %w", d.ID, err)
	}
	made, err := work(pdf)
	if err != nil {
		if hash(pdf) == key.hash {
			p.cache.fail(key, err)
		}
		return cachedPage{}, withoutPages(d.ID, err)
	}
	if hash(pdf) == key.hash { // the document was not replaced meanwhile
		p.cache.put(key, made)
	}
	return made, nil
}

// withoutPages returns the error for a page that cannot be made.
func withoutPages(id int64, err error) error {
	if fault.KindOf(err) != fault.Invalid {
		return err
	}
	return fault.Wrap(fault.NotFound, err, "document_without_pages", "document %d has no pages to show: %s", id, fault.TextOf(err))
}

// original returns a document as the input of a Drawer.
func original(d corpus.Document, data []byte) intake.Source {
	return intake.Source{Name: d.Source, Media: d.MediaType, Data: data}
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
