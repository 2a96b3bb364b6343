package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"docent/config"
	"docent/internal/fault"
)

func newDocsReplace(std stdio) *cobra.Command {
	var from remote
	cmd := &cobra.Command{
		Use:   "replace ID FILE",
		Short: "Replace the content of a document by a file",
		Long: `Replace the content of a document by a file. The document keeps its id, its source, its
tags, and a title that people gave to it, and answers still cite it. The file needs the
ending of the document. If docent cannot read the file, the earlier version stays.

Only uploads and standard input can be replaced. Other documents change where they come
from: change the file in its folder, or the page on its website.`,
		Example: `  docent docs replace 12 handbook-2026.pdf`,
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			ids, err := documentIDs(args[:1])
			if err != nil {
				return err
			}
			result, err := replaceDocument(cmd, std, &from, ids[0], args[1])
			if err != nil {
				return err
			}
			if result.Reason != "" {
				return fault.New(fault.Invalid, "cli_not_replaced", "%s: %s; the document is unchanged", args[1], result.Reason)
			}
			_, err = fmt.Fprintf(std.out, "document %d: %s, %s\n", ids[0], result.Status, plural(result.Chunks, "passage"))
			return err
		},
	}
	from.flags(cmd, "")
	scoped(cmd, config.Ingesting, config.Embedding)
	return cmd
}

// replaceDocument replaces a document of a server, or of the database.
func replaceDocument(cmd *cobra.Command, std stdio, from *remote, id int64, name string) (ingestLine, error) {
	ctx := cmd.Context()
	elsewhere, err := from.check(cmd)
	if err != nil {
		return ingestLine{}, err
	}
	file, err := os.Open(name)
	if err != nil {
		return ingestLine{}, fault.New(fault.Invalid, "cli_table_unreadable", "cannot read %s: %w", name, err)
	}
	defer file.Close()
	if elsewhere {
		return from.replace(ctx, id, file)
	}
	p, err := openReading(cmd, std)
	if err != nil {
		return ingestLine{}, err
	}
	defer p.Close(ctx)
	doc, err := p.DB.Library.Document(ctx, id)
	if err != nil {
		return ingestLine{}, fmt.Errorf("replace a document: %w", err)
	}
	results, err := p.Ingester.Replace(ctx, doc, filepath.Base(name), file)
	if err != nil {
		return ingestLine{}, fmt.Errorf("replace a document: %w", err)
	}
	for _, r := range results {
		if r.Source == doc.Source {
			return ingestLine{Source: r.Source, Status: r.Status, Chunks: r.Chunks, Reason: r.Reason.Message}, saveIndex(ctx, p.Store, p.Embedders)
		}
	}
	return ingestLine{}, errors.New("replace a document: no result")
}

// replace replaces a document of the server.
func (r *remote) replace(ctx context.Context, id int64, file *os.File) (result ingestLine, err error) {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", filepath.Base(file.Name()))
	if err == nil {
		_, err = io.Copy(part, file)
	}
	if err = errors.Join(err, form.Close()); err != nil {
		return result, fmt.Errorf("read %s: %w", file.Name(), err)
	}
	return result, r.send(ctx, http.MethodPut, fmt.Sprintf("/api/documents/%d/file", id), form.FormDataContentType(), &body, &result)
}
