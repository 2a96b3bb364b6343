package api

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"docent/api/route"
	"docent/api/slots"
	"docent/ingest/scratch"
	"docent/internal/fault"
)

// maxSending bounds the bodies in temporary files at once.
const maxSending = 64

// copyBytes is the size of the pieces in which bodies are written to the disk.
const copyBytes = 64 << 10

// transfers sends texts, originals, and exports. It writes a body to a temporary
// file before it sends it, so that a client that reads slowly takes no slot, no
// memory, and no connection to the database that others need.
type transfers struct {
	routes  *route.Router
	reads   *slots.Slots // of bodies that are read from the database
	sending *slots.Slots // of bodies that are sent
}

func newTransfers(routes *route.Router, reads int) transfers {
	full := fault.New(fault.Busy, "downloads_full", "docent is sending as many documents as it can; try again in a moment")
	return transfers{routes, slots.New(reads, full), slots.New(maxSending, full)}
}

// send returns the response with a body. write writes the body; header sets the
// headers.
func (t transfers) send(
	ctx context.Context, header func(h http.Header), write func(ctx context.Context, w io.Writer) error,
) (_ *huma.StreamResponse, err error) {
	sent, err := t.sending.Take(ctx, readPatience)
	if err != nil {
		return nil, err
	}
	body, err := t.read(ctx, write)
	if err != nil {
		sent()
		return nil, err
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		defer sent()
		defer body.remove()
		_, w := humago.Unwrap(hc)
		w.Header().Set("Content-Length", strconv.FormatInt(body.size, 10))
		header(w.Header())
		t.routes.Send(ctx, hc, route.Copy(body.file))
	}}, nil
}

// storedBody is the body of a response in a temporary file.
type storedBody struct {
	file   *os.File
	size   int64
	remove func()
}

// read writes a body to a temporary file.
func (t transfers) read(ctx context.Context, write func(ctx context.Context, w io.Writer) error) (_ storedBody, err error) {
	done, err := t.reads.Take(ctx, readPatience)
	if err != nil {
		return storedBody{}, err
	}
	defer done()
	folder, err := scratch.Make(scratch.Response)
	if err != nil {
		return storedBody{}, err
	}
	file, err := os.Create(filepath.Join(folder.Path, "body"))
	if err != nil {
		return storedBody{}, errors.Join(fmt.Errorf("store a response: %w", err), folder.Remove())
	}
	body := storedBody{file: file, remove: func() {
		_ = file.Close()
		_ = folder.Remove()
	}}
	buffered := bufio.NewWriterSize(file, copyBytes)
	if err = write(ctx, buffered); err == nil {
		err = buffered.Flush()
	}
	if err == nil {
		body.size, err = file.Seek(0, io.SeekEnd)
	}
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		body.remove()
	}
	return body, err
}
