package api

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"docent/agent/session/journal"
	"docent/api/route"
	"docent/auth"
)

// Fact is a fact that an agent remembers about the user.
type Fact struct {
	// Agent is the name of the agent.
	Agent string `json:"agent_name"`
	// Key names the fact.
	Key string `json:"key"`
	// Value is the fact.
	Value json.RawMessage `json:"value" doc:"The fact, often a text."`
	// UpdatedAt is the time of the last change.
	UpdatedAt time.Time `json:"updated_at"`
	// ExpiresAt is the time at which the fact is gone; null if it stays.
	ExpiresAt *time.Time `json:"expires_at"`
}

// NewFact returns the form of a stored fact in the API.
func NewFact(m journal.Memory) Fact {
	f := Fact{Agent: m.Agent, Key: m.Key, Value: m.Content, UpdatedAt: m.UpdatedAt.UTC()}
	if !m.ExpiresAt.IsZero() {
		at := m.ExpiresAt.UTC()
		f.ExpiresAt = &at
	}
	return f
}

type factsOutput struct{ Body []Fact }

type factsInput struct {
	Agent string `query:"agent_name" maxLength:"255" doc:"The agent. Without it, the facts of all agents are erased."`
	Key   string `query:"key" maxLength:"255" doc:"The key of the fact. Without it, all facts are erased."`
}

type forgottenOutput struct {
	Body struct {
		Erased int `json:"erased" doc:"The number of erased facts."`
	} `nameHint:"ErasedFacts"`
}

// facts handles the routes for the facts that agents remember about the user.
type facts struct{ store journal.Memories }

func (f facts) addRoutes(r *route.Router) {
	tags := []string{"access"}
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: "/api/me/memory", OperationID: "list-facts", Tags: tags,
		Summary: "List the facts that agents remember about you",
	}, f.list)
	route.Add(r, huma.Operation{
		Method: http.MethodDelete, Path: "/api/me/memory", OperationID: "erase-facts", Tags: tags,
		Summary: "Erase facts that agents remember about you",
	}, f.erase)
}

func (f facts) list(ctx context.Context, _ *struct{}) (*factsOutput, error) {
	all, err := f.of(ctx)
	return &factsOutput{Body: all}, err
}

// of returns the facts about the principal.
func (f facts) of(ctx context.Context) ([]Fact, error) {
	p, _ := auth.FromContext(ctx)
	all, err := f.store.Memories(ctx, p.ID, "")
	out := make([]Fact, len(all))
	for i, m := range all {
		out[i] = NewFact(m)
	}
	return out, err //nolint:wrapcheck // the store names the operation
}

func (f facts) erase(ctx context.Context, in *factsInput) (*forgottenOutput, error) {
	p, _ := auth.FromContext(ctx)
	out := &forgottenOutput{}
	var err error
	out.Body.Erased, err = f.store.Forget(ctx, p.ID, in.Agent, in.Key)
	return out, err //nolint:wrapcheck // the store names the operation
}
