package api

import (
	"context"
	"net/http"
	"net/url"

	"github.com/danielgtaylor/huma/v2"

	"docent/api/route"
	"docent/auth"
	"docent/internal/fault"
)

// SignInProvider signs users in with an OpenID Connect provider, as auth.SignIns does.
type SignInProvider interface {
	// Provider names the provider; "" without one.
	Provider() string
	// Begin returns the address at the provider, and the value of a cookie.
	Begin(ctx context.Context, redirect, to, link string) (address, cookie string, err error)
	// End signs a user in with the response of the provider. to is the place on the page.
	End(ctx context.Context, r auth.SignInResponse, remote string) (cookie string, p auth.Principal, to string, err error)
}

// callbackPath is the path to which the provider sends browsers.
const callbackPath = "/api/sign-in/callback"

type providerInput struct {
	Error string `query:"error" maxLength:"100" doc:"The id of the error of a failed sign-in."`
}

type signInOutput struct {
	Body struct {
		Problem *fault.Text `json:"problem,omitempty" doc:"The error with the id."`
		Label   string      `json:"label,omitempty" doc:"The name of the provider. Absent without a sign-in with a provider."`
	} `nameHint:"SignInProvider"`
}

type beginInput struct {
	To   string `query:"to" maxLength:"500" doc:"The place on the page after the sign-in, such as #/documents."`
	Link string `query:"link" maxLength:"200" doc:"The secret of a link to set a password. The user of the link then signs in with the provider."`
}

type callbackInput struct {
	State  string `query:"state" maxLength:"500"`
	Code   string `query:"code" maxLength:"8192"`
	Issuer string `query:"iss" maxLength:"1000"`
	Error  string `query:"error" maxLength:"1000"`
}

// redirectOutput sends a browser to another address.
type redirectOutput struct {
	Status    int
	Location  string        `header:"Location"`
	SetCookie []http.Cookie `header:"Set-Cookie"`
	NoStore   string        `header:"Cache-Control"`
}

func redirectTo(address string, cookies ...http.Cookie) *redirectOutput {
	return &redirectOutput{Status: http.StatusSeeOther, Location: address, SetCookie: cookies, NoStore: "no-store"}
}

func (l logins) addProviderRoutes(r *route.Router) {
	tags := []string{"access"}
	redirects := map[string]*huma.Response{"303": {Description: "The address at which the browser continues."}}
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: "/api/sign-in", OperationID: "sign-in-provider", Tags: tags,
		Summary: "Get the name of the OpenID Connect provider for the button of the page, and the error of a failed sign-in",
	}, l.provider)
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: "/api/sign-in/start", OperationID: "start-sign-in", Tags: tags, Responses: redirects,
		Summary:     "Send the browser to the OpenID Connect provider",
		Description: "After a failure, the browser returns to the page, with the id of the error in the query parameter sign-in.",
	}, l.begin)
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: callbackPath, OperationID: "end-sign-in-with-provider", Tags: tags, Responses: redirects,
		Summary:     "Sign in with the response of the OpenID Connect provider",
		Description: "Sets the login cookie and sends the browser to the page. Register this address at the provider.",
	}, l.callback)
}

func (l logins) provider(_ context.Context, in *providerInput) (*signInOutput, error) {
	out := &signInOutput{}
	if in.Error != "" {
		problem := fault.TextOf(auth.SignInProblem(in.Error))
		out.Body.Problem = &problem
	}
	if l.provided != nil {
		out.Body.Label = l.provided.Provider()
	}
	return out, nil
}

// failed sends the browser back to the page, which shows the error.
func (l logins) failed(ctx context.Context, err error) *redirectOutput {
	id := fault.TextOf(err).ID
	if id == "" {
		id = "sign_in_refused"
	}
	route.Refuse(ctx, id)
	r := route.HTTPRequest(ctx)
	return redirectTo(route.Base(ctx)+"/?sign-in="+url.QueryEscape(id), auth.NewStateCookie(r, ""))
}

func (l logins) begin(ctx context.Context, in *beginInput) (*redirectOutput, error) {
	if l.provided == nil {
		return nil, fault.New(fault.NotFound, "sign_in_provider_off", "this server has no sign-in with a provider")
	}
	r := route.HTTPRequest(ctx)
	address, cookie, err := l.provided.Begin(ctx, route.Origin(r)+callbackPath, in.To, in.Link)
	if err != nil {
		return l.failed(ctx, err), nil
	}
	return redirectTo(address, auth.NewStateCookie(r, cookie)), nil
}

func (l logins) callback(ctx context.Context, in *callbackInput) (*redirectOutput, error) {
	if l.provided == nil {
		return nil, fault.New(fault.NotFound, "sign_in_provider_off", "this server has no sign-in with a provider")
	}
	r := route.HTTPRequest(ctx)
	value, who, to, err := l.provided.End(ctx, auth.SignInResponse{
		Cookie: auth.StateCookie(r), Redirect: route.Origin(r) + callbackPath, State: in.State, Code: in.Code, Issuer: in.Issuer, Error: in.Error,
	}, auth.Remote(r))
	if err != nil {
		return l.failed(ctx, err), nil
	}
	// The browser does not send its earlier login, which is SameSite=Strict. The new cookie replaces it.
	route.SignedIn(ctx, who)
	return redirectTo(route.Base(ctx)+"/"+to, auth.NewCookie(r, value), auth.NewStateCookie(r, "")), nil
}
