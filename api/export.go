package api

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"docent/agent"
)

// exportBytes is how much of a conversation is held in memory at a time while it
// is exported, but for a single message that is longer.
const exportBytes = 8 << 20

// Export is a whole conversation.
type Export struct {
	// Session is which.
	Session Session `json:"session"`
	// Messages are what was said, oldest first.
	Messages []Message `json:"messages"`
	// Steps are what was reasoned, oldest first.
	Steps []Step `json:"steps"`
}

type exportInput struct {
	SessionID string `path:"session_id" maxLength:"255"`
	Agent     string `query:"agent_name" maxLength:"255" doc:"The agent; default is this server's own."`
	Replaced  bool   `query:"replaced" doc:"With what is no part of the conversation any more because it was edited or answered again."`
}

func (s *server) exportRoutes() {
	schema := s.api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[Export](), true, "")
	register(s, huma.Operation{
		Method: http.MethodGet, Path: "/api/sessions/{session_id}/export", OperationID: "export-session", Tags: []string{"sessions"},
		Summary: "The whole conversation as a file", Errors: []int{http.StatusNotFound, http.StatusTooManyRequests, http.StatusServiceUnavailable},
		Responses: map[string]*huma.Response{"200": {Description: "OK", Content: map[string]*huma.MediaType{"application/json": {Schema: schema}}}},
	}, s.export)
}

func (s *server) export(ctx context.Context, in *exportInput) (*huma.StreamResponse, error) {
	key, err := s.key(in.SessionID, in.Agent)
	if err != nil {
		return nil, err
	}
	record, err := s.own(ctx, key)
	if err != nil {
		return nil, err
	}
	done, err := s.startRead(ctx)
	if err != nil {
		return nil, err
	}
	query := agent.MessageQuery{Before: record.Seq + 1, Bytes: exportBytes, Replaced: in.Replaced}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		defer done()
		_, w := humago.Unwrap(hc)
		h := w.Header()
		h.Set("Content-Type", "application/json")
		h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": cleanName(key.ID + ".json")}))
		s.send(ctx, hc, func(w io.Writer) error { return s.writeExport(ctx, w, record, query) })
	}}, nil
}

// writeExport writes an Export page by page.
func (s *server) writeExport(ctx context.Context, w io.Writer, record agent.SessionRecord, query agent.MessageQuery) error {
	head, err := json.Marshal(session(record))
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	if _, err := fmt.Fprintf(w, `{"session":%s,"messages":[`, head); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	messages := func(q agent.MessageQuery) ([]agent.ChatMessage, error) {
		return s.cfg.Messages.Messages(ctx, record.RowID, q)
	}
	if err := writePages(w, query, messages, func(m agent.ChatMessage) (int64, any) { return m.Seq, message(m) }); err != nil {
		return err
	}
	if _, err := io.WriteString(w, `],"steps":[`); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	steps := func(q agent.MessageQuery) ([]agent.ReasoningRecord, error) {
		return s.cfg.Messages.Steps(ctx, record.RowID, q)
	}
	if err := writePages(w, query, steps, func(r agent.ReasoningRecord) (int64, any) { return r.Seq, step(r) }); err != nil {
		return err
	}
	_, err = io.WriteString(w, "]}\n")
	return err
}

// writePages writes all that read returns as elements of an array.
func writePages[T any](w io.Writer, query agent.MessageQuery, read func(agent.MessageQuery) ([]T, error), element func(T) (seq int64, as any)) error {
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
