// Package uploads stores the files that clients send. It reads them one by one as
// they arrive.
package uploads

import (
	"cmp"
	"context"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"docent/api/filename"
	"docent/api/route"
	"docent/api/slots"
	"docent/api/stall"
	"docent/ingest"
	"docent/ingest/intake"
	"docent/internal/fault"
	"docent/rag/corpus"
)

const (
	// maxCollection bounds the name of a collection in bytes.
	maxCollection = 200
	// maxFiles bounds the files of one request.
	maxFiles = 1000
)

// Ingester reads documents.
type Ingester interface {
	// Read ingests the data of r under the given source. If r returns an error,
	// Read stops and stores nothing.
	Read(ctx context.Context, collection, source string, r io.Reader) ([]ingest.Result, error)
	// Replace ingests the data of r, a file with this name, as the new content of a stored
	// document. It fails with fault.Conflict if ingest.CheckReplace does. If r returns an error,
	// Replace stops and stores nothing.
	Replace(ctx context.Context, d corpus.Document, name string, r io.Reader) ([]ingest.Result, error)
}

// Library finds documents that the reader of ctx may read.
type Library interface {
	// Metadata returns a document without its text.
	Metadata(ctx context.Context, id int64) (corpus.Document, error)
}

// Config sets the route up. All fields are required.
type Config struct {
	// Ingester reads the files.
	Ingester Ingester
	// Library has the documents.
	Library Library
	// FileBytes bounds one file.
	FileBytes int64
	// RequestBytes bounds a request with all its files.
	RequestBytes int64
	// MaxReads bounds the files that are read at once.
	MaxReads int
	// StallTimeout ends a request if no data arrives for this time.
	StallTimeout time.Duration
}

// uploads handles the route.
type uploads struct {
	cfg   Config
	slots *slots.Slots // of the files that are read
}

type uploadInput struct {
	route.StreamedBody
	Collection string `query:"collection" maxLength:"200" doc:"The collection of the documents, unless a field names one. The default is default."`
}

// UploadResult is the result of one document of an upload.
type UploadResult struct {
	// Source is the document's source.
	Source string `json:"source"`
	// Status is the outcome.
	Status string `json:"status" enum:"added,changed,unchanged,removed,failed"`
	// Chunks is the number of passages; for a removed document, the number it had.
	Chunks int `json:"chunks"`
	// Reason says in one line why the document failed.
	Reason string `json:"reason,omitempty"`
	// Sentence names the reason.
	Sentence *fault.Sentence `json:"sentence,omitempty"`
	// Note names the unreadable parts of an added or changed document.
	Note string `json:"note,omitempty"`
	// DocumentID is the id of the stored document; 0 if none is stored.
	DocumentID int64 `json:"document_id,omitempty"`
}

// Shape returns the JSON of a result.
func Shape(r ingest.Result) UploadResult {
	return UploadResult{
		Source: r.Source, Status: r.Status, Chunks: r.Chunks, Reason: r.Reason.Message, Sentence: route.Sentence(r.Reason),
		Note: r.Note, DocumentID: r.DocumentID,
	}
}

type uploadOutput struct {
	Body struct {
		Results []UploadResult `json:"results"`
	} `nameHint:"UploadResults"`
}

// AddRoutes adds the route for uploads.
func AddRoutes(r *route.Router, cfg Config) {
	const path = "/api/documents"
	u := &uploads{cfg: cfg, slots: slots.ByAddress(cfg.MaxReads,
		fault.New(fault.Busy, "uploads_full", "docent is reading as many uploads as it can; try again in a moment"))}
	route.Add(r, huma.Operation{
		Method: http.MethodPost, Path: path, OperationID: "upload-documents", Tags: []string{"documents"},
		Summary: "Upload documents",
		Description: "Each file becomes a document with the source upload:NAME and has its own result. A file that cannot be read fails with a " +
			"reason, and the others are still read. A file name can have folders (guide/readme.md). Files with equal names in one request are " +
			"numbered: readme.md and readme (2).md. A file with the name of an earlier upload replaces that document. " +
			"A field collection must come before the files.",
		DefaultStatus: http.StatusOK,
		Errors: []int{
			http.StatusRequestTimeout, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusTooManyRequests,
		},
	}, u.upload)
	u.addReplace(r)
	// The body is described afterwards: huma reads described bodies into memory.
	r.OpenAPI().Paths[path].Post.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
		"multipart/form-data": {Schema: &huma.Schema{
			Type: "object", Required: []string{"file"},
			Properties: map[string]*huma.Schema{
				"collection": {Type: "string", Description: "The collection of the documents."},
				"file":       {Type: "array", Items: &huma.Schema{Type: "string", Format: "binary"}, Description: "The files."},
			},
		}},
	}}
}

func (u *uploads) upload(ctx context.Context, in *uploadInput) (*uploadOutput, error) {
	parts, err := u.parts(in.HTTP())
	if err != nil {
		return nil, err
	}
	out := &uploadOutput{}
	out.Body.Results = []UploadResult{}
	if err := u.readParts(ctx, parts, in.Collection, &out.Body.Results); err != nil {
		return nil, err
	}
	return out, nil
}

// parts returns the parts of a request.
func (u *uploads) parts(req *http.Request, w http.ResponseWriter) (*multipart.Reader, error) {
	if req.ContentLength > u.cfg.RequestBytes {
		return nil, uploadTooLarge(u.cfg.RequestBytes)
	}
	body := http.MaxBytesReader(w, req.Body, u.cfg.RequestBytes)
	req.Body = struct {
		io.Reader
		io.Closer
	}{stall.NewReader(w, body, u.cfg.StallTimeout), body}
	parts, err := req.MultipartReader()
	if err != nil {
		return nil, route.NewError(http.StatusUnsupportedMediaType, fault.Invalid,
			fault.NewText("multipart_needed", "send the files as multipart/form-data"))
	}
	return parts, nil
}

// readParts reads the parts in their order.
func (u *uploads) readParts(ctx context.Context, parts *multipart.Reader, collection string, results *[]UploadResult) error {
	var oversized error
	names := map[string]bool{} // of this request, at most maxFiles
	files := 0
	for {
		part, err := parts.NextPart()
		switch {
		case errors.Is(err, io.EOF) && files == 0:
			return fault.New(fault.Invalid, "upload_without_file", "the upload has no file; send it in the field \"file\"")
		case errors.Is(err, io.EOF):
			if files > 1 {
				return nil // the results contain it
			}
			return oversized
		case err != nil:
			return readError(ctx, err)
		case part.FormName() == "collection":
			if files > 0 {
				return fault.New(fault.Invalid,
					"upload_collection_late", "the field collection must come before the files; %d files were already stored without it", files)
			}
			if collection, err = collectionField(part); err != nil {
				return err
			}
		case part.FormName() == "file":
			if files++; files > maxFiles {
				return fault.New(fault.Invalid, "upload_too_many_files", "an upload can have at most %d files; docent stored the first ones, send the rest separately", maxFiles)
			}
			if err := route.CheckText("collection", collection); err != nil {
				return err
			}
			collection = cmp.Or(collection, corpus.DefaultCollection)
			route.Concerns(ctx, collection)
			source := "upload:" + filename.Distinct(names, filename.CleanPath(sentName(part)))
			r, tooLarge, err := u.readFile(ctx, part, source, func(ctx context.Context, r io.Reader) ([]ingest.Result, error) {
				return u.cfg.Ingester.Read(ctx, collection, source, r)
			})
			if err != nil {
				return err
			}
			for _, r := range r {
				*results = append(*results, Shape(r))
			}
			oversized = tooLarge
		}
	}
}

func collectionField(part *multipart.Part) (string, error) {
	name, err := io.ReadAll(io.LimitReader(part, maxCollection+1))
	if err != nil || len(name) > maxCollection {
		return "", fault.New(fault.Invalid, "upload_collection_too_long", "the field collection is longer than %d bytes", maxCollection)
	}
	return strings.TrimSpace(string(name)), nil
}

// readFile ingests one file with read. A file over the limit is a failed result and also
// sets tooLarge.
func (u *uploads) readFile(
	ctx context.Context, part *multipart.Part, source string, read func(context.Context, io.Reader) ([]ingest.Result, error),
) (results []ingest.Result, tooLarge, err error) {
	done, err := u.slots.Take(ctx, slots.Forever)
	if err != nil {
		return nil, nil, err
	}
	// A file that takes long to read gives its slot back and waits with the other
	// slow files.
	done = sync.OnceFunc(done)
	defer done()
	ctx = intake.WithClient(ctx, intake.Client{Key: slots.ClientKey(ctx), Slow: done})
	limited := &limitedFile{r: part, left: u.cfg.FileBytes}
	results, err = read(ctx, limited)
	switch {
	case limited.over:
		tooLarge = route.TooLarge(fault.NewText("the_file", "the file"), u.cfg.FileBytes)
		// The client gets the response only after it has sent the rest.
		if _, err := io.Copy(io.Discard, part); err != nil {
			return nil, nil, readError(ctx, err)
		}
		return []ingest.Result{{Source: source, Status: ingest.Failed, Reason: route.AsError(tooLarge).Text}}, tooLarge, nil
	case limited.err != nil:
		return nil, nil, readError(ctx, limited.err)
	case err != nil && fault.KindOf(err) == fault.Invalid:
		return []ingest.Result{{Source: source, Status: ingest.Failed, Reason: fault.TextOf(err)}}, nil, nil
	}
	return results, nil, err
}

// readError explains why the body of an upload cannot be read.
func readError(ctx context.Context, err error) error {
	var limit *http.MaxBytesError
	switch {
	case errors.As(err, &limit):
		return uploadTooLarge(limit.Limit)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return route.NewError(http.StatusRequestTimeout, fault.Invalid,
			fault.NewText("upload_stalled", "no more of the upload arrived; try again"))
	case ctx.Err() != nil:
		return ctx.Err()
	default:
		return fault.Wrap(fault.Invalid, err, "upload_cut_off", "the upload is cut off or is not multipart/form-data")
	}
}

func uploadTooLarge(limit int64) error {
	return route.TooLarge(fault.NewText("the_upload", "the upload"), limit)
}

// errOver ends the reading of a file over the limit.
var errOver = errors.New("the file is larger than an upload may be")

// limitedFile reads a file and fails when it is over its limit.
type limitedFile struct {
	r    io.Reader
	left int64
	over bool  // whether the file is over its limit
	err  error // of r
}

// Read fails at the limit, so a truncated file is never stored.
func (l *limitedFile) Read(p []byte) (int, error) {
	if l.over {
		return 0, errOver
	}
	n, err := l.r.Read(p)
	if l.left -= int64(n); l.left < 0 {
		l.over = true
		return 0, errOver
	}
	if err != nil && !errors.Is(err, io.EOF) {
		l.err = err
	}
	return n, err
}

// sentName returns the file name with its folders, which part.FileName removes.
func sentName(part *multipart.Part) string {
	_, params, err := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
	if err != nil {
		return part.FileName()
	}
	return params["filename"]
}
