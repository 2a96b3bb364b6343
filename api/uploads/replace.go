package uploads

import (
	"context"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"docent/api/filename"
	"docent/api/route"
	"docent/ingest"
	"docent/internal/fault"
)

type replaceInput struct {
	route.StreamedBody
	ID int64 `path:"id" minimum:"1"`
}

type replaceOutput struct{ Body UploadResult }

// addReplace adds the route that replaces the content of a document.
func (u *uploads) addReplace(r *route.Router) {
	const path = "/api/documents/{id}/file"
	route.Add(r, huma.Operation{
		Method: http.MethodPut, Path: path, OperationID: "replace-document", Tags: []string{"documents"},
		Summary: "Replace a document by a file",
		Description: "This needs the right write. The document keeps its id, source, title given by people, and tags, and answers still cite it. " +
			"The file needs the ending of the document. If docent cannot read the file, the earlier version stays, and the result says " +
			"why. Only uploads can be replaced: for other documents, the error says where they come from.",
		DefaultStatus: http.StatusOK,
		Errors: []int{
			http.StatusNotFound, http.StatusConflict, http.StatusRequestTimeout, http.StatusRequestEntityTooLarge,
			http.StatusUnsupportedMediaType, http.StatusTooManyRequests,
		},
	}, u.replace)
	r.OpenAPI().Paths[path].Put.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
		"multipart/form-data": {Schema: &huma.Schema{
			Type: "object", Required: []string{"file"},
			Properties: map[string]*huma.Schema{"file": {Type: "string", Format: "binary", Description: "The file."}},
		}},
	}}
}

func (u *uploads) replace(ctx context.Context, in *replaceInput) (*replaceOutput, error) {
	route.Concerns(ctx, strconv.FormatInt(in.ID, 10))
	doc, err := u.cfg.Library.Metadata(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	parts, err := u.parts(in.HTTP())
	if err != nil {
		return nil, err
	}
	part, err := filePart(ctx, parts)
	if err != nil {
		return nil, err
	}
	name := filename.CleanPath(sentName(part))
	results, tooLarge, err := u.readFile(ctx, part, doc.Source, func(ctx context.Context, r io.Reader) ([]ingest.Result, error) {
		return u.cfg.Ingester.Replace(ctx, doc, name, r)
	})
	if err == nil {
		err = tooLarge
	}
	if err != nil {
		// The client gets the response only after it has sent the rest.
		_, _ = io.Copy(io.Discard, part)
		return nil, err
	}
	out := &replaceOutput{UploadResult{Source: doc.Source, DocumentID: doc.ID}}
	for _, r := range results {
		if r.Source == doc.Source {
			out.Body = Shape(r)
		}
	}
	return out, nil
}

// filePart returns the part with the file.
func filePart(ctx context.Context, parts *multipart.Reader) (*multipart.Part, error) {
	for {
		part, err := parts.NextPart()
		switch {
		case errors.Is(err, io.EOF):
			return nil, fault.New(fault.Invalid, "upload_without_file", "the upload has no file; send it in the field \"file\"")
		case err != nil:
			return nil, readError(ctx, err)
		case part.FormName() == "file":
			return part, nil
		}
	}
}
