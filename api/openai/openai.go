// Package openai serves models, chat completions, responses, and embeddings as
// OpenAI's API does, so that its clients can ask docent. It converts requests into
// rag.Request or into messages of sessions, and answers into OpenAI's messages.
package openai

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"docent/api/route"
	"docent/internal/fault"
	"docent/payload"
	"docent/rag"
	"docent/rag/corpus"
)

// collectionPrefix begins the names of models that search one collection.
const collectionPrefix = "docent/"

// unknownModelID is the id of the error about an unknown model.
const unknownModelID = "no_such_model"

// tag groups the routes in /openapi.json.
const tag = "openai"

// Answers answers questions.
type Answers interface {
	// Answer returns a whole answer.
	Answer(ctx context.Context, req rag.Request) (rag.Answer, error)
	// Stream starts an answer and returns its parts.
	Stream(ctx context.Context, req rag.Request) (iter.Seq2[rag.Part, error], error)
	// Slot takes the slot of an answer, and counts questions for the quota of the
	// client.
	Slot(ctx context.Context, questions int64) (done func(), err error)
}

// Conversations continues stored sessions of the caller.
type Conversations interface {
	// Say sends a text to a session. The caller must call answer once, which waits for
	// the frames of the answer.
	Say(ctx context.Context, session, text string, o payload.AskOptions) (answer func() ([]payload.Frame, error), err error)
}

// Embedder computes vectors.
type Embedder interface {
	// Name is the name of the model.
	Name() string
	// EmbedDocuments returns one vector for each text.
	EmbedDocuments(ctx context.Context, texts []string) ([][]float32, error)
}

// Collections lists the collections that the caller may read.
type Collections interface {
	// Collections returns these collections.
	Collections(ctx context.Context) ([]corpus.CollectionInfo, error)
}

// Config connects the routes with the rest of docent. Fields without a default are
// required.
type Config struct {
	// Answers answers questions.
	Answers Answers
	// Conversations continues sessions.
	Conversations Conversations
	// Embedder computes vectors.
	Embedder Embedder
	// Collections lists the collections.
	Collections Collections
	// Agents are the names of the agents, which are models that search all collections. The first is the default.
	Agents []string
	// Within makes the sessions of a context those of an agent.
	Within func(ctx context.Context, agent string) context.Context
	// ChatModels returns the names of the chat models that users may choose now, among them the default one.
	// Default: none.
	ChatModels func() []string
	// Write lets a chat model answer a prompt without documents. It returns "" without a model. Default: nil, there is
	// no model.
	Write func(ctx context.Context, prompt string) (string, error)
	// Message returns an answer as docent's own message.
	Message func(rag.Answer) payload.RAGMessage
	// MaxBytes bounds a request.
	MaxBytes int64
	// Ticks returns the times of comments in streams, and their end.
	Ticks func() (ticks <-chan time.Time, stop func())
}

// server handles the routes.
type server struct {
	Config

	routes  *route.Router
	created int64 // of the models, in Unix seconds
}

// ErrorResponse is the body of every error.
type ErrorResponse struct {
	Error ErrorDetail `json:"error"`
}

// ErrorDetail describes an error.
type ErrorDetail struct {
	Message string  `json:"message" doc:"The error in English."`
	Type    string  `json:"type" doc:"The class of the error."`
	Param   *string `json:"param" doc:"The refused parameter."`
	Code    string  `json:"code" doc:"The id of the message."`
}

// Model is a model that a client can choose.
type Model struct {
	ID      string `json:"id" doc:"An agent, the first agent with @ and a chat model, or docent/ and the name of a collection."`
	Object  string `json:"object" enum:"model"`
	Created int64  `json:"created" doc:"When the server started, in Unix seconds."`
	OwnedBy string `json:"owned_by"`
}

// ModelList lists models.
type ModelList struct {
	Object string  `json:"object" enum:"list"`
	Data   []Model `json:"data"`
}

// AddRoutes adds the routes.
func AddRoutes(r *route.Router, cfg Config) {
	s := server{cfg, r, time.Now().Unix()}
	r.Group("/v1/", errorBody)
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: "/v1/models", OperationID: "openai-models", Tags: []string{tag}, Summary: "List the models",
		Description: "Lists the agents, which search all collections, and one model for each collection. " +
			"With a chat model, it also lists the first agent with each model that users may choose, such as docent@fast.",
	}, s.list)
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: "/v1/models/{model}", OperationID: "openai-model", Tags: []string{tag}, Summary: "Get a model",
		Errors: []int{http.StatusNotFound},
	}, s.model)
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: "/v1/models/{prefix}/{name}", OperationID: "openai-model-with-slash", Tags: []string{tag},
		Summary: "Get a model whose id has a slash", Errors: []int{http.StatusNotFound},
	}, s.modelWithSlash)
	s.addChat()
	s.addResponses()
	s.addEmbeddings()
}

// errorBody converts an error into OpenAI's format.
func errorBody(e *route.Error) any {
	d := ErrorDetail{Message: e.Message, Type: "invalid_request_error", Code: e.ID}
	switch status := e.GetStatus(); {
	case e.ID == unknownModelID:
		d.Code = "model_not_found"
	case status == http.StatusUnauthorized:
		d.Type, d.Code = "authentication_error", "invalid_api_key"
	case status == http.StatusForbidden:
		d.Type = "permission_error"
	case status == http.StatusTooManyRequests:
		d.Type, d.Code = "rate_limit_error", "rate_limit_exceeded"
	case status >= http.StatusInternalServerError:
		d.Type = "server_error"
	}
	var params []any
	if e.ID == unsupportedID && json.Unmarshal([]byte(e.Params), &params) == nil && len(params) > 0 {
		if name, ok := params[0].(string); ok {
			d.Param = &name
		}
	}
	return ErrorResponse{d}
}

// models returns the models of the caller.
func (s server) models(ctx context.Context) ([]Model, error) {
	infos, err := s.Collections.Collections(ctx)
	if err != nil {
		return nil, err
	}
	var ids []string
	for i, agent := range s.Agents {
		ids = append(ids, agent)
		if i > 0 || s.ChatModels == nil {
			continue
		}
		for _, name := range s.ChatModels() {
			ids = append(ids, agent+"@"+name)
		}
	}
	for _, c := range infos {
		ids = append(ids, collectionPrefix+c.Name)
	}
	models := make([]Model, len(ids))
	for i, id := range ids {
		models[i] = Model{ID: id, Object: "model", Created: s.created, OwnedBy: "docent"}
	}
	return models, nil
}

// find returns a model of the caller. A collection without a right is as unknown as
// one that does not exist.
func (s server) find(ctx context.Context, name string) (Model, error) {
	models, err := s.models(ctx)
	if err != nil {
		return Model{}, err
	}
	i := slices.IndexFunc(models, func(m Model) bool { return m.ID == name })
	if i < 0 {
		return Model{}, unknownModel(name)
	}
	return models[i], nil
}

func unknownModel(name string) error {
	return fault.New(fault.NotFound, unknownModelID, "there is no model %q; GET /v1/models lists the models", name)
}

// chosen returns the collections that a model searches, where none means all, and its chat
// model, or "".
func (s server) chosen(ctx context.Context, model string) (collections []string, chat string, err error) {
	if slices.Contains(s.Agents, model) {
		return nil, "", nil
	}
	if _, err := s.find(ctx, model); err != nil {
		return nil, "", err
	}
	if chat, ok := strings.CutPrefix(model, s.Agents[0]+"@"); ok {
		return nil, chat, nil
	}
	return []string{strings.TrimPrefix(model, collectionPrefix)}, "", nil
}

type listOutput struct{ Body ModelList }

func (s server) list(ctx context.Context, _ *struct{}) (*listOutput, error) {
	models, err := s.models(ctx)
	if err != nil {
		return nil, err
	}
	return &listOutput{ModelList{"list", models}}, nil
}

type modelInput struct {
	Model string `path:"model"`
}

type modelWithSlashInput struct {
	Prefix string `path:"prefix"`
	Name   string `path:"name"`
}

type modelOutput struct{ Body Model }

func (s server) model(ctx context.Context, in *modelInput) (*modelOutput, error) {
	m, err := s.find(ctx, in.Model)
	return &modelOutput{m}, err
}

func (s server) modelWithSlash(ctx context.Context, in *modelWithSlashInput) (*modelOutput, error) {
	m, err := s.find(ctx, in.Prefix+"/"+in.Name)
	return &modelOutput{m}, err
}
