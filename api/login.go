package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"docent/api/route"
	"docent/auth"
	"docent/internal/fault"
)

// Logins signs users in and out, as auth.Authenticator does.
type Logins interface {
	// Password signs a user in and returns the value of a cookie. remote is the
	// client's address.
	Password(ctx context.Context, name, password, remote string) (string, auth.Principal, error)
	// Logout ends the login of a cookie.
	Logout(ctx context.Context, cookie string) error
}

// Me describes the current user.
type Me struct {
	// ID is the principal, which owns sessions; empty while authentication is off.
	ID string `json:"id"`
	// Name is a name for people; empty while authentication is off.
	Name string `json:"name"`
	// Scopes are the permissions of the user.
	Scopes []string `json:"scopes" enum:"ask,ingest,admin"`
	// Auth reports whether authentication is on.
	Auth bool `json:"auth" doc:"Authentication is on. While it is off, everyone may do everything."`
}

type meOutput struct{ Body Me }

// loginBytes bounds the body of a login.
const loginBytes = 16 << 10

type loginInput struct {
	route.JSONBody
	Body struct {
		Username string `json:"username" minLength:"1"`
		Password string `json:"password" minLength:"1"`
	} `nameHint:"Login"`
}

type loginOutput struct {
	SetCookie http.Cookie `header:"Set-Cookie" doc:"The login cookie. Scripts cannot read it."`
	Body      Me
}

type logoutOutput struct {
	SetCookie http.Cookie `header:"Set-Cookie" doc:"Deletes the login cookie."`
}

// logins handles the routes to sign in and out.
type logins struct {
	logins   Logins // nil while authentication is off
	notifier Notifier
}

func (l logins) addRoutes(r *route.Router) {
	route.Add(r, huma.Operation{
		Method: http.MethodPost, Path: "/api/login", OperationID: "login", Tags: []string{"access"},
		Summary: "Sign in with a password",
		Description: "Sets a cookie. After several wrong attempts for a name or from an address, " +
			"further attempts are refused until the time in Retry-After.",
		MaxBodyBytes: loginBytes,
		Errors:       []int{http.StatusNotFound, http.StatusTooManyRequests},
	}, l.login)
	route.Add(r, huma.Operation{
		Method: http.MethodPost, Path: "/api/logout", OperationID: "logout", Tags: []string{"access"},
		Summary: "Sign out", DefaultStatus: http.StatusNoContent,
	}, l.logout)
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: "/api/me", OperationID: "me", Tags: []string{"access"},
		Summary: "Get the current user and their scopes",
	}, func(ctx context.Context, _ *struct{}) (*meOutput, error) {
		p, _ := auth.FromContext(ctx)
		return &meOutput{l.me(p)}, nil
	})
}

func (l logins) me(p auth.Principal) Me {
	me := Me{ID: p.ID, Name: p.Name, Scopes: []string{}, Auth: l.logins != nil}
	for _, scope := range p.Scopes {
		me.Scopes = append(me.Scopes, string(scope))
	}
	return me
}

// errOtherPage refuses other pages, even listed ones: they must not sign users of
// docent's own page in or out.
var errOtherPage = fault.New(fault.Forbidden,
	"sign_in_elsewhere", "signing in and out works only on docent's own page; send a token from other pages")

func (l logins) login(ctx context.Context, in *loginInput) (*loginOutput, error) {
	if l.logins == nil {
		return nil, fault.New(fault.NotFound, "sign_in_off", "authentication is off; nobody needs to sign in here")
	}
	r := route.HTTPRequest(ctx)
	if !auth.OwnPage(r) {
		return nil, errOtherPage
	}
	value, p, err := l.logins.Password(ctx, in.Body.Username, in.Body.Password, auth.Remote(r))
	if err != nil {
		return nil, err
	}
	if old := auth.LoginCookie(r); old != "" {
		if err := l.logins.Logout(ctx, old); err != nil {
			return nil, err
		}
	}
	return &loginOutput{SetCookie: auth.NewCookie(r, value), Body: l.me(p)}, nil
}

// rechecker is a Notifier that can close the connections of signed-out users at
// once. Other Notifiers find out later.
type rechecker interface{ Recheck() }

// logout removes the cookie even if its login has ended or authentication is
// off.
func (l logins) logout(ctx context.Context, _ *struct{}) (*logoutOutput, error) {
	r := route.HTTPRequest(ctx)
	if !auth.OwnPage(r) {
		return nil, errOtherPage
	}
	if cookie := auth.LoginCookie(r); cookie != "" && l.logins != nil {
		if err := l.logins.Logout(ctx, cookie); err != nil {
			return nil, err
		}
		if r, ok := l.notifier.(rechecker); ok {
			r.Recheck()
		}
	}
	return &logoutOutput{SetCookie: auth.NewCookie(r, "")}, nil
}
