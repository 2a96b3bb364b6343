package api

import (
	"context"
	"io"
	"mime"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"docent/internal/fault"
	"docent/rag/corpus"
)

const (
	// maxPage is the longest page of documents or passages; it is corpus.Library's.
	maxPage = 1000
	// pieceBytes is how much of a text or an original is written at a time; a
	// client has to take that much within the time that a connection may stand
	// still.
	pieceBytes = 16 << 10
	// deletedAtATime is how many documents one transaction removes.
	deletedAtATime = 500
	// readPatience is how long a text or an original waits for its turn.
	readPatience = 10 * time.Second
)

// Document is a document without its text.
type Document struct {
	// ID names it in this API.
	ID int64 `json:"id"`
	// Collection is the set it belongs to.
	Collection string `json:"collection"`
	// Source is where it came from.
	Source string `json:"source" doc:"An absolute path, a URL, upload:NAME, or stdin:NAME."`
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
	Status corpus.Status `json:"status" enum:"ready,failed"`
	// Error says why it could not be read.
	Error string `json:"error,omitempty"`
	// Sentence names the error; absent without one, and for documents stored by
	// older versions.
	Sentence *fault.Sentence `json:"sentence,omitempty"`
	// Chunks counts its passages.
	Chunks int `json:"chunks"`
	// CreatedAt is when it was first stored.
	CreatedAt time.Time `json:"created_at"`
	// UpdatedAt is when it was last stored.
	UpdatedAt time.Time `json:"updated_at"`
}

func document(d corpus.Document) Document {
	return Document{
		ID: d.ID, Collection: d.Collection, Source: d.Source, Title: d.Title, MediaType: d.MediaType, Language: d.Language,
		Size: d.Size, SHA256: d.SHA256, Status: d.Status, Error: d.Error.Message, Sentence: sentence(d.Error), Chunks: d.Chunks,
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
	Kind corpus.Kind `json:"kind" enum:"prose,code,table"`
	// Text is the passage.
	Text string `json:"text"`
	// Heading is the path of headings above it.
	Heading string `json:"heading"`
	// Page counts from 0; null where there are no pages.
	Page *int `json:"page"`
	// PageLabel is the page as printed; null where there are none.
	PageLabel *string `json:"page_label"`
	// Start is a byte offset in the document's text.
	Start int `json:"start" doc:"The byte offset in the text of the document."`
	// End is exclusive.
	End int `json:"end"`
	// Tokens is its length.
	Tokens int `json:"tokens"`
}

type idInput struct {
	ID int64 `path:"id" minimum:"1"`
}

type documentOutput struct{ Body Document }

type deleteInput struct {
	bodyRead
	Body struct {
		IDs []int64 `json:"ids" minItems:"1" maxItems:"10000" nullable:"false" doc:"The ids of the documents. Unknown ids are ignored."`
	} `nameHint:"DocumentIDs"`
}

type deleteOutput struct {
	Body struct {
		Removed int `json:"removed" doc:"The number of removed documents."`
	} `nameHint:"RemovedDocuments"`
}

type chunksInput struct {
	ID    int64 `path:"id" minimum:"1"`
	After int   `query:"after" minimum:"-1" default:"-1" doc:"The cursor: the value next of the previous page. -1 begins with the first passage."`
	Limit int   `query:"limit" minimum:"1" maximum:"1000" default:"200"`
}

type chunksOutput struct {
	Body struct {
		Chunks []Chunk `json:"chunks"`
		Next   *int    `json:"next,omitempty" doc:"The cursor of the next page: the last ordinal of this page. Absent on the last page."`
	} `nameHint:"ChunkPage"`
}

func (s *server) documentRoutes() {
	tags, missing := []string{"documents"}, []int{http.StatusNotFound}
	large := []int{http.StatusNotFound, http.StatusTooManyRequests, http.StatusServiceUnavailable}
	content := func(mediaType string, schema *huma.Schema) map[string]*huma.Response {
		return map[string]*huma.Response{"200": {Description: "OK", Content: map[string]*huma.MediaType{mediaType: {Schema: schema}}}}
	}
	register(s, huma.Operation{
		Method: http.MethodGet, Path: "/api/documents", OperationID: "list-documents", Tags: tags, Summary: "List documents",
		Description: "The order is that of sort, by default the order in which documents were added.",
	}, s.listDocuments)
	register(s, huma.Operation{
		Method: http.MethodPost, Path: "/api/documents/delete", OperationID: "delete-documents", Tags: tags, Summary: "Delete several documents",
		Description: "Unknown ids are ignored. The deletion goes on if the client disconnects.", BodyReadTimeout: s.cfg.bodyTimeout,
	}, s.deleteDocuments)
	register(s, huma.Operation{
		Method: http.MethodGet, Path: "/api/documents/{id}", OperationID: "get-document", Tags: tags, Summary: "Get a document", Errors: missing,
	}, func(ctx context.Context, in *idInput) (*documentOutput, error) {
		d, err := s.metadata(ctx, in.ID)
		return &documentOutput{document(d)}, err
	})
	register(s, huma.Operation{
		Method: http.MethodDelete, Path: "/api/documents/{id}", OperationID: "delete-document", Tags: tags, Summary: "Delete a document", Errors: missing,
	}, func(ctx context.Context, in *idInput) (*struct{}, error) {
		n, err := s.cfg.Documents.RemoveDocuments(ctx, []int64{in.ID})
		if err == nil && n == 0 {
			err = fault.New(fault.NotFound, "no_document", "there is no document %d", in.ID)
		}
		return nil, err
	})
	register(s, huma.Operation{
		Method: http.MethodGet, Path: "/api/documents/{id}/text", OperationID: "get-document-text", Tags: tags, Errors: large,
		Summary: "Get the extracted text of a document", Description: "The text is UTF-8. Offsets of passages count its bytes.",
		Responses: content("text/plain", &huma.Schema{Type: "string"}),
	}, s.text)
	register(s, huma.Operation{
		Method: http.MethodGet, Path: "/api/documents/{id}/file", OperationID: "get-document-file", Tags: tags, Errors: large,
		Summary: "Get the original file of a document", Description: "Browsers show PDF, plain text, and images, and download other files.",
		Responses: content("*/*", &huma.Schema{Type: "string", Format: "binary"}),
	}, s.file)
	register(s, huma.Operation{
		Method: http.MethodGet, Path: "/api/documents/{id}/chunks", OperationID: "list-document-chunks", Tags: tags, Summary: "List the passages of a document", Errors: missing,
	}, s.chunks)
}

// deleteDocuments deletes some at a time, so that who else writes need not wait
// for all. The page sends this as it is left, when nobody waits for the answer.
func (s *server) deleteDocuments(ctx context.Context, in *deleteInput) (*deleteOutput, error) {
	ctx, out := context.WithoutCancel(ctx), &deleteOutput{}
	for ids := range slices.Chunk(in.Body.IDs, deletedAtATime) {
		n, err := s.cfg.Documents.RemoveDocuments(ctx, ids)
		if err != nil {
			return nil, err
		}
		out.Body.Removed += n
	}
	return out, nil
}

// metadata returns a document without its text, which may be long.
func (s *server) metadata(ctx context.Context, id int64) (corpus.Document, error) {
	docs, err := s.cfg.Library.Documents(ctx, corpus.DocumentFilter{ID: id, Limit: 1})
	if err == nil && len(docs) == 0 {
		err = fault.New(fault.NotFound, "no_document", "there is no document %d", id)
	}
	if err != nil {
		return corpus.Document{}, err
	}
	return docs[0], nil
}

// startRead waits for its turn to hold a whole text or original in memory; done
// ends it.
func (s *server) startRead(ctx context.Context) (done func(), err error) {
	patience := time.NewTimer(readPatience)
	defer patience.Stop()
	return s.reads.take(ctx, patience.C)
}

// text sends the extracted text.
func (s *server) text(ctx context.Context, in *idInput) (*huma.StreamResponse, error) {
	done, err := s.startRead(ctx)
	if err != nil {
		return nil, err
	}
	d, err := s.cfg.Library.Document(ctx, in.ID)
	if err != nil {
		done()
		return nil, err
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		defer done()
		_, w := humago.Unwrap(hc)
		h := w.Header()
		h.Set("Content-Type", "text/plain; charset=utf-8")
		h.Set("Content-Length", strconv.Itoa(len(d.Text)))
		s.send(ctx, hc, copied(strings.NewReader(d.Text)))
	}}, nil
}

// send writes a body of any length, unless the request is HEAD.
func (s *server) send(ctx context.Context, hc huma.Context, write func(io.Writer) error) {
	r, w := humago.Unwrap(hc)
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return
	}
	if err := write(w); err != nil {
		_ = s.fail(ctx, err)        // logs it
		panic(http.ErrAbortHandler) // a body cut short must not look whole
	}
}

// copied writes what r holds.
func copied(r io.Reader) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.CopyBuffer(w, struct{ io.Reader }{r}, make([]byte, pieceBytes))
		return err
	}
}

func (s *server) chunks(ctx context.Context, in *chunksInput) (*chunksOutput, error) {
	chunks, err := s.cfg.Library.DocumentChunks(ctx, in.ID, in.After, min(in.Limit+1, maxPage))
	if err != nil {
		return nil, err
	}
	out := &chunksOutput{}
	out.Body.Chunks = []Chunk{}
	if n := len(chunks); n > in.Limit || n == maxPage { // at the most, the next may be an empty page
		chunks = chunks[:in.Limit]
		out.Body.Next = &chunks[in.Limit-1].Ordinal
	}
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
	d, err := s.metadata(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	done, err := s.startRead(ctx)
	if err != nil {
		return nil, err
	}
	original, err := s.cfg.Library.Original(ctx, in.ID)
	if err != nil {
		done()
		return nil, err
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		defer done()
		defer func() { _ = original.Close() }()
		_, w := humago.Unwrap(hc)
		kind, params, err := mime.ParseMediaType(d.MediaType)
		if err != nil {
			kind = "application/octet-stream"
		}
		disposition := "attachment"
		if slices.Contains(inline, kind) {
			disposition = "inline"
		}
		h := w.Header()
		contentType := kind
		switch {
		case params["charset"] != "":
			contentType = mime.FormatMediaType(kind, map[string]string{"charset": params["charset"]})
		case kind == "text/plain":
			contentType += "; charset=utf-8" // without it browsers guess an older one
		}
		h.Set("Content-Type", contentType)
		h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
		h.Set("Content-Disposition", mime.FormatMediaType(disposition, map[string]string{"filename": fileName(d.Source)}))
		s.send(ctx, hc, copied(original))
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
			return fault.New(fault.Invalid, "parameter_not_plain", "%s is not plain text", pairs[i])
		}
	}
	return nil
}
