package api

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"docent/api/filename"
	"docent/api/route"
	"docent/internal/fault"
	"docent/rag/corpus"
)

const (
	// maxPage bounds a page of documents or passages, as corpus.Library does.
	maxPage = 1000
	// maxDeleted bounds the documents that one transaction removes.
	maxDeleted = 500
	// readPatience bounds how long a text or an original waits for its turn.
	readPatience = 10 * time.Second
)

// Document is a document without its text.
type Document struct {
	// ID names it in this API.
	ID int64 `json:"id"`
	// Collection is its collection.
	Collection string `json:"collection"`
	// Source is its origin.
	Source string `json:"source" doc:"A path, a URL, upload:NAME, or stdin:NAME. A path is absolute for those who manage the collection; otherwise it has the folder and the name."`
	// Title is its title for people.
	Title string `json:"title"`
	// FileTitle is the title in the file of a renamed document.
	FileTitle string `json:"file_title,omitempty" doc:"The title in the file. Absent unless people renamed the document."`
	// MediaType is detected from its content.
	MediaType string `json:"media_type"`
	// Language is an ISO 639-1 code; empty if it is unknown.
	Language string `json:"language"`
	// Size is the size of the original in bytes.
	Size int64 `json:"size"`
	// SHA256 is the hash of the original, in hex.
	SHA256 string `json:"sha256"`
	// Status reports whether searches can find it.
	Status corpus.Status `json:"status" enum:"ready,failed,skipped"`
	// Error says why it could not be read.
	Error string `json:"error,omitempty"`
	// Sentence is the id of the error; absent without one, and for documents that
	// older versions stored.
	Sentence *fault.Sentence `json:"sentence,omitempty"`
	// Date is the day when the document was written or last changed.
	Date string `json:"date,omitempty" doc:"The day when the document was written or last changed, as it states it; absent if it is unknown." example:"2026-05-12"`
	// DateFrom says where Date comes from.
	DateFrom corpus.DateFrom `json:"date_from,omitempty" enum:"front_matter,properties,mail_header,page_markup,feed_entry,commit,last_modified,file_time" doc:"Where date comes from. file_time is weak: copying a file often changes it."`
	// Version is the version that the document states.
	Version string `json:"version,omitempty" doc:"The version that the title or the fields of the document state."`
	// Folder is its folder.
	Folder string `json:"folder,omitempty" doc:"The path of the folder, without the folders of the server above it; absent if the document is in none." example:"manuals/pumps"`
	// Tags are all its tags.
	Tags []string `json:"tags,omitempty" doc:"The tags that the document states, and those that people added."`
	// OwnTags are the tags that people added.
	OwnTags []string `json:"own_tags,omitempty" doc:"Those of the tags that people added."`
	// Cited is the number of answers that cite it.
	Cited int64 `json:"cited,omitempty" doc:"The number of answers that cite the document, also of deleted ones."`
	// Chunks is the number of its passages.
	Chunks int `json:"chunks"`
	// CreatedAt is the time when the document was first stored.
	CreatedAt time.Time `json:"created_at"`
	// UpdatedAt is the time when the document was last stored.
	UpdatedAt time.Time `json:"updated_at"`
}

func document(d corpus.Document) Document {
	return Document{
		ID: d.ID, Collection: d.Collection, Source: d.Source, Title: d.Title, FileTitle: d.FileTitle,
		MediaType: d.MediaType, Language: d.Language,
		Size: d.Size, SHA256: d.SHA256, Status: d.Status, Error: d.Error.Message, Sentence: route.Sentence(d.Error), Chunks: d.Chunks,
		Date: d.Day(), DateFrom: d.DateFrom, Version: d.Version, Cited: d.Cited, Folder: d.Folder, OwnTags: d.OwnTags,
		Tags: corpus.CleanTags(slices.Concat(d.Tags, d.OwnTags)), CreatedAt: d.CreatedAt.UTC(), UpdatedAt: d.UpdatedAt.UTC(),
	}
}

// Chunk is a passage of a document.
type Chunk struct {
	// ID names it.
	ID int64 `json:"id"`
	// Ordinal counts the passages of the document from 0.
	Ordinal int `json:"ordinal"`
	// Kind is the kind of text.
	Kind corpus.Kind `json:"kind" enum:"prose,code,table"`
	// Text is the passage.
	Text string `json:"text"`
	// Heading is the path of headings above it.
	Heading string `json:"heading"`
	// Page counts from 0; null in documents without pages.
	Page *int `json:"page"`
	// PageLabel is the printed page number; null without one.
	PageLabel *string `json:"page_label"`
	// Start is a byte offset in the text of the document.
	Start int `json:"start" doc:"The byte offset in the text of the document."`
	// End is exclusive.
	End int `json:"end"`
	// Tokens is its length in tokens.
	Tokens int `json:"tokens"`
}

type idInput struct {
	ID int64 `path:"id" minimum:"1"`
}

type renameInput struct {
	route.JSONBody
	ID   int64 `path:"id" minimum:"1"`
	Body struct {
		Title string `json:"title" maxLength:"250" doc:"The new title. An empty text restores the title in the file."`
	} `nameHint:"DocumentTitle"`
}

type documentOutput struct{ Body Document }

type deleteInput struct {
	route.JSONBody
	Body struct {
		IDs []int64 `json:"ids" minItems:"1" maxItems:"10000" nullable:"false" doc:"The ids of the documents. Unknown ids are ignored."`
	} `nameHint:"DocumentIDs"`
}

type tagInput struct {
	route.JSONBody
	Body struct {
		IDs    []int64  `json:"ids" minItems:"1" maxItems:"10000" nullable:"false" doc:"The ids of the documents. Unknown ids are ignored."`
		Add    []string `json:"add,omitempty" nullable:"true" maxItems:"50" doc:"The tags to add. They are stored in lower case."`
		Remove []string `json:"remove,omitempty" nullable:"true" maxItems:"50" doc:"The tags to remove. Tags that a document states stay."`
	} `nameHint:"DocumentTags"`
}

type taggedOutput struct {
	Body struct {
		Tagged int `json:"tagged" doc:"The number of documents."`
	} `nameHint:"TaggedDocuments"`
}

type moveInput struct {
	route.JSONBody
	Body struct {
		IDs        []int64 `json:"ids" minItems:"1" maxItems:"1000" nullable:"false" doc:"The ids of the documents. Unknown ids are ignored."`
		Collection string  `json:"collection" minLength:"1" maxLength:"200" doc:"The name of the collection. It must exist."`
	} `nameHint:"DocumentMove"`
}

type movedOutput struct {
	Body struct {
		Moved int `json:"moved" doc:"The number of documents that were in another collection."`
	} `nameHint:"MovedDocuments"`
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

// library adds the lookup of a single document without its text, which may be
// long.
type library struct{ corpus.Library }

// Metadata returns a document without its text.
func (l library) Metadata(ctx context.Context, id int64) (corpus.Document, error) {
	docs, err := l.Documents(ctx, corpus.DocumentFilter{ID: id, Limit: 1})
	if err == nil && len(docs) == 0 {
		err = fault.New(fault.NotFound, "no_document", "there is no document %d", id)
	}
	if err != nil {
		return corpus.Document{}, err
	}
	return docs[0], nil
}

// documents handles the routes for documents.
type documents struct {
	routes    *route.Router
	library   library
	changer   Changer
	transfers transfers
}

func (d documents) addRoutes() {
	tags, missing := []string{"documents"}, []int{http.StatusNotFound}
	large := []int{http.StatusNotFound, http.StatusTooManyRequests, http.StatusServiceUnavailable}
	content := func(mediaType string, schema *huma.Schema) map[string]*huma.Response {
		return map[string]*huma.Response{"200": {Description: "OK", Content: map[string]*huma.MediaType{mediaType: {Schema: schema}}}}
	}
	route.Add(d.routes, huma.Operation{
		Method: http.MethodGet, Path: "/api/documents", OperationID: "list-documents", Tags: tags, Summary: "List documents",
		Description: "The order is that of sort, by default the order in which documents were added.",
	}, d.list)
	route.Add(d.routes, huma.Operation{
		Method: http.MethodPost, Path: "/api/documents/delete", OperationID: "delete-documents", Tags: tags, Summary: "Delete several documents",
		Description: "Unknown ids are ignored. The deletion goes on if the client disconnects.",
	}, d.deleteSeveral)
	route.Add(d.routes, huma.Operation{
		Method: http.MethodPost, Path: "/api/documents/tag", OperationID: "tag-documents", Tags: tags,
		Summary:     "Add and remove tags of documents",
		Description: "This needs the right write. The tags stay when docent reads the documents again.",
	}, d.tag)
	route.Add(d.routes, huma.Operation{
		Method: http.MethodPost, Path: "/api/documents/move", OperationID: "move-documents", Tags: tags,
		Summary: "Move documents to another collection", Errors: []int{http.StatusNotFound, http.StatusConflict},
		Description: "This needs the right write in both collections. The documents keep their ids, tags, and passages, and answers still cite " +
			"them. docent moves all of them or none. It moves none if a source keeps one of them in sync, or if the collection has a " +
			"document with the same source.",
	}, d.move)
	route.Add(d.routes, huma.Operation{
		Method: http.MethodGet, Path: "/api/documents/{id}", OperationID: "get-document", Tags: tags, Summary: "Get a document", Errors: missing,
	}, d.get)
	route.Add(d.routes, huma.Operation{
		Method: http.MethodPatch, Path: "/api/documents/{id}", OperationID: "rename-document", Tags: tags,
		Summary: "Rename a document", Errors: missing,
		Description: "This needs the right write. The new title stays when docent reads the document again, also if the file has changed. The " +
			"file and the source keep their names.",
	}, d.rename)
	route.Add(d.routes, huma.Operation{
		Method: http.MethodDelete, Path: "/api/documents/{id}", OperationID: "delete-document", Tags: tags,
		Summary: "Delete a document", Errors: missing,
	}, d.delete)
	route.Add(d.routes, huma.Operation{
		Method: http.MethodGet, Path: "/api/documents/{id}/text", OperationID: "get-document-text", Tags: tags, Errors: large,
		Summary: "Get the extracted text of a document", Description: "The text is UTF-8. Offsets of passages count its bytes.",
		Responses: content("text/plain", &huma.Schema{Type: "string"}),
	}, d.text)
	route.Add(d.routes, huma.Operation{
		Method: http.MethodGet, Path: "/api/documents/{id}/file", OperationID: "get-document-file", Tags: tags, Errors: large,
		Summary: "Get the original file of a document", Description: "Browsers show PDF, plain text, and images, and download other files.",
		Responses: content("*/*", &huma.Schema{Type: "string", Format: "binary"}),
	}, d.file)
	route.Add(d.routes, huma.Operation{
		Method: http.MethodGet, Path: "/api/documents/{id}/chunks", OperationID: "list-document-chunks", Tags: tags,
		Summary: "List the passages of a document", Errors: missing,
	}, d.chunks)
	d.addVersions()
	d.addOriginals()
}

func (d documents) get(ctx context.Context, in *idInput) (*documentOutput, error) {
	doc, err := d.library.Metadata(ctx, in.ID)
	return &documentOutput{document(doc)}, err
}

// rename changes the title of a document.
func (d documents) rename(ctx context.Context, in *renameInput) (*documentOutput, error) {
	if err := route.CheckText("title", in.Body.Title); err != nil {
		return nil, err
	}
	route.Concerns(ctx, strconv.FormatInt(in.ID, 10))
	if err := d.changer.RenameDocument(ctx, in.ID, in.Body.Title); err != nil {
		return nil, err
	}
	return d.get(ctx, &idInput{in.ID})
}

func (d documents) delete(ctx context.Context, in *idInput) (*struct{}, error) {
	n, err := d.changer.RemoveDocuments(ctx, []int64{in.ID})
	if err == nil && n == 0 {
		err = fault.New(fault.NotFound, "no_document", "there is no document %d", in.ID)
	}
	return nil, err
}

// deleteSeveral deletes documents in several transactions, so that other writers
// need not wait for all. It does not stop when the client disconnects: the page
// sends this request when the user leaves it.
func (d documents) deleteSeveral(ctx context.Context, in *deleteInput) (*removedOutput, error) {
	route.Concerns(ctx, idsObject(in.Body.IDs))
	ctx, out := context.WithoutCancel(ctx), &removedOutput{}
	for ids := range slices.Chunk(in.Body.IDs, maxDeleted) {
		n, err := d.changer.RemoveDocuments(ctx, ids)
		if err != nil {
			return nil, err
		}
		out.Body.Removed += n
	}
	return out, nil
}

// idsObject names documents in the audit log. Beyond maxNamed, it gives only their number.
func idsObject(ids []int64) string {
	var b strings.Builder
	for i, id := range ids {
		if i == maxNamed {
			fmt.Fprintf(&b, " and %d more", len(ids)-i)
			break
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(strconv.FormatInt(id, 10))
	}
	return b.String()
}

// maxNamed bounds the ids in an audit record.
const maxNamed = 20

// tag changes the tags of documents, in several transactions like deleteSeveral.
func (d documents) tag(ctx context.Context, in *tagInput) (*taggedOutput, error) {
	if err := cmp.Or(route.CheckTexts("add", in.Body.Add), route.CheckTexts("remove", in.Body.Remove)); err != nil {
		return nil, err
	}
	route.Concerns(ctx, idsObject(in.Body.IDs))
	add, remove := corpus.CleanTags(in.Body.Add), corpus.CleanTags(in.Body.Remove)
	ctx, out := context.WithoutCancel(ctx), &taggedOutput{}
	for ids := range slices.Chunk(in.Body.IDs, maxDeleted) {
		n, err := d.changer.TagDocuments(ctx, ids, add, remove)
		if err != nil {
			return nil, err
		}
		out.Body.Tagged += n
	}
	return out, nil
}

// move moves documents to another collection.
func (d documents) move(ctx context.Context, in *moveInput) (*movedOutput, error) {
	if err := route.CheckText("collection", in.Body.Collection); err != nil {
		return nil, err
	}
	route.Concerns(ctx, in.Body.Collection+": "+idsObject(in.Body.IDs))
	n, err := d.changer.MoveDocuments(context.WithoutCancel(ctx), in.Body.IDs, in.Body.Collection)
	out := &movedOutput{}
	out.Body.Moved = n
	return out, err
}

// text sends the extracted text.
func (d documents) text(ctx context.Context, in *idInput) (*huma.StreamResponse, error) {
	return d.transfers.send(ctx, func(h http.Header) {
		h.Set("Content-Type", "text/plain; charset=utf-8")
	}, func(ctx context.Context, w io.Writer) error {
		doc, err := d.library.Document(ctx, in.ID)
		if err != nil {
			return err
		}
		_, err = io.WriteString(w, doc.Text)
		return err
	})
}

func (d documents) chunks(ctx context.Context, in *chunksInput) (*chunksOutput, error) {
	chunks, err := d.library.DocumentChunks(ctx, in.ID, in.After, min(in.Limit+1, maxPage))
	if err != nil {
		return nil, err
	}
	out := &chunksOutput{}
	out.Body.Chunks = []Chunk{}
	if n := len(chunks); n > in.Limit || n == maxPage { // after a full page of maxPage the next may be empty
		chunks = chunks[:in.Limit]
		out.Body.Next = &chunks[in.Limit-1].Ordinal
	}
	for _, c := range chunks {
		out.Body.Chunks = append(out.Body.Chunks, Chunk{
			ID: c.ID, Ordinal: c.Ordinal, Kind: c.Kind, Text: c.Text, Heading: c.Heading(), Page: c.Page, PageLabel: nullable(c.PageLabel),
			Start: c.Start, End: c.End, Tokens: c.Tokens,
		})
	}
	return out, nil
}

// nullable returns nil, which is null in JSON, for an empty text.
func nullable(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// inline are the types that browsers show without running code in them.
var inline = []string{"application/pdf", "text/plain", "image/png", "image/jpeg", "image/gif", "image/webp"}

// file sends the original bytes. Browsers must not trust them: they must not guess
// the type, they apply a sandbox, and they download all but harmless types.
func (d documents) file(ctx context.Context, in *idInput) (*huma.StreamResponse, error) {
	doc, err := d.library.Metadata(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return d.transfers.send(ctx, func(h http.Header) { fileHeader(h, doc) }, func(ctx context.Context, w io.Writer) error {
		original, err := d.library.Original(ctx, in.ID)
		if err != nil {
			return err
		}
		defer original.Close()
		_, err = io.Copy(w, original)
		return err
	})
}

// fileHeader sets the headers of an original.
func fileHeader(h http.Header, doc corpus.Document) {
	kind, params, err := mime.ParseMediaType(doc.MediaType)
	if err != nil {
		kind = "application/octet-stream"
	}
	disposition := "attachment"
	if slices.Contains(inline, kind) {
		disposition = "inline"
	}
	contentType := kind
	switch {
	case params["charset"] != "":
		contentType = mime.FormatMediaType(kind, map[string]string{"charset": params["charset"]})
	case kind == "text/plain":
		contentType += "; charset=utf-8" // without it browsers guess an older charset
	}
	h.Set("Content-Type", contentType)
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	h.Set("Content-Disposition", mime.FormatMediaType(disposition, map[string]string{"filename": fileName(doc.Source)}))
}

// fileName returns the name of the file that browsers save.
func fileName(source string) string {
	source = strings.TrimPrefix(strings.TrimPrefix(source, "upload:"), "stdin:")
	return filename.Clean(path.Base(source))
}
