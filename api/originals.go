package api

import (
	"archive/zip"
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"docent/api/filename"
	"docent/api/route"
	"docent/internal/fault"
	"docent/rag/corpus"
)

const (
	// maxOriginals bounds the documents in one ZIP file, and maxOriginalBytes the size of their originals.
	maxOriginals, maxOriginalBytes = 1000, 1 << 30
	// leftOutName is the file in the ZIP file that lists documents without an original.
	leftOutName = "not-included.txt"
)

type originalsInput struct {
	Collection string `query:"collection" required:"true" minLength:"1" maxLength:"200" doc:"The collection of the documents."`
	Folder     string `query:"folder" maxLength:"1000" doc:"Only the documents in this folder and below it."`
}

func (d documents) addOriginals() {
	route.Add(d.routes, huma.Operation{
		Method: http.MethodGet, Path: "/api/documents/export", OperationID: "export-documents", Tags: []string{"documents"},
		Summary: "Get the original files of a collection or a folder as a ZIP file",
		Description: "Fewer than 1,000 documents, with at most 1 GiB. The file not-included.txt lists documents whose file docent has not kept, such as " +
			"those from a folder of the server.",
		Errors: []int{http.StatusNotFound, http.StatusTooManyRequests, http.StatusServiceUnavailable},
		Responses: map[string]*huma.Response{"200": {Description: "OK", Content: map[string]*huma.MediaType{
			"application/zip": {Schema: &huma.Schema{Type: "string", Format: "binary"}},
		}}},
	}, d.originals)
}

// originals sends the originals of a collection or a folder.
func (d documents) originals(ctx context.Context, in *originalsInput) (*huma.StreamResponse, error) {
	if err := route.CheckText("collection", in.Collection, "folder", in.Folder); err != nil {
		return nil, err
	}
	if err := corpus.CheckCollections(ctx, d.library, []string{in.Collection}); err != nil {
		return nil, err
	}
	filter := corpus.DocumentFilter{Collection: in.Collection, Limit: maxOriginals}
	if in.Folder != "" {
		filter.Place.Folders = []string{in.Folder}
	}
	found, err := d.library.Documents(ctx, filter)
	if err != nil {
		return nil, err
	}
	size := int64(0)
	for _, doc := range found {
		size += doc.Size
	}
	if len(found) == maxOriginals || size > maxOriginalBytes {
		return nil, fault.New(fault.Invalid, "export_too_large",
			"these are %d documents or more; docent exports fewer than %d, with at most 1 GiB; choose a folder", len(found), maxOriginals)
	}
	name := filename.Clean(strings.ReplaceAll(strings.Trim(in.Collection+"-"+in.Folder, "-/"), "/", "-")) + ".zip"
	return d.transfers.send(ctx, func(h http.Header) {
		h.Set("Content-Type", "application/zip")
		h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	}, func(ctx context.Context, w io.Writer) error { return d.writeOriginals(ctx, w, found) })
}

// writeOriginals writes a ZIP file with the originals of documents.
func (d documents) writeOriginals(ctx context.Context, w io.Writer, found []corpus.Document) error {
	out := zip.NewWriter(w)
	taken := map[string]bool{leftOutName: true}
	var left strings.Builder
	for _, doc := range found {
		original, err := d.library.Original(ctx, doc.ID)
		if fault.KindOf(err) == fault.NotFound { // not kept, or deleted meanwhile
			fmt.Fprintf(&left, "%s\t%s\n", doc.Title, doc.Source)
			continue
		}
		if err != nil {
			return err
		}
		source := strings.TrimPrefix(strings.TrimPrefix(corpus.ShortSource(doc.Source), "upload:"), "stdin:")
		if _, rest, ok := strings.Cut(source, "://"); ok {
			source = rest
		}
		if err := addFile(out, filename.Distinct(taken, filename.CleanPath(strings.ReplaceAll(source, "#", ".parts/"))), original); err != nil {
			return err
		}
	}
	if left.Len() > 0 {
		if err := addFile(out, leftOutName, io.NopCloser(strings.NewReader(left.String()))); err != nil {
			return err
		}
	}
	if err := out.Close(); err != nil {
		return fmt.Errorf("write a ZIP file: %w", err)
	}
	return nil
}

// addFile adds a file to a ZIP file, and closes its content.
func addFile(out *zip.Writer, name string, content io.ReadCloser) error {
	defer content.Close()
	part, err := out.Create(name)
	if err == nil {
		_, err = io.Copy(part, content)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}
