package api

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"docent/agent"
	"docent/agent/session/journal"
	"docent/api/converse"
	"docent/api/filename"
	"docent/api/route"
	"docent/api/slots"
	"docent/api/uploads"
	"docent/ingest/intake"
	"docent/internal/fault"
	"docent/payload"
	"docent/rag/corpus"
)

// MaxFileBytes bounds a file that is attached to a conversation over HTTP.
const MaxFileBytes = 20 << 20

// Attacher sends files to conversations.
type Attacher interface {
	// SendFile sends a file to a session, which it creates if it does not exist. The caller
	// must call answer once, which waits for the end of the turn and returns its stored frames.
	SendFile(ctx context.Context, sessionID string, file payload.File) (answer func() ([]payload.Frame, error), err error)
}

// File is a file of a conversation.
type File struct {
	// Turn identifies the file in its conversation.
	Turn int64 `json:"turn" doc:"The turn of the file, which identifies it in the conversation."`
	// Name is the name of the file.
	Name string `json:"name"`
	// Title is the title in the file, or its name.
	Title string `json:"title"`
	// MediaType is the media type.
	MediaType string `json:"media_type"`
	// Passages is the number of its passages.
	Passages int `json:"passages"`
}

// files handles the routes for the files of conversations. They are not part of the library.
type files struct {
	ownedSessions
	store    Messages
	attacher Attacher
	ingester uploads.Ingester
}

type filesInput struct {
	SessionID string `path:"session_id" maxLength:"255"`
}

type filesOutput struct {
	Body struct {
		Files []File `json:"files"`
	} `nameHint:"Files"`
}

type attachInput struct {
	route.StreamedBody
	SessionID string `path:"session_id" maxLength:"255"`
}

type attachOutput struct {
	Body File
}

type fileInput struct {
	SessionID string `path:"session_id" maxLength:"255"`
	Turn      int64  `path:"turn" minimum:"1"`
}

type publishInput struct {
	route.JSONBody
	SessionID string `path:"session_id" maxLength:"255"`
	Turn      int64  `path:"turn" minimum:"1"`
	Body      struct {
		Collection string `json:"collection,omitempty" maxLength:"200" doc:"The collection of the document. The default is default."`
	} `nameHint:"FilePublication"`
}

type publishOutput struct {
	Body struct {
		Results []uploads.UploadResult `json:"results"`
	} `nameHint:"UploadResults"`
}

func (f files) addRoutes(r *route.Router) {
	const all, one = "/api/sessions/{session_id}/files", "/api/sessions/{session_id}/files/{turn}"
	tags, missing := []string{"sessions"}, []int{http.StatusNotFound}
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: all, OperationID: "list-session-files", Tags: tags, Errors: missing,
		Summary: "List the files of a conversation", Description: "Answers in the conversation use these files. Nobody else finds them.",
	}, f.list)
	route.Add(r, huma.Operation{
		Method: http.MethodPost, Path: all, OperationID: "attach-file", Tags: tags, DefaultStatus: http.StatusOK,
		Summary: "Attach a file to a conversation",
		Description: "The file belongs to the conversation, which is created if it does not exist. Only this conversation searches it, " +
			"before the library. It is deleted with the conversation. The response follows when the file is read.",
		Errors: []int{
			http.StatusNotFound, http.StatusConflict, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType,
			http.StatusTooManyRequests, http.StatusServiceUnavailable,
		},
	}, f.attach)
	// The body is described afterwards: huma reads described bodies into memory.
	r.OpenAPI().Paths[all].Post.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
		"multipart/form-data": {Schema: &huma.Schema{
			Type: "object", Required: []string{"file"},
			Properties: map[string]*huma.Schema{"file": {Type: "string", Format: "binary", Description: "The file."}},
		}},
	}}
	route.Add(r, huma.Operation{
		Method: http.MethodDelete, Path: one, OperationID: "remove-session-file", Tags: tags,
		Errors:  append([]int{http.StatusConflict}, missing...),
		Summary: "Remove a file from a conversation", Description: "Answers that quote the file keep their quotes. A file that docent is still reading cannot be removed.",
	}, f.remove)
	route.Add(r, huma.Operation{
		Method: http.MethodPost, Path: one + "/publish", OperationID: "publish-session-file", Tags: tags, DefaultStatus: http.StatusOK,
		Summary: "Add a file of a conversation to the library",
		Description: "The file becomes a document with the source upload:NAME, as an upload does. " +
			"This needs the scope ingest, and the right to write to the collection. The conversation keeps its file.",
		Errors: append([]int{http.StatusForbidden, http.StatusTooManyRequests}, missing...),
	}, f.publish)
}

// read returns the readable files of a session.
func (f files) read(ctx context.Context, record journal.SessionRecord) ([]File, error) {
	documents, err := f.store.SessionDocuments(ctx, record.RowID)
	if err != nil {
		return nil, err
	}
	out := []File{}
	for _, d := range documents {
		var content agent.SessionDocument
		if err := json.Unmarshal(d.Content, &content); err != nil {
			return nil, fault.Wrap(fault.Internal, err, "session_file_damaged", "a stored file of the conversation is damaged")
		}
		out = append(out, File{d.Turn, content.Source, content.Title, content.Media, len(content.Chunks)})
	}
	return out, nil
}

func (f files) list(ctx context.Context, in *filesInput) (*filesOutput, error) {
	record, err := f.session(ctx, in.SessionID)
	if err != nil {
		return nil, err
	}
	out := &filesOutput{}
	out.Body.Files, err = f.read(ctx, record)
	return out, err
}

// session returns a session of the agent that the caller may use.
func (f files) session(ctx context.Context, id string) (journal.SessionRecord, error) {
	key, err := f.key(ctx, id, "")
	if err != nil {
		return journal.SessionRecord{}, err
	}
	return f.find(ctx, key)
}

func (f files) attach(ctx context.Context, in *attachInput) (*attachOutput, error) {
	key, err := f.key(ctx, in.SessionID, "")
	if err != nil {
		return nil, err
	}
	file, err := sentFile(in.HTTP())
	if err != nil {
		return nil, err
	}
	answer, err := f.attacher.SendFile(converse.WithAgent(ctx, key.Agent), in.SessionID, file)
	if err != nil {
		return nil, err
	}
	frames, err := answer()
	if err != nil {
		return nil, err
	}
	out := &attachOutput{File{Name: file.Name, Title: file.Name, MediaType: file.Type}}
	for _, frame := range frames {
		if frame.Turn != nil {
			out.Body.Turn = *frame.Turn
		}
	}
	record, err := f.session(ctx, in.SessionID)
	if err != nil {
		return nil, err
	}
	read, err := f.read(ctx, record)
	for _, r := range read {
		if r.Turn == out.Body.Turn {
			out.Body = r
		}
	}
	return out, err
}

// sentFile reads the file of a request.
func sentFile(req *http.Request, w http.ResponseWriter) (payload.File, error) {
	const form = 64 << 10 // of the parts around the file
	req.Body = http.MaxBytesReader(w, req.Body, MaxFileBytes+form)
	parts, err := req.MultipartReader()
	if err != nil {
		return payload.File{}, route.NewError(http.StatusUnsupportedMediaType, fault.Invalid,
			fault.NewText("multipart_needed", "send the files as multipart/form-data"))
	}
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return payload.File{}, fault.New(fault.Invalid, "upload_without_file", "the upload has no file; send it in the field \"file\"")
		}
		var content []byte
		if err == nil {
			content, err = io.ReadAll(part)
		}
		var limit *http.MaxBytesError
		switch {
		case errors.As(err, &limit) || len(content) > MaxFileBytes:
			return payload.File{}, route.TooLarge(fault.NewText("the_file", "the file"), MaxFileBytes)
		case err != nil:
			return payload.File{}, fault.Wrap(fault.Invalid, err, "upload_cut_off", "the upload is cut off or is not multipart/form-data")
		case part.FormName() == "file":
			return payload.NewFile(filename.Clean(part.FileName()), part.Header.Get("Content-Type"), content), nil
		}
	}
}

// file returns the file that began a turn.
func (f files) file(ctx context.Context, in *fileInput) (journal.SessionRecord, payload.File, error) {
	record, err := f.session(ctx, in.SessionID)
	if err != nil {
		return record, payload.File{}, err
	}
	messages, err := f.store.Messages(ctx, record.RowID, journal.MessageQuery{Turn: in.Turn})
	if err != nil {
		return record, payload.File{}, err
	}
	for _, m := range messages {
		if m.IsUser && m.Type == payload.TypeFile {
			file, err := payload.DecodeFile(m.Content)
			return record, file, err
		}
	}
	return record, payload.File{}, fault.New(fault.NotFound, "no_conversation_file", "this conversation has no such file")
}

// remove removes a file. Its name stays in the conversation.
func (f files) remove(ctx context.Context, in *fileInput) (*struct{}, error) {
	record, file, err := f.file(ctx, in)
	if err != nil {
		return nil, err
	}
	file.Base64 = ""
	left, err := payload.Marshal(file.Text())
	if err != nil {
		return nil, err
	}
	return nil, f.directory.RemoveFile(ctx, record.RowID, in.Turn, left)
}

// publish adds a file to the library. The ingester checks the right to write.
func (f files) publish(ctx context.Context, in *publishInput) (*publishOutput, error) {
	if err := route.CheckText("collection", in.Body.Collection); err != nil {
		return nil, err
	}
	_, file, err := f.file(ctx, &fileInput{in.SessionID, in.Turn})
	if err != nil {
		return nil, err
	}
	content, err := file.Bytes()
	if err != nil {
		return nil, err
	}
	if len(content) == 0 {
		return nil, fault.New(fault.NotFound, "no_conversation_file", "this conversation has no such file")
	}
	ctx = intake.WithClient(ctx, intake.Client{Key: slots.ClientKey(ctx)})
	collection := cmp.Or(in.Body.Collection, corpus.DefaultCollection)
	route.Concerns(ctx, collection)
	results, err := f.ingester.Read(ctx, collection, "upload:"+filename.Clean(file.Name), bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	out := &publishOutput{}
	for _, r := range results {
		out.Body.Results = append(out.Body.Results, uploads.Shape(r))
	}
	return out, nil
}
