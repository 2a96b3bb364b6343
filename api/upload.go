package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"path"
	"strings"
	"sync"
	"unicode"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"docent/ingest"
	"docent/ingest/intake"
	"docent/internal/fault"
	"docent/rag/corpus"
)

// Limits of an upload's small parts.
const (
	// maxFileName bounds a file's name in bytes, as file systems do.
	maxFileName = 255
	// maxFilePath bounds a file's name with its folders, in bytes; a longer one
	// loses the folders.
	maxFilePath = 1024
	// maxCollection bounds a collection's name in bytes.
	maxCollection = 200
	// maxFiles bounds the files of one request.
	maxFiles = 1000
)

type uploadInput struct {
	Collection string `query:"collection" maxLength:"200" doc:"The collection of the documents, unless a field names one. The default is default."`
	r          *http.Request
	w          http.ResponseWriter
}

// Resolve takes the request itself, so that the body can be read as it comes.
func (in *uploadInput) Resolve(hc huma.Context) []error {
	in.r, in.w = humago.Unwrap(hc)
	return nil
}

// UploadResult says what became of one document of an upload.
type UploadResult struct {
	// Source is the document's source.
	Source string `json:"source"`
	// Status is the outcome.
	Status string `json:"status" enum:"added,changed,unchanged,removed,failed"`
	// Chunks is the number of passages; of a removed document, how many it had.
	Chunks int `json:"chunks"`
	// Reason says in one line why the document failed.
	Reason string `json:"reason,omitempty"`
	// Sentence names the reason.
	Sentence *fault.Sentence `json:"sentence,omitempty"`
	// Note says what could not be read of an added or changed document.
	Note string `json:"note,omitempty"`
	// DocumentID is the id of the stored document; 0 if none is stored.
	DocumentID int64 `json:"document_id,omitempty"`
}

func uploadResult(r ingest.Result) UploadResult {
	return UploadResult{
		Source: r.Source, Status: r.Status, Chunks: r.Chunks, Reason: r.Reason.Message, Sentence: sentence(r.Reason), Note: r.Note, DocumentID: r.DocumentID,
	}
}

type uploadOutput struct {
	Body struct {
		Results []UploadResult `json:"results"`
	} `nameHint:"UploadResults"`
}

func (s *server) uploadRoutes() {
	const route = "/api/documents"
	register(s, huma.Operation{
		Method: http.MethodPost, Path: route, OperationID: "upload-documents", Tags: []string{"documents"},
		Summary: "Upload documents",
		Description: "Each file becomes a document with the source upload:NAME and has its own result. A file that cannot be read fails with a " +
			"reason, and the others are still read. A file name can have folders (guide/readme.md). Files with equal names in one request are " +
			"numbered: readme.md and readme (2).md. A file with the name of an earlier upload replaces that document. " +
			"A field collection must come before the files.",
		DefaultStatus: http.StatusOK, Errors: []int{http.StatusRequestTimeout, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusTooManyRequests},
	}, s.upload)
	// Told afterwards: huma would read a body that it knows of into memory.
	s.api.OpenAPI().Paths[route].Post.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
		"multipart/form-data": {Schema: &huma.Schema{
			Type: "object", Required: []string{"file"},
			Properties: map[string]*huma.Schema{
				"collection": {Type: "string", Description: "The collection of the documents."},
				"file":       {Type: "array", Items: &huma.Schema{Type: "string", Format: "binary"}, Description: "The files."},
			},
		}},
	}}
}

func (s *server) upload(ctx context.Context, in *uploadInput) (*uploadOutput, error) {
	if in.r.ContentLength > s.cfg.RequestBytes {
		return nil, s.tooLarge(fault.NewText("the_upload", "the upload"), s.cfg.RequestBytes)
	}
	body := http.MaxBytesReader(in.w, in.r.Body, s.cfg.RequestBytes)
	in.r.Body = struct {
		io.Reader
		io.Closer
	}{&patient{rc: http.NewResponseController(in.w), stall: s.cfg.StallTimeout, read: body.Read}, body}
	parts, err := in.r.MultipartReader()
	if err != nil {
		return nil, &Error{
			status: http.StatusUnsupportedMediaType, Code: fault.Invalid,
			Text: fault.NewText("multipart_needed", "send the files as multipart/form-data"),
		}
	}
	out := &uploadOutput{}
	out.Body.Results = []UploadResult{}
	if err := s.readParts(ctx, parts, in.Collection, &out.Body.Results); err != nil {
		return nil, err
	}
	return out, nil
}

// readParts takes the parts in their order.
func (s *server) readParts(ctx context.Context, parts *multipart.Reader, collection string, results *[]UploadResult) error {
	var oversized error
	names := map[string]bool{} // those of this request, at most maxFiles
	files := 0
	for {
		part, err := parts.NextPart()
		switch {
		case errors.Is(err, io.EOF) && files == 0:
			return fault.New(fault.Invalid, "upload_without_file", "the upload has no file; send it in the field \"file\"")
		case errors.Is(err, io.EOF):
			if files > 1 {
				return nil // the result says it
			}
			return oversized
		case err != nil:
			return s.broken(ctx, err)
		case part.FormName() == "collection":
			if files > 0 {
				return fault.New(fault.Invalid,
					"upload_collection_late", "the field collection must come before the files; %d were stored without it", files)
			}
			if collection, err = collectionField(part); err != nil {
				return err
			}
		case part.FormName() == "file":
			if files++; files > maxFiles {
				return fault.New(fault.Invalid, "upload_too_many_files", "more than %d files; the files before are stored", maxFiles)
			}
			if err := plain("collection", collection); err != nil {
				return err
			}
			setDefault(&collection, corpus.DefaultCollection)
			source := "upload:" + distinct(names, cleanPath(sentName(part)))
			r, tooLarge, err := s.readFile(ctx, part, collection, source)
			if err != nil {
				return err
			}
			for _, r := range r {
				*results = append(*results, uploadResult(r))
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

// readFile ingests one file. tooLarge is set if the limit cut it off; it is
// then a failed result too.
func (s *server) readFile(ctx context.Context, part *multipart.Part, collection, source string) (results []ingest.Result, tooLarge, err error) {
	done, err := s.uploads.take(ctx, forEver)
	if err != nil {
		return nil, nil, err
	}
	// A file that takes long to read gives its slot back, and waits its turn
	// among other such files.
	done = sync.OnceFunc(done)
	defer done()
	ctx = intake.WithClient(ctx, intake.Client{Key: clientKey(ctx), Slow: done})
	limited := &limitedFile{r: part, left: s.cfg.UploadBytes}
	results, err = s.cfg.Uploads.Read(ctx, collection, source, limited)
	switch {
	case limited.over:
		tooLarge = s.tooLarge(fault.NewText("the_file", "the file"), s.cfg.UploadBytes)
		// The rest is read so that the client, which is still sending, gets
		// the answer.
		if _, err := io.Copy(io.Discard, part); err != nil {
			return nil, nil, s.broken(ctx, err)
		}
		return []ingest.Result{{Source: source, Status: ingest.Failed, Reason: asError(tooLarge).Text}}, tooLarge, nil
	case limited.err != nil:
		return nil, nil, s.broken(ctx, limited.err)
	case err != nil && (fault.KindOf(err) == fault.Invalid):
		return []ingest.Result{{Source: source, Status: ingest.Failed, Reason: fault.TextOf(err)}}, nil, nil
	}
	return results, nil, err
}

// broken explains an upload whose body cannot be read on.
func (s *server) broken(ctx context.Context, err error) error {
	var limit *http.MaxBytesError
	switch {
	case errors.As(err, &limit):
		return s.tooLarge(fault.NewText("the_upload", "the upload"), limit.Limit)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &Error{
			status: http.StatusRequestTimeout, Code: fault.Invalid,
			Text: fault.NewText("upload_stalled", "no more of the upload arrived; try again"),
		}
	case ctx.Err() != nil:
		return ctx.Err()
	default:
		return fault.Wrap(fault.Invalid, err, "upload_cut_off", "the upload is cut off or is not multipart/form-data")
	}
}

func (s *server) tooLarge(what fault.Text, limit int64) *Error {
	return &Error{
		status: http.StatusRequestEntityTooLarge, Code: fault.Invalid,
		Text: fault.NewText("larger_than_limit", "%s is larger than %s", what, size(limit)),
	}
}

func size(n int64) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}

// errOver ends the reading of a file over the limit.
var errOver = errors.New("the file is larger than an upload may be")

// limitedFile passes a file on until it is over its limit.
type limitedFile struct {
	r    io.Reader
	left int64
	over bool  // the limit was passed
	err  error // of r
}

// Read fails rather than end early, so that half a file is never stored.
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

// sentName is the file name as the client sent it: multipart takes its folders
// off.
func sentName(part *multipart.Part) string {
	_, params, err := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
	if err != nil {
		return part.FileName()
	}
	return params["filename"]
}

// distinct makes a name differ from those taken, and takes it.
func distinct(taken map[string]bool, name string) string {
	ext := path.Ext(name)
	if strings.Trim(path.Base(name), ".") == strings.TrimPrefix(ext, ".") {
		ext = "" // of a name such as .profile
	}
	stem, unique := strings.TrimSuffix(name, ext), name
	for n := 2; taken[unique]; n++ {
		unique = fmt.Sprintf("%s (%d)%s", stem, n, ext)
	}
	taken[unique] = true
	return unique
}

// cleanPath makes a relative path, with / between its folders, of whatever a
// client sent as a file's name: it leads nowhere but down. Of an absolute path,
// which says more of the client's machine than it meant to, the name is left.
func cleanPath(name string) string {
	name = strings.ReplaceAll(name, `\`, "/")
	if strings.HasPrefix(name, "/") || (len(name) > 1 && name[1] == ':') {
		return cleanName(name)
	}
	var parts []string
	for part := range strings.SplitSeq(name, "/") {
		if part = strings.TrimSpace(part); part != "" && part != "." && part != ".." {
			parts = append(parts, cleanName(part))
		}
	}
	clean := strings.Join(parts, "/")
	if clean == "" || len(clean) > maxFilePath {
		return cleanName(name)
	}
	return clean
}

// cleanName makes a file name of whatever a client sent: without folders and
// control characters, among them those that turn what is read round, and not too
// long.
func cleanName(name string) string {
	name = strings.ToValidUTF8(strings.ReplaceAll(name, `\`, "/"), "")
	name = path.Base(name)
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '/' {
			return -1
		}
		return r
	}, name)
	for len(name) > maxFileName {
		name = strings.ToValidUTF8(name[:maxFileName], "")
	}
	if name = strings.TrimSpace(name); name == "" || name == "." || name == ".." {
		return "file"
	}
	return name
}
