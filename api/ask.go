package api

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"docent/internal/fault"
	"docent/payload"
	"docent/rag"
	"docent/rag/talk"
	"docent/rag/wire"
)

// bodyTimeout bounds the arrival of a JSON body.
const bodyTimeout = 30 * time.Second

// eventStream is the media type of server-sent events.
const eventStream = "text/event-stream"

// Question is a question with what differs from the defaults.
type Question struct {
	// Question is what the user asks.
	Question string `json:"question" minLength:"1" doc:"The question."`
	// K is how many passages to answer from; 0 keeps the default.
	K int `json:"k,omitempty" minimum:"0" maximum:"50" doc:"The number of passages."`
	// History are the earlier messages.
	History []Turn `json:"history,omitempty" nullable:"true" maxItems:"200" doc:"Earlier messages, oldest first."`
	// Model names a configured model; "" is the default.
	Model string `json:"model,omitempty" maxLength:"200" doc:"A configured model, or extractive for quotes only."`
	// Prompt replaces the instruction to the model.
	Prompt string `json:"prompt,omitempty" doc:"Replaces the instructions for the model."`
	// Collections are searched; none means all.
	Collections []string `json:"collections,omitempty" nullable:"true" maxItems:"100" doc:"Searches only these collections."`
}

// Turn is an earlier message.
type Turn struct {
	// Role says who said it.
	Role talk.Role `json:"role" enum:"user,assistant"`
	// Text is what was said.
	Text string `json:"text"`
}

type askInput struct {
	bodyRead
	Accept string `header:"Accept" hidden:"true"`
	Body   Question
}

// bodyRead is embedded in inputs with a JSON body.
type bodyRead struct{}

// Resolve lifts the deadline of reading the body, which is done: left in place
// it would end the request's context while the handler works.
func (*bodyRead) Resolve(hc huma.Context) []error {
	_ = hc.SetReadDeadline(time.Time{}) // without deadlines there is none to lift
	return nil
}

func (q Question) request() (rag.Request, error) {
	if strings.TrimSpace(q.Question) == "" {
		return rag.Request{}, fault.New(fault.Invalid, "question_empty", "the question is empty")
	}
	if err := plain(append([]string{"model", q.Model}, named("collections", q.Collections)...)...); err != nil {
		return rag.Request{}, err
	}
	req := rag.Request{
		Question: q.Question, Prompt: q.Prompt, Model: q.Model, K: q.K, Collections: q.Collections, History: len(q.History),
	}
	for _, t := range q.History {
		req.Turns = append(req.Turns, talk.Turn(t))
	}
	return req, nil
}

func (s *server) askRoutes() {
	message := s.api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[payload.RAGMessage](), true, "")
	register(s, huma.Operation{
		Method: http.MethodPost, Path: "/api/ask", OperationID: "ask", Tags: []string{"answers"}, Summary: "Ask a question",
		Description: "Answers one question from the documents, without a conversation or an agent. GET /api/documents lists the documents. " +
			"With Accept: text/event-stream, the answer is streamed in the events phase {\"phase\"}, delta {\"text\"} and, " +
			"finally, message with the complete, checked answer, or error {\"code\",\"message\",\"retryable\"}. Comments keep a slow stream alive.",
		MaxBodyBytes: s.cfg.MessageBytes, BodyReadTimeout: s.cfg.bodyTimeout,
		Errors: []int{http.StatusNotFound, http.StatusTooManyRequests},
		Responses: map[string]*huma.Response{"200": {Description: "OK", Content: map[string]*huma.MediaType{
			"application/json": {Schema: message}, eventStream: {Schema: &huma.Schema{Type: "string"}},
		}}},
	}, s.ask)
}

func (s *server) ask(ctx context.Context, in *askInput) (*huma.StreamResponse, error) {
	req, err := in.Body.request()
	if err != nil {
		return nil, err
	}
	if err := s.knowsCollections(ctx, req.Collections); err != nil {
		return nil, err
	}
	release, err := s.answers.take(ctx, atOnce)
	if err != nil {
		return nil, err
	}
	streaming := false
	defer func() {
		if !streaming {
			release()
		}
	}()
	if !strings.Contains(in.Accept, eventStream) {
		answer, err := s.cfg.RAG.Run(ctx, req)
		if err != nil {
			return nil, err
		}
		return &huma.StreamResponse{Body: func(hc huma.Context) {
			hc.SetHeader("Content-Type", "application/json")
			_ = json.NewEncoder(hc.BodyWriter()).Encode(wire.Message(answer)) // the client is gone
		}}, nil
	}
	next, stop := iter.Pull2(s.cfg.RAG.Stream(ctx, req))
	// What goes wrong before the first event has an HTTP status.
	part, err, ok := next()
	if err != nil || !ok {
		stop()
		if err == nil {
			err = errors.New("ask: the answer has no parts")
		}
		return nil, err
	}
	streaming = true
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		defer release()
		defer stop()
		_, w := humago.Unwrap(hc)
		out := newEvents(w)
		ticks, end := s.cfg.ticks()
		defer end()
		defer out.beat(ticks)()
		for ; ok; part, err, ok = next() {
			if err != nil {
				e, _ := s.fail(ctx, err).(*Error) //nolint:errorlint // fail makes no other
				_ = out.send("error", e)
				return
			}
			if out.sendPart(part) != nil {
				return // the client is gone; stop cancels the rest
			}
		}
	}}, nil
}
