package openai

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"docent/api/route"
	"docent/api/sse"
	"docent/payload"
	"docent/rag/talk"
)

// ResponseRequest asks for a response. Parameters that are not listed are ignored.
type ResponseRequest struct {
	_            struct{} `additionalProperties:"true"`
	Model        string   `json:"model" minLength:"1" maxLength:"300" doc:"A model of GET /v1/models."`
	Input        any      `json:"input" doc:"The question, or a list of messages. The last message is the question."`
	Stream       *bool    `json:"stream,omitempty" doc:"Sends the response as events."`
	Metadata     any      `json:"metadata,omitempty" doc:"With session_id, continues this stored session, or creates it. With documents, a text such as 12, 15, searches only the documents with these ids. With folders and tags, such as manuals/pumps, prices, also searches the documents in these folders or with these tags."`
	Tools        any      `json:"tools,omitempty" doc:"Refused unless it is empty."`
	ToolChoice   any      `json:"tool_choice,omitempty" doc:"Only none and auto."`
	Text         any      `json:"text,omitempty" doc:"Only the format text."`
	TopLogprobs  any      `json:"top_logprobs,omitempty" doc:"Only 0."`
	Include      any      `json:"include,omitempty" doc:"Everything but logprobs."`
	Background   any      `json:"background,omitempty" doc:"Only false."`
	Previous     any      `json:"previous_response_id,omitempty" doc:"Refused."`
	Conversation any      `json:"conversation,omitempty" doc:"Refused."`
	Prompt       any      `json:"prompt,omitempty" doc:"Refused."`
}

// Response is an answer in the format of the responses API.
type Response struct {
	ID                string         `json:"id"`
	Object            string         `json:"object" enum:"response"`
	CreatedAt         int64          `json:"created_at" doc:"Unix seconds."`
	Status            string         `json:"status" enum:"in_progress,completed,incomplete,failed"`
	Error             *ResponseError `json:"error"`
	Incomplete        *Incomplete    `json:"incomplete_details"`
	Instructions      *string        `json:"instructions" doc:"Always null."`
	Metadata          map[string]any `json:"metadata"`
	Model             string         `json:"model"`
	Output            []Item         `json:"output"`
	ParallelToolCalls bool           `json:"parallel_tool_calls" doc:"Always false."`
	Temperature       *float64       `json:"temperature" doc:"Always null."`
	TopP              *float64       `json:"top_p" doc:"Always null."`
	ToolChoice        string         `json:"tool_choice" doc:"Always none."`
	Tools             []any          `json:"tools" doc:"Always empty."`
	Store             bool           `json:"store" doc:"Always false."`
	Usage             *ResponseUsage `json:"usage"`
	// Docent is the answer with its passages.
	Docent *payload.RAGMessage `json:"docent,omitempty"`
}

// ResponseError is the error of a stream that failed.
type ResponseError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Incomplete says why a response is incomplete.
type Incomplete struct {
	Reason string `json:"reason"`
}

// Item is the message of a response.
type Item struct {
	ID      string    `json:"id"`
	Type    string    `json:"type" enum:"message"`
	Status  string    `json:"status" enum:"in_progress,completed,incomplete"`
	Role    string    `json:"role" enum:"assistant"`
	Content []Content `json:"content"`
}

// Content is the text of a message.
type Content struct {
	Type        string     `json:"type" enum:"output_text"`
	Text        string     `json:"text"`
	Annotations []Citation `json:"annotations"`
	Logprobs    []any      `json:"logprobs" doc:"Always empty."`
}

// Citation is a citation of a response.
type Citation struct {
	Type string `json:"type" enum:"url_citation"`
	URLCitation
}

// ResponseUsage is Usage with the names of the responses API.
type ResponseUsage struct {
	Input         int               `json:"input_tokens"`
	InputDetails  PromptDetails     `json:"input_tokens_details"`
	Output        int               `json:"output_tokens"`
	OutputDetails CompletionDetails `json:"output_tokens_details"`
	Total         int               `json:"total_tokens"`
}

// PromptDetails are always 0.
type PromptDetails struct {
	Cached int `json:"cached_tokens"`
}

// CompletionDetails are always 0.
type CompletionDetails struct {
	Reasoning int `json:"reasoning_tokens"`
}

type responseInput struct {
	route.JSONBody
	Caller
	Body ResponseRequest
}

func (s server) addResponses() {
	response := route.SchemaOf[Response](s.routes)
	route.Add(s.routes, huma.Operation{
		Method: http.MethodPost, Path: "/v1/responses", OperationID: "openai-response", Tags: []string{tag}, Summary: "Respond to a conversation",
		Description: "Answers like POST /v1/chat/completions, in the format of the responses API. Responses are not stored. " +
			"With stream, the named events of this API arrive.",
		MaxBodyBytes: s.MaxBytes,
		Errors:       []int{http.StatusNotFound, http.StatusConflict, http.StatusTooManyRequests},
		Responses: map[string]*huma.Response{"200": {Description: "OK", Content: map[string]*huma.MediaType{
			"application/json": {Schema: response}, sse.MediaType: {Schema: &huma.Schema{Type: "string"}},
		}}},
	}, s.respond)
}

// responseQuestion converts a request into a question.
func (s server) responseQuestion(ctx context.Context, c Caller, r ResponseRequest) (question, error) {
	const stateless = "docent does not store responses; send the earlier messages, or use X-Session-ID"
	text, _ := r.Text.(map[string]any)
	if err := refuse(
		refusal{"tools", !empty(r.Tools), noTools},
		refusal{"tool_choice", !optional(r.ToolChoice), noTools},
		refusal{"text.format", !textFormat(text["format"]), markdown},
		refusal{"top_logprobs", !empty(r.TopLogprobs), noTokens},
		refusal{"include", includes(r.Include, "message.output_text.logprobs"), noTokens},
		refusal{"background", !empty(r.Background), stateless},
		refusal{"previous_response_id", r.Previous != nil, stateless},
		refusal{"conversation", r.Conversation != nil, stateless},
		refusal{"prompt", r.Prompt != nil, "docent stores no prompts of clients"},
	); err != nil {
		return question{}, err
	}
	turns, err := inputTurns(r.Input)
	if err != nil {
		return question{}, err
	}
	return s.question(ctx, c, r.Model, r.Metadata, turns)
}

// includes reports whether a list contains a value.
func includes(list any, value string) bool {
	values, _ := list.([]any)
	return slices.Contains(values, any(value))
}

// maxInput bounds the items of an input.
const maxInput = 400

// inputTurns returns the messages of an input. Earlier items without text are
// ignored.
func inputTurns(input any) (turns []talk.Turn, err error) {
	if text, ok := input.(string); ok {
		return []talk.Turn{{Role: talk.User, Text: text}}, nil
	}
	items, ok := input.([]any)
	if !ok || len(items) > maxInput {
		return nil, unsupported("input", "it must be a text or a list of up to 400 messages")
	}
	for i, item := range items {
		m, _ := item.(map[string]any)
		last := i == len(items)-1
		switch kind := m["type"]; {
		case kind == nil, kind == "message":
		case kind == "reasoning", !last: // calls of tools and their results, for example
			continue
		default:
			return nil, unsupported("input", "it contains only messages")
		}
		role, _ := m["role"].(string)
		if turns, err = turn(turns, role, m["content"], last); err != nil {
			return nil, err
		}
	}
	return turns, nil
}

func (s server) respond(ctx context.Context, in *responseInput) (*huma.StreamResponse, error) {
	q, err := s.responseQuestion(ctx, in.Caller, in.Body)
	if err != nil {
		return nil, err
	}
	q.streams = in.Body.Stream != nil && *in.Body.Stream
	wait, err := s.ask(ctx, q)
	if err != nil {
		return nil, err
	}
	metadata, _ := in.Body.Metadata.(map[string]any)
	if metadata == nil {
		metadata = map[string]any{}
	}
	r := Response{
		ID: "resp_" + route.RequestID(ctx), Object: "response", CreatedAt: time.Now().Unix(), Status: "in_progress",
		Metadata: metadata, Model: in.Body.Model, Output: []Item{}, ToolChoice: "none", Tools: []any{},
	}
	if q.streams {
		return s.stream(func(out *sse.Writer) { (&events{out: out}).send(ctx, s, r, wait) }), nil
	}
	a, err := wait(ignore)
	if err != nil {
		return nil, err
	}
	return route.JSON(r.with(a)), nil
}

// with returns the response with an answer.
func (r Response) with(a answer) Response {
	content := Content{Type: "output_text", Text: a.text, Annotations: []Citation{}, Logprobs: []any{}}
	for _, c := range a.urls() {
		content.Annotations = append(content.Annotations, Citation{"url_citation", c})
	}
	r.Status = "completed"
	if a.stopped {
		r.Status, r.Incomplete = "incomplete", &Incomplete{"max_output_tokens"}
	}
	r.Output = []Item{{ID: r.message(), Type: "message", Status: r.Status, Role: "assistant", Content: []Content{content}}}
	r.Usage = &ResponseUsage{Input: a.usage.Prompt, Output: a.usage.Completion, Total: a.usage.Total}
	r.Docent = a.message
	return r
}

// message returns the id of the only message.
func (r Response) message() string { return "msg_" + r.ID[len("resp_"):] }

// events sends the events of a response. Errors of out mean that the client is gone.
// The wait for the answer then ends with its context.
type events struct {
	out    *sse.Writer
	number int
}

// event sends an event. The arguments alternate between names and values.
func (e *events) event(kind string, pairs ...any) {
	data := map[string]any{"type": kind, "sequence_number": e.number}
	for i := 0; i+1 < len(pairs); i += 2 {
		data[pairs[i].(string)] = pairs[i+1]
	}
	e.number++
	_ = e.out.Send(kind, data)
}

// send sends the events of a response with one text. Clients cannot replace text, so only
// final text is sent before the end.
func (e *events) send(ctx context.Context, s server, r Response, wait wait) {
	e.event("response.created", "response", r)
	e.event("response.in_progress", "response", r)
	begun := Item{ID: r.message(), Type: "message", Status: "in_progress", Role: "assistant", Content: []Content{}}
	e.event("response.output_item.added", "output_index", 0, "item", begun)
	part := func(kind string, pairs ...any) {
		e.event(kind, append([]any{"item_id", begun.ID, "output_index", 0, "content_index", 0}, pairs...)...)
	}
	part("response.content_part.added", "part", Content{Type: "output_text", Annotations: []Citation{}, Logprobs: []any{}})
	sent := ""
	send := func(piece string) {
		part("response.output_text.delta", "delta", piece, "logprobs", []any{})
		sent += piece
	}
	a, err := wait(send)
	if err != nil {
		d := errorBody(s.routes.Fail(ctx, err)).(ErrorResponse).Error
		r.Status, r.Error = "failed", &ResponseError{d.Code, d.Message}
		e.event("response.failed", "response", r)
		return
	}
	send(a.rest(sent))
	done := r.with(a)
	item := done.Output[0]
	content := item.Content[0]
	for i, c := range content.Annotations {
		part("response.output_text.annotation.added", "annotation_index", i, "annotation", c)
	}
	part("response.output_text.done", "text", content.Text, "logprobs", []any{})
	part("response.content_part.done", "part", content)
	e.event("response.output_item.done", "output_index", 0, "item", item)
	e.event("response."+done.Status, "response", done)
}
