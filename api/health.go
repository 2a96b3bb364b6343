package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"docent/api/route"
	"docent/internal/fault"
)

const (
	healthPath = "/api/health"
	readyPath  = "/api/ready"
	// readyTimeout bounds all checks of /api/ready together.
	readyTimeout = 5 * time.Second
)

type healthOutput struct {
	Body struct {
		Status string `json:"status" enum:"ok"`
	} `nameHint:"Health"`
}

type readyOutput struct {
	Status int
	Body   struct {
		Status    string                    `json:"status" enum:"ok,unavailable"`
		Checks    map[string]string         `json:"checks" doc:"The checks by name: ok, or a description of the problem."`
		Sentences map[string]fault.Sentence `json:"sentences,omitempty" doc:"The ids of those descriptions, by name."`
		Models    map[string]string         `json:"models,omitempty" doc:"The chat models by name: ok, not asked yet, or does not answer. While a model does not answer, docent answers with quotes."`
	} `nameHint:"Readiness"`
}

// health handles the routes for monitors.
type health struct {
	routes *route.Router
	checks map[string]func(ctx context.Context) error
	models func() map[string]string
}

func (h health) addRoutes() {
	route.Add(h.routes, huma.Operation{
		Method: http.MethodGet, Path: healthPath, OperationID: "health", Tags: []string{"service"},
		Summary: "Check that the server runs",
	}, func(context.Context, *struct{}) (*healthOutput, error) {
		out := &healthOutput{}
		out.Body.Status = "ok"
		return out, nil
	})
	route.Add(h.routes, huma.Operation{
		Method: http.MethodGet, Path: readyPath, OperationID: "ready", Tags: []string{"service"},
		Summary: "Check that the server is ready", Description: "The status is 503, with the same body, if a check fails.",
	}, h.ready)
	h.routes.OpenAPI().Paths[readyPath].Get.Responses["503"] = &huma.Response{
		Description: "A check fails",
		Content:     map[string]*huma.MediaType{"application/json": {Schema: &huma.Schema{Ref: "#/components/schemas/Readiness"}}},
	}
}

func (h health) ready(ctx context.Context, _ *struct{}) (*readyOutput, error) {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	out := &readyOutput{Status: http.StatusOK}
	out.Body.Status = "ok"
	out.Body.Checks, out.Body.Sentences = map[string]string{}, map[string]fault.Sentence{}
	if h.models != nil {
		out.Body.Models = h.models()
	}
	for name, check := range h.checks {
		out.Body.Checks[name] = "ok"
		if err := check(ctx); err != nil {
			_ = h.routes.Fail(ctx, err) // logs it
			out.Status, out.Body.Status = http.StatusServiceUnavailable, "unavailable"
			out.Body.Checks[name] = fault.Message(err)
			out.Body.Sentences[name] = fault.TextOf(err).Sentence
		}
	}
	return out, nil
}
