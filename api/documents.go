package api

import (
	"context"
	"io"
	"mime"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"docent/internal/fault"
	"docent/rag"
)

// maxPage is the longest page of documents; it is rag.DocumentFilter's.
const maxPage = 1000

// Document is a document without its text.
type Document struct {
	// ID names it in this API.
	ID int64 `json:"id"`
	// Collection is the set it belongs to.
	Collection string `json:"collection"`
	// Source is where it came from.
	Source string `json:"source" doc:"An absolute path, a URL, upload:NAME or stdin:NAME."`
	// Title is what people call it.
	Title string `json:"title"`
	// MediaType was found in its content.
	MediaType string `json:"media_type"`
	// Language is an ISO 639-1 code, "" if it could not be told.
	Language string `json:"language"`
	// Size is the source's, in bytes.
	Size int64 `json:"size"`
	// SHA256 is the hash of the source's bytes, in hex.
	SHA256 string `json:"sha256"`
	// Status says whether it can be found.
	Status rag.Status `json:"status" enum:"ready,failed"`
	// Error says why it could not be read.
	Error string `json:"error,omitempty"`
	// Chunks counts its passages.
	Chunks int `json:"chunks"`
	// CreatedAt is when it was first stored.
	CreatedAt time.Time `json:"created_at"`
	// UpdatedAt is when it was last stored.
	UpdatedAt time.Time `json:"updated_at"`
}

func document(d rag.Document) Document {
	return Document{
		ID: d.ID, Collection: d.Collection, Source: d.Source, Title: d.Title, MediaType: d.MediaType, Language: d.Language,
		Size: d.Size, SHA256: d.SHA256, Status: d.Status, Error: d.Error, Chunks: d.Chunks,
		CreatedAt: d.CreatedAt.UTC(), UpdatedAt: d.UpdatedAt.UTC(),
	}
}

// Chunk is a passage of a document.
type Chunk struct {
	// ID names it.
	ID int64 `json:"id"`
	// Ordinal counts the document's passages from 0.
	Ordinal int `json:"ordinal"`
	// Kind is the sort of text.
	Kind rag.Kind `json:"kind" enum:"prose,code,table"`
	// Text is the passage.
	Text string `json:"text"`
	// Heading is the path of headings above it.
	Heading string `json:"heading"`
	// Page counts from 0; null where there are no pages.
	Page *int `json:"page"`
	// PageLabel is the page as printed; null where there are none.
	PageLabel *string `json:"page_label"`
	// Start is a byte offset in the document's text.
	Start int `json:"start" doc:"Byte offset in the document's text."`
	// End is exclusive.
	End int `json:"end"`
	// Tokens is its length.
	Tokens int `json:"tokens"`
}

type listInput struct {
	Collection string     `query:"collection" maxLength:"200" doc:"Only this collection."`
	Status     rag.Status `query:"status" enum:"ready,failed" doc:"Only documents in this state."`
	Match      string     `query:"match" maxLength:"500" doc:"A part of source or title."`
	After      int64      `query:"after" minimum:"0" doc:"The cursor: next of the page before."`
	Limit      int        `query:"limit" minimum:"1" maximum:"1000" default:"100"`
}

type listOutput struct {
	Body struct {
		Documents []Document `json:"documents"`
		Next      int64      `json:"next,omitempty" doc:"The cursor of the next page; absent on the last."`
	} `nameHint:"DocumentPage"`
}

type idInput struct {
	ID int64 `path:"id" minimum:"1"`
}

type documentOutput struct{ Body Document }

type textOutput struct {
	ContentType string `header:"Content-Type"`
	Body        []byte
}

type chunksOutput struct {
	Body struct {
		Chunks []Chunk `json:"chunks"`
	} `nameHint:"Chunks"`
}

func (s *server) documentRoutes() {
	tags, missing := []string{"documents"}, []int{http.StatusNotFound}
	content := func(mediaType string, schema *huma.Schema) map[string]*huma.Response {
		return map[string]*huma.Response{"200": {Description: "OK", Content: map[string]*huma.MediaType{mediaType: {Schema: schema}}}}
	}
	register(s, huma.Operation{
		Method: http.MethodGet, Path: "/api/documents", OperationID: "list-documents", Tags: tags, Summary: "List documents",
	}, s.listDocuments)
	register(s, huma.Operation{
		Method: http.MethodGet, Path: "/api/documents/{id}", OperationID: "get-document", Tags: tags, Summary: "Show a document", Errors: missing,
	}, func(ctx context.Context, in *idInput) (*documentOutput, error) {
		d, err := s.cfg.Library.Document(ctx, in.ID)
		return &documentOutput{document(d)}, err
	})
	register(s, huma.Operation{
		Method: http.MethodDelete, Path: "/api/documents/{id}", OperationID: "delete-document", Tags: tags, Summary: "Delete a document", Errors: missing,
	}, func(ctx context.Context, in *idInput) (*struct{}, error) {
		n, err := s.cfg.Documents.RemoveDocuments(ctx, []int64{in.ID})
		if err == nil && n == 0 {
			err = fault.New(fault.NotFound, "there is no document %d", in.ID)
		}
		return nil, err
	})
	register(s, huma.Operation{
		Method: http.MethodGet, Path: "/api/documents/{id}/text", OperationID: "get-document-text", Tags: tags, Errors: missing,
		Summary: "Its extracted text", Description: "UTF-8; the offsets of passages count its bytes.",
		Responses: content("text/plain", &huma.Schema{Type: "string"}),
	}, func(ctx context.Context, in *idInput) (*textOutput, error) {
		d, err := s.cfg.Library.Document(ctx, in.ID)
		return &textOutput{"text/plain; charset=utf-8", []byte(d.Text)}, err
	})
	register(s, huma.Operation{
		Method: http.MethodGet, Path: "/api/documents/{id}/file", OperationID: "get-document-file", Tags: tags, Errors: missing,
		Summary: "Its original bytes", Description: "Shown by browsers if it is a PDF, plain text or an image, downloaded otherwise.",
		Responses: content("*/*", &huma.Schema{Type: "string", Format: "binary"}),
	}, s.file)
	register(s, huma.Operation{
		Method: http.MethodGet, Path: "/api/documents/{id}/chunks", OperationID: "list-document-chunks", Tags: tags, Summary: "Its passages", Errors: missing,
	}, s.chunks)
}

func (s *server) listDocuments(ctx context.Context, in *listInput) (*listOutput, error) {
	if err := plain("collection", in.Collection, "match", in.Match); err != nil {
		return nil, err
	}
	docs, err := s.cfg.Library.Documents(ctx, rag.DocumentFilter{
		Collection: in.Collection, Status: in.Status, Match: in.Match, After: in.After,
		Limit: min(in.Limit+1, maxPage), // one more tells whether there is a next page
	})
	if err != nil {
		return nil, err
	}
	out := &listOutput{}
	out.Body.Documents = []Document{}
	for i, d := range docs {
		if i == in.Limit {
			out.Body.Next = docs[i-1].ID
			break
		}
		out.Body.Documents = append(out.Body.Documents, document(d))
	}
	if n := len(docs); in.Limit == maxPage && n == maxPage {
		out.Body.Next = docs[n-1].ID // perhaps an empty page
	}
	return out, nil
}

func (s *server) chunks(ctx context.Context, in *idInput) (*chunksOutput, error) {
	chunks, err := s.cfg.Library.DocumentChunks(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	out := &chunksOutput{}
	out.Body.Chunks = []Chunk{}
	for _, c := range chunks {
		out.Body.Chunks = append(out.Body.Chunks, Chunk{
			ID: c.ID, Ordinal: c.Ordinal, Kind: c.Kind, Text: c.Text, Heading: c.Heading(), Page: c.Page, PageLabel: label(c.PageLabel),
			Start: c.Start, End: c.End, Tokens: c.Tokens,
		})
	}
	return out, nil
}

// label is null for a passage without a printed page.
func label(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// inline are the types that browsers show without running anything in them.
var inline = []string{"application/pdf", "text/plain", "image/png", "image/jpeg", "image/gif", "image/webp"}

// file sends the original bytes. They are anybody's, so a browser must treat
// them as data: never sniffed, sandboxed, and downloaded unless harmless.
func (s *server) file(ctx context.Context, in *idInput) (*huma.StreamResponse, error) {
	d, err := s.cfg.Library.Document(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	original, err := s.cfg.Library.Original(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		defer func() { _ = original.Close() }()
		r, w := humago.Unwrap(hc)
		kind, _, err := mime.ParseMediaType(d.MediaType)
		if err != nil {
			kind = "application/octet-stream"
		}
		disposition := "attachment"
		if slices.Contains(inline, kind) {
			disposition = "inline"
		}
		h := w.Header()
		if kind == "text/plain" {
			kind += "; charset=utf-8" // what nearly all are; without it browsers guess an older one
		}
		h.Set("Content-Type", kind)
		h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
		h.Set("Content-Disposition", mime.FormatMediaType(disposition, map[string]string{"filename": fileName(d.Source)}))
		w.WriteHeader(http.StatusOK)
		if r.Method == http.MethodHead {
			return
		}
		rc := http.NewResponseController(w)
		if _, err := io.Copy(&patient{rc: rc, stall: s.cfg.StallTimeout, write: w.Write}, original); err != nil {
			_ = s.fail(ctx, err)        // logs it
			panic(http.ErrAbortHandler) // a file cut short must not look whole
		}
	}}, nil
}

// fileName is the name to save a source under.
func fileName(source string) string {
	source = strings.TrimPrefix(strings.TrimPrefix(source, "upload:"), "stdin:")
	return cleanName(path.Base(source))
}

// named pairs each value with the same name, for plain.
func named(name string, values []string) []string {
	var pairs []string
	for _, v := range values {
		pairs = append(pairs, name, v)
	}
	return pairs
}

// plain refuses text that no database takes. It is called with names and values
// in turn.
func plain(pairs ...string) error {
	for i := 0; i+1 < len(pairs); i += 2 {
		if strings.ContainsRune(pairs[i+1], 0) || strings.ToValidUTF8(pairs[i+1], "") != pairs[i+1] {
			return fault.New(fault.Invalid, "%s is not plain text", pairs[i])
		}
	}
	return nil
}
