package openai

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"docent/api/route"
	"docent/api/sse"
	"docent/payload"
	"docent/rag/talk"
)

// maxStops bounds the texts of the parameter stop, as OpenAI does.
const maxStops = 4

// ChatRequest asks for a chat completion. Parameters that are not listed are ignored.
type ChatRequest struct {
	_             struct{}  `additionalProperties:"true"`
	Model         string    `json:"model" minLength:"1" maxLength:"300" doc:"A model of GET /v1/models."`
	Messages      []Message `json:"messages" minItems:"1" maxItems:"400" doc:"The conversation. Its last message is the question."`
	Stream        *bool     `json:"stream,omitempty" doc:"Sends the answer as events."`
	StreamOptions any       `json:"stream_options,omitempty" doc:"With include_usage, the last chunk has the usage."`
	Stop          any       `json:"stop,omitempty" doc:"Up to four texts. The answer ends before the first of them."`
	Metadata      any       `json:"metadata,omitempty" doc:"With session_id, continues this stored session, or creates it. With documents, a text such as 12, 15, searches only the documents with these ids. With folders and tags, such as manuals/pumps, prices, also searches the documents in these folders or with these tags."`
	N             any       `json:"n,omitempty" doc:"Only 1."`
	Tools         any       `json:"tools,omitempty" doc:"Refused unless it is empty."`
	ToolChoice    any       `json:"tool_choice,omitempty" doc:"Only none and auto."`
	Functions     any       `json:"functions,omitempty" doc:"Refused unless it is empty."`
	FunctionCall  any       `json:"function_call,omitempty" doc:"Only none and auto."`
	Logprobs      any       `json:"logprobs,omitempty" doc:"Refused unless it is false."`
	TopLogprobs   any       `json:"top_logprobs,omitempty" doc:"Only 0."`
	Audio         any       `json:"audio,omitempty" doc:"Refused."`
	Modalities    any       `json:"modalities,omitempty" doc:"Only text."`
	Format        any       `json:"response_format,omitempty" doc:"Refused unless its type is text."`
	WebSearch     any       `json:"web_search_options,omitempty" doc:"Refused."`
}

// Message is a message of the conversation.
type Message struct {
	_       struct{} `additionalProperties:"true"`
	Role    string   `json:"role" doc:"user or assistant. Messages of system and developer are ignored, and earlier ones of tool."`
	Content any      `json:"content,omitempty" doc:"A text, or a list of parts of the type text. Other parts of earlier messages are ignored."`
}

// Completion is an answer, or a chunk of one.
type Completion struct {
	ID      string   `json:"id"`
	Object  string   `json:"object" enum:"chat.completion,chat.completion.chunk"`
	Created int64    `json:"created" doc:"Unix seconds."`
	Model   string   `json:"model"`
	Choices []Choice `json:"choices"`
	Usage   *Usage   `json:"usage,omitempty"`
	// Docent is the answer with its passages. In a stream, the last chunk with a choice has it.
	Docent *payload.RAGMessage `json:"docent,omitempty"`
}

// Choice is the only choice of a completion.
type Choice struct {
	Index        int     `json:"index"`
	Message      *Reply  `json:"message,omitempty"`
	Delta        *Reply  `json:"delta,omitempty"`
	FinishReason *string `json:"finish_reason"`
}

// Reply is the message of an answer, or a part of it.
type Reply struct {
	Role        string       `json:"role,omitempty"`
	Content     *string      `json:"content,omitempty"`
	Annotations []Annotation `json:"annotations,omitempty"`
}

// Annotation is a citation.
type Annotation struct {
	Type        string      `json:"type" enum:"url_citation"`
	URLCitation URLCitation `json:"url_citation"`
}

type chatInput struct {
	route.JSONBody
	Caller
	Body ChatRequest
}

func (s server) addChat() {
	completion := route.SchemaOf[Completion](s.routes)
	route.Add(s.routes, huma.Operation{
		Method: http.MethodPost, Path: "/v1/chat/completions", OperationID: "openai-chat", Tags: []string{tag}, Summary: "Answer a conversation",
		Description: "Answers the last message from the documents. The earlier messages are the history. " +
			"With a session, the agent answers, and the session has its own history. " +
			"With stream, the answer arrives in chunks, which end with [DONE].",
		MaxBodyBytes: s.MaxBytes,
		Errors:       []int{http.StatusNotFound, http.StatusConflict, http.StatusTooManyRequests},
		Responses: map[string]*huma.Response{"200": {Description: "OK", Content: map[string]*huma.MediaType{
			"application/json": {Schema: completion}, sse.MediaType: {Schema: &huma.Schema{Type: "string"}},
		}}},
	}, s.chat)
}

// chatQuestion converts a request into a question.
func (s server) chatQuestion(ctx context.Context, c Caller, r ChatRequest) (question, error) {
	if err := refuse(
		refusal{"tools", !empty(r.Tools), noTools},
		refusal{"tool_choice", !optional(r.ToolChoice), noTools},
		refusal{"functions", !empty(r.Functions), noTools},
		refusal{"function_call", !optional(r.FunctionCall), noTools},
		refusal{"n", r.N != nil && r.N != 1.0, oneAnswer},
		refusal{"logprobs", !empty(r.Logprobs), noTokens},
		refusal{"top_logprobs", !empty(r.TopLogprobs), noTokens},
		refusal{"audio", !empty(r.Audio), onlyWords},
		refusal{"modalities", !onlyText(r.Modalities), onlyWords},
		refusal{"response_format", !textFormat(r.Format), markdown},
		refusal{"web_search_options", !empty(r.WebSearch), "docent searches its documents and not the web"},
	); err != nil {
		return question{}, err
	}
	stops, err := r.stops()
	if err != nil {
		return question{}, err
	}
	var turns []talk.Turn
	for i, m := range r.Messages {
		if turns, err = turn(turns, m.Role, m.Content, i == len(r.Messages)-1); err != nil {
			return question{}, err
		}
	}
	q, err := s.question(ctx, c, r.Model, r.Metadata, turns)
	q.stops = stops
	if choosesTools(r.Messages) {
		q.task = &task{key: "tool_calls"}
	}
	return q, err
}

func (s server) chat(ctx context.Context, in *chatInput) (*huma.StreamResponse, error) {
	q, err := s.chatQuestion(ctx, in.Caller, in.Body)
	if err != nil {
		return nil, err
	}
	q.streams = in.Body.Stream != nil && *in.Body.Stream
	wait, err := s.ask(ctx, q)
	if err != nil {
		return nil, err
	}
	c := Completion{ID: "chatcmpl-" + route.RequestID(ctx), Object: "chat.completion", Created: time.Now().Unix(), Model: in.Body.Model}
	if q.streams {
		c.Object = "chat.completion.chunk"
		return s.stream(func(out *sse.Writer) { s.sendChat(ctx, out, c, wait, in.Body.usage()) }), nil
	}
	a, err := wait(ignore)
	if err != nil {
		return nil, err
	}
	reply := Reply{Role: "assistant", Content: &a.text, Annotations: a.annotations()}
	c.Choices, c.Usage, c.Docent = []Choice{{Message: &reply, FinishReason: a.reason()}}, &a.usage, a.message
	return route.JSON(c), nil
}

// stream responds with events and keeps the connection alive between them.
func (s server) stream(send func(*sse.Writer)) *huma.StreamResponse {
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		_, w := humago.Unwrap(hc)
		out := sse.NewWriter(w)
		ticks, end := s.Ticks()
		defer end()
		defer out.Beat(ticks)()
		send(out)
	}}
}

// sendChat sends an answer as chunks. Clients cannot replace text, so only final text is
// sent before the end. Errors of out mean that the client is gone; wait then ends with
// its context.
func (s server) sendChat(ctx context.Context, out *sse.Writer, c Completion, wait wait, usage bool) {
	chunk := func(r Reply) Completion {
		c := c
		c.Choices = []Choice{{Delta: &r}}
		return c
	}
	none, sent := "", ""
	_ = out.Send("", chunk(Reply{Role: "assistant", Content: &none}))
	a, err := wait(func(piece string) {
		_ = out.Send("", chunk(Reply{Content: &piece}))
		sent += piece
	})
	if err != nil {
		_ = out.Send("", errorBody(s.routes.Fail(ctx, err)))
		return
	}
	rest := a.rest(sent)
	last := chunk(Reply{Annotations: a.annotations()})
	last.Choices[0].FinishReason, last.Docent = a.reason(), a.message
	chunks := []Completion{chunk(Reply{Content: &rest}), last}
	if usage {
		c.Choices, c.Usage = []Choice{}, &a.usage
		chunks = append(chunks, c)
	}
	_ = sse.SendAll(out, "", chunks)
	_ = out.SendText("[DONE]")
}

// reason says why the answer ended.
func (a *answer) reason() *string {
	reason := "stop"
	if a.stopped {
		reason = "length"
	}
	return &reason
}

func (a *answer) annotations() []Annotation {
	var out []Annotation
	for _, c := range a.urls() {
		out = append(out, Annotation{"url_citation", c})
	}
	return out
}

// empty reports whether a parameter has the meaning of a missing one.
func empty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case bool:
		return !v
	case float64:
		return v == 0
	case []any:
		return len(v) == 0
	default:
		return false
	}
}

// optional reports whether a choice of tools allows an answer without tools.
func optional(v any) bool { return v == nil || v == "none" || v == "auto" }

func onlyText(v any) bool {
	list, ok := v.([]any)
	return v == nil || ok && (len(list) == 0 || len(list) == 1 && list[0] == "text")
}

func textFormat(v any) bool {
	m, ok := v.(map[string]any)
	return v == nil || ok && m["type"] == "text"
}

// usage reports whether the client wants the usage at the end of a stream.
func (r ChatRequest) usage() bool {
	m, _ := r.StreamOptions.(map[string]any)
	return m["include_usage"] == true
}

// stops returns the texts before which the answer ends.
func (r ChatRequest) stops() ([]string, error) {
	list, ok := r.Stop.([]any)
	switch v := r.Stop.(type) {
	case nil:
		return nil, nil
	case string:
		list, ok = []any{v}, true
	}
	var stops []string
	for _, v := range list {
		text, isText := v.(string)
		ok = ok && isText
		if text != "" {
			stops = append(stops, text)
		}
	}
	if !ok || len(list) > maxStops {
		return nil, unsupported("stop", "it must be a text or a list of up to four texts")
	}
	return stops, nil
}
