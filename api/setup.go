package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"docent/api/route"
	"docent/auth"
	"docent/internal/fault"
)

// Setup lets the owner of a one-time code set up a new installation.
type Setup interface {
	// Check fails unless the code works.
	Check(code string) error
	// Finish uses the code. With a name, it creates the first administrator and turns authentication on. restarts says
	// that the server restarts soon.
	Finish(ctx context.Context, code, name, password string) (restarts bool, err error)
}

// SetupState describes a new installation.
type SetupState struct {
	// Auth reports whether authentication is on.
	Auth bool `json:"auth" doc:"Authentication is on, so the first administrator is needed."`
}

// SetupResult is the result of a setup.
type SetupResult struct {
	// Restarts reports whether the server restarts.
	Restarts bool `json:"restarts" doc:"The server restarts now, with authentication. Wait until GET /api/info answers 401, and sign in."`
}

type setupCheckInput struct {
	route.JSONBody
	Body struct {
		Code string `json:"code" maxLength:"100"`
	} `nameHint:"SetupCode"`
}

type setupCheckOutput struct{ Body SetupState }

type setupInput struct {
	route.JSONBody
	Body struct {
		Code     string `json:"code" maxLength:"100"`
		Name     string `json:"name,omitempty" maxLength:"300" doc:"The name of the first administrator. Without it, authentication stays as it is."`
		Password string `json:"password,omitempty" maxLength:"1024"`
	} `nameHint:"SetupRequest"`
}

type setupOutput struct{ Body SetupResult }

// setup handles the routes of the first start.
type setup struct {
	setup Setup // nil for an installation that is set up
	auth  bool
}

func (s setup) addRoutes(r *route.Router) {
	route.Add(r, huma.Operation{
		Method: http.MethodPost, Path: "/api/setup/check", OperationID: "check-setup", Tags: []string{"access"}, MaxBodyBytes: loginBytes,
		Errors: []int{http.StatusForbidden}, Summary: "Check the code of the first start",
		Description: "docent serve prints a link with the code if nobody has used the installation.",
	}, s.check)
	route.Add(r, huma.Operation{
		Method: http.MethodPost, Path: "/api/setup", OperationID: "set-up", Tags: []string{"access"}, MaxBodyBytes: loginBytes,
		Errors: []int{http.StatusForbidden, http.StatusConflict}, Summary: "Use the code of the first start",
		Description: "With a name and a password, it creates the first administrator and turns authentication on.",
	}, s.finish)
}

// ready fails if there is nothing to set up, and for other pages.
func (s setup) ready(ctx context.Context) error {
	if !auth.OwnPage(route.HTTPRequest(ctx)) {
		return errOtherPage
	}
	if s.setup == nil {
		return fault.New(fault.Forbidden, "setup_done", "docent is set up already")
	}
	return nil
}

func (s setup) check(ctx context.Context, in *setupCheckInput) (*setupCheckOutput, error) {
	if err := s.ready(ctx); err != nil {
		return nil, err
	}
	return &setupCheckOutput{SetupState{s.auth}}, s.setup.Check(in.Body.Code)
}

func (s setup) finish(ctx context.Context, in *setupInput) (*setupOutput, error) {
	if err := s.ready(ctx); err != nil {
		return nil, err
	}
	if in.Body.Name == "" && s.auth {
		return nil, fault.New(fault.Invalid, "setup_without_name", "authentication is on: enter the name and the password of the first administrator")
	}
	restarts, err := s.setup.Finish(ctx, in.Body.Code, in.Body.Name, in.Body.Password)
	if err != nil {
		return nil, err
	}
	route.Concerns(ctx, auth.UserName(in.Body.Name))
	return &setupOutput{SetupResult{restarts}}, nil
}
