package llmtest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	"docent/llm"
)

// maxKept bounds the remembered requests.
const maxKept = 1000

// Request is a chat completion that a model received.
type Request struct {
	// Header is the HTTP header; nil from a Model.
	Header http.Header
	// Body is the JSON as sent; nil from a Model.
	Body []byte
	// Model is the requested model.
	Model string
	// Messages are the conversation.
	Messages []Message
	// Tools are the names of the offered tools.
	Tools []string
	// Stream reports whether the request asks for a stream.
	Stream bool
}

// Message is one message of a Request.
type Message struct {
	// Role is system, user, assistant or tool.
	Role string
	// Content is its text. The texts of several parts are joined by line feeds.
	Content string
}

// Server is an HTTP server on a local port with OpenAI's chat completions and
// list of models. It answers from a script.
type Server struct {
	// URL is the base URL for a client; it ends in /v1.
	URL string
	// ModelNames is the response of GET /models; nil responds with 404. Set it
	// before use.
	ModelNames []string
	// Probes passes the conversations of llm.OpenAI.Probe to the script, which begin with [llm.ProbeInstruction].
	// Default: false, and the server answers them itself. Set it before use.
	Probes bool

	respond func(n int, r Request) Reply
	http    *httptest.Server

	mu       sync.Mutex
	n        int // chat completions so far
	requests []Request
}

// NewServer starts a server that answers the nth chat completion with respond(n),
// counted from 0; see [Script]. respond must be safe for concurrent use. The
// caller must call Close.
func NewServer(respond func(n int, r Request) Reply) *Server {
	s := &Server{respond: respond}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", s.chat)
	mux.HandleFunc("GET /v1/models", s.list)
	s.http = httptest.NewServer(mux)
	s.URL = s.http.URL + "/v1"
	return s
}

// Close ends the server and its connections.
func (s *Server) Close() {
	s.http.CloseClientConnections()
	s.http.Close()
}

// Requests returns the latest thousand chat completions.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

func (s *Server) list(w http.ResponseWriter, _ *http.Request) {
	if s.ModelNames == nil {
		http.Error(w, `{"error":{"message":"unknown path"}}`, http.StatusNotFound)
		return
	}
	data := []map[string]string{}
	for _, name := range s.ModelNames {
		data = append(data, map[string]string{"id": name, "object": "model"})
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": data})
}

func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	req, err := parse(body)
	if err != nil {
		http.Error(w, `{"error":{"message":"not JSON"}}`, http.StatusBadRequest)
		return
	}
	req.Header = r.Header.Clone()
	reply := Say("one, two, three")
	if s.Probes || len(req.Messages) == 0 || req.Messages[0].Content != llm.ProbeInstruction {
		reply = s.respond(s.keep(req), req)
	}
	for k, v := range reply.Header {
		w.Header()[k] = v
	}
	switch {
	case reply.Body != "" || reply.Status/100 > 2:
		if w.Header().Get("Content-Type") == "" {
			w.Header().Set("Content-Type", "application/json")
		}
		w.WriteHeader(max(reply.Status, http.StatusOK))
		_, _ = io.WriteString(w, reply.Body)
	case !req.Stream && reply.Frames == nil:
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(reply.whole(req.Model))
	default:
		w.Header().Set("Content-Type", "text/event-stream")
		if reply.stream(r.Context(), w, req.Model, bytes.Contains(body, []byte(`"include_usage":true`))) != nil {
			panic(http.ErrAbortHandler) // drops the connection in the middle
		}
	}
}

// keep keeps a request, and returns its number.
func (s *Server) keep(req Request) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n = s.n
	s.n++
	s.requests = append(s.requests, req)
	if len(s.requests) > maxKept {
		s.requests = s.requests[len(s.requests)-maxKept:]
	}
	return n
}

func parse(body []byte) (Request, error) {
	var in struct {
		Model    string `json:"model"`
		Stream   bool   `json:"stream"`
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
		Tools []struct {
			Function struct {
				Name string `json:"name"`
			} `json:"function"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return Request{}, err
	}
	req := Request{Body: body, Model: in.Model, Stream: in.Stream}
	for _, m := range in.Messages {
		req.Messages = append(req.Messages, Message{m.Role, content(m.Content)})
	}
	for _, t := range in.Tools {
		req.Tools = append(req.Tools, t.Function.Name)
	}
	return req, nil
}

func content(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var parts []struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(raw, &parts) // neither form: no text
	var texts []string
	for _, p := range parts {
		texts = append(texts, p.Text)
	}
	return strings.Join(texts, "\n")
}

// stream sends the reply as server-sent events.
func (r Reply) stream(ctx context.Context, w http.ResponseWriter, model string, usage bool) error {
	send := func(data string) error {
		line := "data: " + data + "\n\n"
		if strings.HasPrefix(data, ":") {
			line = data + "\n\n"
		}
		if _, err := io.WriteString(w, line); err != nil {
			return err
		}
		return http.NewResponseController(w).Flush()
	}
	if r.Frames != nil {
		for i, f := range r.Frames {
			if err := r.wait(ctx, i); err != nil {
				return err
			}
			if err := send(f); err != nil {
				return err
			}
		}
		return r.Err
	}
	delta := func(d map[string]any, finish any) error {
		data, err := json.Marshal(map[string]any{
			"object": "chat.completion.chunk", "model": model,
			"choices": []any{map[string]any{"index": 0, "delta": d, "finish_reason": finish}},
		})
		if err != nil {
			return err
		}
		return send(string(data))
	}
	for _, t := range r.Reasoning {
		if err := delta(map[string]any{"reasoning_content": t}, nil); err != nil {
			return err
		}
	}
	for i, t := range r.Text {
		if err := r.wait(ctx, i); err != nil {
			return err
		}
		if err := delta(map[string]any{"content": t}, nil); err != nil {
			return err
		}
	}
	if r.Err != nil {
		return r.Err
	}
	for i, c := range r.ToolCalls {
		if err := delta(map[string]any{"tool_calls": []any{c.wire(i)}}, nil); err != nil {
			return err
		}
	}
	if err := delta(map[string]any{}, r.finish()); err != nil {
		return err
	}
	if usage && r.Usage != nil {
		if err := send(fmt.Sprintf(`{"choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":%d}}`, r.Usage.Prompt,
			r.Usage.Completion)); err != nil {
			return err
		}
	}
	return send("[DONE]")
}

func (r Reply) wait(ctx context.Context, piece int) error {
	if r.Wait == nil {
		return ctx.Err()
	}
	return r.Wait(ctx, piece)
}

// whole returns the reply as one JSON object.
func (r Reply) whole(model string) map[string]any {
	message := map[string]any{"role": "assistant", "content": strings.Join(r.Text, "")}
	if len(r.Reasoning) > 0 {
		message["reasoning_content"] = strings.Join(r.Reasoning, "")
	}
	var calls []any
	for i, c := range r.ToolCalls {
		calls = append(calls, c.wire(i))
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	out := map[string]any{
		"object": "chat.completion", "model": model,
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": r.finish()}},
	}
	if r.Usage != nil {
		out["usage"] = map[string]int{"prompt_tokens": r.Usage.Prompt, "completion_tokens": r.Usage.Completion}
	}
	return out
}

func (c ToolCall) wire(index int) map[string]any {
	return map[string]any{
		"index": index, "id": c.ID, "type": "function",
		"function": map[string]any{"name": c.Name, "arguments": c.Arguments},
	}
}
