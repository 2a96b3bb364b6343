package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"docent/agent/chat"
	"docent/agent/recording"
	"docent/agent/session/journal"

	"github.com/danielgtaylor/huma/v2"

	"docent/agent"
	"docent/api/filename"
	"docent/api/route"
	"docent/api/transcript"
	"docent/internal/fault"
)

// exportBytes bounds the part of a conversation that is in memory at once during
// an export. A single message may be longer.
const exportBytes = 8 << 20

// maxPaged bounds the text of an export with pages, in bytes. A PDF needs about ten times as
// much memory.
const maxPaged = 4 << 20

const (
	docxType = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
	pdfType  = "application/pdf"
)

// Export is a whole conversation.
type Export struct {
	// Session describes the session.
	Session Session `json:"session"`
	// Messages are the messages, oldest first.
	Messages []Message `json:"messages"`
	// Steps are the reasoning steps, oldest first.
	Steps []Step `json:"steps"`
}

type exportInput struct {
	SessionID string `path:"session_id" maxLength:"255"`
	Agent     string `query:"agent_name" maxLength:"255" doc:"The agent. The default is the agent of the stored session."`
	Format    string `query:"format" enum:"json,markdown,docx,pdf,recording" default:"json" doc:"json contains all data. recording is a test for docent agent test. The others are readable text with sources, without reasoning steps."`
	Turn      int64  `query:"turn" minimum:"0" doc:"Exports only this turn. Without it, the whole conversation."`
	Replaced  bool   `query:"replaced" doc:"Includes messages that were edited or answered again."`
}

// exports handles the route for exports.
type exports struct {
	routes *route.Router
	ownedSessions
	store     Messages
	traces    journal.Traces
	transfers transfers
}

func (e exports) addRoutes() {
	route.Add(e.routes, e.operation(), e.export)
}

// operation describes the export of a conversation.
func (e exports) operation() huma.Operation {
	schema := route.SchemaOf[Export](e.routes)
	return huma.Operation{
		Method: http.MethodGet, Path: "/api/sessions/{session_id}/export", OperationID: "export-session", Tags: []string{"sessions"},
		Summary: "Export a conversation as a file", Errors: []int{http.StatusNotFound, http.StatusTooManyRequests, http.StatusServiceUnavailable},
		Responses: map[string]*huma.Response{"200": {Description: "OK", Content: map[string]*huma.MediaType{
			"application/json": {Schema: schema}, "text/markdown": {Schema: &huma.Schema{Type: huma.TypeString}},
			"text/plain": {Schema: &huma.Schema{Type: huma.TypeString}},
			docxType:     {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}},
			pdfType:      {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}},
		}}},
	}
}

func (e exports) export(ctx context.Context, in *exportInput) (*huma.StreamResponse, error) {
	key, err := e.key(ctx, in.SessionID, in.Agent)
	if err != nil {
		return nil, err
	}
	record, err := e.find(ctx, key)
	if err != nil {
		return nil, err
	}
	route.Concerns(ctx, key.ID)
	return e.send(ctx, record, in)
}

// send sends a session as a file.
func (e exports) send(ctx context.Context, record journal.SessionRecord, in *exportInput) (*huma.StreamResponse, error) {
	query := journal.MessageQuery{Before: record.Seq + 1, Bytes: exportBytes, Replaced: in.Replaced, Turn: in.Turn}
	kind, ending, write := "application/json", ".json", e.writeJSON
	switch in.Format {
	case "markdown":
		kind, ending, write = "text/markdown; charset=utf-8", ".md", e.writeMarkdown
	case "recording":
		kind, ending, write = "text/plain; charset=utf-8", ".txt", e.writeRecording
	case "docx", "pdf":
		markdown := &limitedBuffer{room: maxPaged}
		if err := e.writeMarkdown(ctx, markdown, record, query); err != nil {
			return nil, err
		}
		kind, ending = docxType, ".docx"
		convert := transcript.DOCX
		if in.Format == "pdf" {
			kind, ending, convert = pdfType, ".pdf", transcript.PDF
		}
		write = func(_ context.Context, w io.Writer, record journal.SessionRecord, _ journal.MessageQuery) error {
			return convert(w, markdown.Bytes(), record.Name, record.UpdatedAt)
		}
	}
	return e.transfers.send(ctx, func(h http.Header) {
		h.Set("Content-Type", kind)
		h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": exportName(record, ending)}))
	}, func(ctx context.Context, w io.Writer) error { return write(ctx, w, record, query) })
}

// limitedBuffer is a buffer with a limit.
type limitedBuffer struct {
	bytes.Buffer

	room int
}

// Write implements io.Writer.
func (b *limitedBuffer) Write(p []byte) (int, error) {
	if b.room -= len(p); b.room < 0 {
		return 0, tooLong()
	}
	return b.Buffer.Write(p) //nolint:wrapcheck // it never fails
}

// writeJSON writes an Export page by page.
func (e exports) writeJSON(ctx context.Context, w io.Writer, record journal.SessionRecord, query journal.MessageQuery) error {
	head, err := json.Marshal(sessionShape(record))
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	if _, err := fmt.Fprintf(w, `{"session":%s,"messages":[`, head); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	messages := func(q journal.MessageQuery) ([]agent.ChatMessage, error) {
		return e.store.Messages(ctx, record.RowID, q)
	}
	if err := writePages(w, query, messages, func(m agent.ChatMessage) (int64, any) { return m.Seq, message(m) }); err != nil {
		return err
	}
	if _, err := io.WriteString(w, `],"steps":[`); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	steps := func(q journal.MessageQuery) ([]chat.Reasoning, error) {
		return e.store.Steps(ctx, record.RowID, q)
	}
	if err := writePages(w, query, steps, func(r chat.Reasoning) (int64, any) { return r.Seq, step(r) }); err != nil {
		return err
	}
	_, err = io.WriteString(w, "]}\n")
	return err
}

// writePages writes all records that read returns as elements of an array.
func writePages[T any](
	w io.Writer, query journal.MessageQuery, read func(journal.MessageQuery) ([]T, error), element func(T) (seq int64, as any),
) error {
	comma := ""
	for {
		page, err := read(query)
		if err != nil || len(page) == 0 {
			return err
		}
		for _, t := range page {
			seq, as := element(t)
			text, err := json.Marshal(as)
			if err != nil {
				return fmt.Errorf("export: %w", err)
			}
			if _, err := fmt.Fprintf(w, "%s%s", comma, text); err != nil {
				return fmt.Errorf("export: %w", err)
			}
			query.After, comma = seq, ",\n"
		}
	}
}

// writeMarkdown writes a transcript page by page.
func (e exports) writeMarkdown(ctx context.Context, w io.Writer, record journal.SessionRecord, query journal.MessageQuery) error {
	return transcript.Write(w, record, func(after int64) ([]agent.ChatMessage, error) {
		query.After = after
		return e.store.Messages(ctx, record.RowID, query)
	})
}

// writeRecording writes a recording; see recording.FromStored.
func (e exports) writeRecording(ctx context.Context, w io.Writer, record journal.SessionRecord, query journal.MessageQuery) error {
	messages, err := allOf(query, func(q journal.MessageQuery) ([]agent.ChatMessage, error) {
		return e.store.Messages(ctx, record.RowID, q)
	}, func(m agent.ChatMessage) (int64, int) { return m.Seq, len(m.Content) })
	if err != nil {
		return err
	}
	steps, err := allOf(query, func(q journal.MessageQuery) ([]chat.Reasoning, error) {
		return e.store.Steps(ctx, record.RowID, q)
	}, func(r chat.Reasoning) (int64, int) { return r.Seq, len(r.Payload) })
	if err != nil {
		return err
	}
	events, err := e.events(ctx, record.RowID, query.Turn)
	if err != nil {
		return err
	}
	text := recording.FromStored(record.Key.ID, messages, steps, events).String()
	if len(text) > recording.MaxBytes {
		return tooLong()
	}
	if _, err := io.WriteString(w, text); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return nil
}

// events returns the events of a session without a message, or those of one turn.
func (e exports) events(ctx context.Context, session, turn int64) (out []chat.Event, err error) {
	after, size := int64(0), 0
	for {
		page, err := e.traces.Events(ctx, session, after, eventsAtOnce)
		if err != nil || len(page) == 0 {
			return out, err //nolint:wrapcheck // it names the session
		}
		for _, event := range page {
			after = event.ID
			if turn != 0 && event.Turn != turn {
				continue
			}
			if size += len(event.Data); size > maxRecorded || len(out) == recording.MaxLines {
				return nil, tooLong()
			}
			out = append(out, event)
		}
	}
}

// eventsAtOnce limits the events that are read at once.
const eventsAtOnce = 100

// maxRecorded bounds the messages of a recording, and its steps, in bytes. Answers have passages that the recording lacks.
const maxRecorded = 4 * recording.MaxBytes

// allOf returns all records that read returns, at most maxRecorded bytes.
func allOf[T any](
	query journal.MessageQuery, read func(journal.MessageQuery) ([]T, error), measure func(T) (seq int64, size int),
) ([]T, error) {
	var out []T
	for left := maxRecorded; ; {
		page, err := read(query)
		if err != nil || len(page) == 0 {
			return out, err
		}
		for _, t := range page {
			seq, size := measure(t)
			if left -= size; left < 0 {
				return nil, tooLong()
			}
			query.After = seq
		}
		out = append(out, page...)
	}
}

// tooLong returns the error for a conversation that is too long for its format.
func tooLong() error {
	return fault.New(fault.Invalid, "export_too_long", "the conversation is too long for this format; export single answers, or Markdown")
}

// exportName returns the file name of a conversation: its name, or its id without
// one.
func exportName(record journal.SessionRecord, ending string) string {
	name := strings.Map(func(r rune) rune {
		if slices.Contains([]rune(`/\:*?"<>|`), r) {
			return '-'
		}
		return r
	}, record.Name)
	if name = strings.Trim(name, " ."); name == "" {
		name = record.Key.ID
	}
	name = filename.Clean(name)
	for len(name)+len(ending) > filename.MaxBytes {
		_, size := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-size]
	}
	return name + ending
}
