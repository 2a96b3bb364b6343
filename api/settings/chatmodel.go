package settings

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"docent/api/route"
	"docent/config"
	"docent/internal/fault"
	"docent/llm"
	"docent/rag"
	"docent/settings"
)

// ChatModel is a chat model as administrators see it. Its key is never sent.
type ChatModel struct {
	ModelSettings

	// Name is the name that users see.
	Name string `json:"name"`
	// HasKey reports whether there is a key.
	HasKey bool `json:"has_key" doc:"docent has a key for the model. It never sends the key."`
	// Default reports whether the model writes answers.
	Default bool `json:"default" doc:"The model writes answers to questions that name no model."`
	// Origin says where the model is from.
	Origin Origin `json:"origin"`
	// Locked reports that the model cannot be changed here.
	Locked bool `json:"locked" doc:"The model comes from the configuration, so it cannot be changed here."`
	// State is the result of the last call.
	State string `json:"state" enum:"ok,failed,unknown" doc:"The result of the last call of the model."`
	// Problem says why docent does not use the model.
	Problem *fault.Text `json:"problem,omitempty" doc:"Why docent cannot use the model."`
}

// ModelSettings are the settings of a chat model.
type ModelSettings struct {
	// Model is the name on the server.
	Model string `json:"model,omitempty" maxLength:"300" doc:"The name of the model on its server. Default: its name."`
	// Provider is a known server.
	Provider string `json:"provider,omitempty" maxLength:"64" doc:"A known server. Default: url."`
	// URL is the address of an OpenAI-compatible server.
	URL string `json:"url,omitempty" maxLength:"2000" doc:"The base URL of an OpenAI-compatible server. Default: that of the provider."`
	// MaxTokens limits an answer.
	MaxTokens int `json:"max_tokens,omitempty" minimum:"0" doc:"The maximum length of an answer. Default: the setting llm.max-tokens."`
	// Temperature is the sampling temperature.
	Temperature *float64 `json:"temperature,omitempty" minimum:"0" maximum:"2" doc:"Default: the setting llm.temperature."`
	// TimeoutSeconds limits a call.
	TimeoutSeconds int `json:"timeout_seconds,omitempty" minimum:"0" maximum:"3600" doc:"The timeout of a call. Default: the setting llm.timeout."`
	// Fallbacks answer if the model fails.
	Fallbacks []string `json:"fallbacks,omitempty" maxItems:"20" doc:"The names of models that answer if this one fails."`
	// InputPrice is the price of a million read tokens.
	InputPrice float64 `json:"input_price,omitempty" minimum:"0" doc:"The price of a million tokens that the model reads."`
	// OutputPrice is the price of a million written tokens.
	OutputPrice float64 `json:"output_price,omitempty" minimum:"0" doc:"The price of a million tokens that the model writes."`
	// Choose lets users choose the model.
	Choose bool `json:"choose,omitempty" doc:"Users may choose the model."`
	// Uses are the tasks of the model.
	Uses []string `json:"uses,omitempty" maxItems:"4" enum:"answers,titles,rewriting,enrichment" doc:"The tasks of the model."`
}

// ModelList has the models and the known servers.
type ModelList struct {
	// Models are the models in order.
	Models []ChatModel `json:"models"`
	// Default is the model for answers.
	Default string `json:"default" doc:"The model for answers; extractive for quotes."`
	// DefaultLocked reports that the configuration selects the default.
	DefaultLocked bool `json:"default_locked" doc:"The configuration selects the default, so the models here cannot."`
	// Providers are the known servers.
	Providers []Provider `json:"providers"`
}

// Provider is a known server of chat models.
type Provider struct {
	// Name is its name in ModelSettings.
	Name string `json:"name"`
	// URL is its base URL.
	URL string `json:"url"`
	// NeedsKey reports whether it needs a key.
	NeedsKey bool `json:"needs_key"`
}

// LocalServer is a model server on this machine.
type LocalServer struct {
	// Provider is its name in ModelSettings.
	Provider string `json:"provider"`
	// URL is its base URL.
	URL string `json:"url"`
	// Models are the models that it offers.
	Models []string `json:"models"`
}

// ModelTest is the result of a conversation with a model.
type ModelTest struct {
	// OK reports that the model works.
	OK bool `json:"ok"`
	// FirstTokenMS is the time to the first word.
	FirstTokenMS int64 `json:"first_token_ms" doc:"The milliseconds to the first word."`
	// Streams reports whether the answer came in pieces.
	Streams bool `json:"streams"`
	// Reasons reports whether the model reasons first.
	Reasons bool `json:"reasons"`
	// Tools reports whether the model accepts tools.
	Tools bool `json:"tools"`
	// Problem is the failure.
	Problem *fault.Text `json:"problem,omitempty"`
	// Server are the server's words about the failure.
	Server string `json:"server,omitempty" doc:"The server's words about the failure, or the failure of the network, in the language of the server."`
	// Adapted says how docent changes requests for the server.
	Adapted string `json:"adapted,omitempty" doc:"What docent changes in its requests, because the server refuses them otherwise."`
}

type modelsOutput struct{ Body ModelList }

type modelInput struct {
	route.JSONBody
	Name string `path:"name" maxLength:"200"`
	Body ModelChange
}

// ModelChange is a new state of a model.
type ModelChange struct {
	ModelSettings

	// Key is the API key.
	Key *string `json:"key,omitempty" maxLength:"4000" doc:"The API key. Without it, the stored key stays, unless provider or url changes."`
}

type nameInput struct {
	Name string `path:"name" maxLength:"200"`
}

type orderInput struct {
	route.JSONBody
	Body struct {
		Names []string `json:"names" maxItems:"50" doc:"The names of all stored models. The first one writes answers, unless another one has this use."`
	} `nameHint:"ModelOrder"`
}

type testInput struct {
	route.JSONBody
	Body struct {
		ModelChange

		Name string `json:"name" minLength:"1" maxLength:"200" doc:"The name of the model. If docent has stored it, the test may use its key."`
	} `nameHint:"ModelDraft"`
}

type testOutput struct{ Body ModelTest }

type localOutput struct{ Body []LocalServer }

// testTimeout limits the test of a model. A server may load the model first.
const testTimeout = 2 * time.Minute

func (s server) addModels(r *route.Router) {
	const list, one = "/api/models", "/api/models/{name}"
	tags := []string{"models"}
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: list, OperationID: "list-chat-models", Tags: tags, Errors: missing, Summary: "List the chat models",
	}, s.models)
	route.Add(r, huma.Operation{
		Method: http.MethodPut, Path: one, OperationID: "put-chat-model", Tags: tags, Errors: refused, MaxBodyBytes: bodyBytes,
		Summary: "Add a chat model, or replace a stored one", DefaultStatus: http.StatusNoContent,
		Description: "New turns use it at once. docent stores the key encrypted.",
	}, s.put)
	route.Add(r, huma.Operation{
		Method: http.MethodDelete, Path: one, OperationID: "delete-chat-model", Tags: tags, Errors: refused,
		Summary: "Remove a stored chat model", DefaultStatus: http.StatusNoContent,
	}, s.remove)
	route.Add(r, huma.Operation{
		Method: http.MethodPut, Path: list, OperationID: "order-chat-models", Tags: tags, Errors: refused, MaxBodyBytes: bodyBytes,
		Summary: "Set the order of the stored chat models", DefaultStatus: http.StatusNoContent,
	}, s.order)
	route.Add(r, huma.Operation{
		Method: http.MethodPost, Path: list + "/test", OperationID: "test-chat-model", Tags: tags, Errors: refused, MaxBodyBytes: bodyBytes,
		Summary: "Have a short conversation with a chat model", Description: "It stores nothing. A model that fails is no error of the request.",
	}, s.test)
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: list + "/local", OperationID: "find-model-servers", Tags: tags, Errors: refused,
		Summary:     "Find model servers on the machine of docent",
		Description: "docent asks the usual ports of Ollama, llama.cpp, vLLM, and LM Studio on the loopback address.",
	}, s.local)
}

func (s server) models(ctx context.Context, _ *struct{}) (*modelsOutput, error) {
	if err := s.on(); err != nil {
		return nil, err
	}
	all, err := s.Settings.Models(ctx)
	if err != nil {
		return nil, err
	}
	var states map[string]string
	if s.States != nil {
		states = s.States()
	}
	out := &modelsOutput{ModelList{Models: []ChatModel{}, Default: cmp.Or(all.Default, rag.Extractive), DefaultLocked: all.Locked}}
	for _, m := range all.All {
		out.Body.Models = append(out.Body.Models, chatModel(m, states[m.Name]))
	}
	for _, p := range config.Providers() {
		out.Body.Providers = append(out.Body.Providers, Provider{p.Name, p.URL, p.KeyEnv != ""})
	}
	return out, nil
}

func chatModel(m settings.Model, state string) ChatModel {
	out := ChatModel{
		Name: m.Name, HasKey: m.Key != "", Default: m.Default, Origin: originOf(m.From), Locked: m.From.Locked(),
		State: "unknown", Problem: problemOf(m.Problem),
		ModelSettings: ModelSettings{
			Model: m.Model.Model, Provider: m.Provider, URL: m.ShownURL(), MaxTokens: m.MaxTokens, Temperature: m.Temperature,
			TimeoutSeconds: int(m.Timeout.Seconds()), Fallbacks: m.Fallbacks, Choose: m.Choose,
			InputPrice: m.Price.Input, OutputPrice: m.Price.Output,
		},
	}
	for _, u := range m.Uses {
		out.Uses = append(out.Uses, string(u))
	}
	switch state {
	case "ok":
		out.State = "ok"
	case "does not answer":
		out.State = "failed"
	}
	return out
}

// changed converts a change of a client.
func (c ModelChange) changed(name string) (settings.Change, error) {
	if err := route.CheckText("name", name, "model", c.Model, "url", c.URL); err != nil {
		return settings.Change{}, err
	}
	if u, err := url.Parse(c.URL); err == nil && u.User != nil {
		return settings.Change{}, fault.New(fault.Invalid, "model_url_password", "the address has a password: enter it as the key")
	}
	out := settings.Change{KeepKey: c.Key == nil, Model: config.Model{
		Name: name, Model: c.Model, Provider: c.Provider, URL: c.URL, MaxTokens: c.MaxTokens, Temperature: c.Temperature,
		Timeout: time.Duration(c.TimeoutSeconds) * time.Second, Fallbacks: c.Fallbacks, Choose: c.Choose,
		Price: config.Price{Input: c.InputPrice, Output: c.OutputPrice},
	}}
	if c.Key != nil {
		out.Key = *c.Key
	}
	for _, u := range c.Uses {
		out.Uses = append(out.Uses, config.Use(u))
	}
	return out, nil
}

func (s server) put(ctx context.Context, in *modelInput) (*struct{}, error) {
	change, err := in.Body.changed(in.Name)
	if err != nil {
		return nil, err
	}
	return nil, s.change(ctx, func(all Settings) error { return all.PutModel(ctx, change) })
}

func (s server) remove(ctx context.Context, in *nameInput) (*struct{}, error) {
	return nil, s.change(ctx, func(all Settings) error { return all.RemoveModel(ctx, in.Name) })
}

func (s server) order(ctx context.Context, in *orderInput) (*struct{}, error) {
	return nil, s.change(ctx, func(all Settings) error { return all.OrderModels(ctx, in.Body.Names) })
}

func (s server) test(ctx context.Context, in *testInput) (*testOutput, error) {
	if err := s.may(); err != nil {
		return nil, err
	}
	change, err := in.Body.changed(in.Body.Name)
	if err != nil {
		return nil, err
	}
	call, cancel := context.WithTimeout(ctx, testTimeout)
	defer cancel()
	report, err := s.Test(call, change)
	if err != nil && ctx.Err() != nil {
		return nil, err
	}
	return &testOutput{ModelTest{
		OK: err == nil, FirstTokenMS: report.FirstToken.Milliseconds(), Streams: !report.Whole, Reasons: report.Reasons, Tools: report.Tools,
		Problem: problemOf(err), Server: llm.Reason(err), Adapted: report.Shape.String(),
	}}, nil
}

func (s server) local(ctx context.Context, _ *struct{}) (*localOutput, error) {
	if err := s.may(); err != nil {
		return nil, err
	}
	return &localOutput{append([]LocalServer{}, s.Find(ctx)...)}, nil
}
