package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"docent/api/route"
	"docent/auth"
	"docent/internal/fault"
	"docent/profile"
)

// Preferences says how docent answers the user.
type Preferences struct {
	// Language is the language of answers.
	Language string `json:"language" enum:",de,en,es,fr,it,nl,pt" doc:"The language of answers. Empty for the language of each question. Chat models write it. docent's own sentences are in German if it is de, and otherwise in English. Clients can translate them by their id."`
	// Instructions are the user's own instructions for models.
	Instructions string `json:"instructions" doc:"Your own instructions for chat models, with at most 2000 characters. They change the form of answers, not the search, the rights, and the citations."`
}

// OwnPreferences are preferences and the permission of the server.
type OwnPreferences struct {
	Preferences

	// InstructionsAllowed reports that instructions count.
	InstructionsAllowed bool `json:"instructions_allowed" doc:"False if the operator has turned own instructions off. docent then ignores them."`
}

type preferencesOutput struct{ Body OwnPreferences }

type preferencesInput struct {
	route.JSONBody
	Body Preferences
}

// preferences handles the routes for the preferences of the user.
type preferences struct {
	store        profile.Choices
	instructions bool // they are allowed
}

func (p preferences) addRoutes(r *route.Router) {
	const path = "/api/me/preferences"
	tags := []string{"access"}
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: path, OperationID: "get-preferences", Tags: tags, Summary: "Get your preferences for answers",
	}, p.get)
	route.Add(r, huma.Operation{
		Method: http.MethodPut, Path: path, OperationID: "set-preferences", Tags: tags, Summary: "Set your preferences for answers",
		Description: "They apply to your questions on the page, over WebSocket, and with your tokens. Without authentication, everybody shares them.",
		Errors:      []int{http.StatusForbidden},
	}, p.set)
}

// of returns the preferences of the principal.
func (p preferences) of(ctx context.Context) (Preferences, error) {
	who, _ := auth.FromContext(ctx)
	got, err := p.store.Preferences(ctx, who.ID)
	return Preferences(got), err //nolint:wrapcheck // the store names the operation
}

func (p preferences) get(ctx context.Context, _ *struct{}) (*preferencesOutput, error) {
	own, err := p.of(ctx)
	return &preferencesOutput{OwnPreferences{own, p.instructions}}, err
}

func (p preferences) set(ctx context.Context, in *preferencesInput) (*struct{}, error) {
	who, _ := auth.FromContext(ctx)
	next, err := profile.Preferences(in.Body).Check()
	if err != nil {
		return nil, err //nolint:wrapcheck // it is for users
	}
	if !p.instructions && next.Instructions != "" {
		return nil, fault.New(fault.Forbidden, "instructions_off",
			"the operator of this server has turned own instructions off; leave them empty")
	}
	return nil, p.store.SetPreferences(ctx, who.ID, next) //nolint:wrapcheck // the store names the operation
}
