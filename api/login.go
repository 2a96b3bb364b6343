package api

import (
	"context"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"docent/api/route"
	"docent/auth"
	"docent/auth/rights"
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
	// Manages reports whether the user may set the rights on a collection.
	Manages bool `json:"manages" doc:"You may set the rights on at least one collection."`
	// NoPassword reports that the user has no password.
	NoPassword bool `json:"no_password,omitempty" doc:"You sign in with a provider and have no password. Absent otherwise."`
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
	rights   Rights // nil while authentication is off
	notifier Notifier
	provided SignInProvider // nil without one
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
	l.addProviderRoutes(r)
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: "/api/me", OperationID: "me", Tags: []string{"access"},
		Summary: "Get the current user and their scopes",
	}, func(ctx context.Context, _ *struct{}) (*meOutput, error) {
		me, err := l.me(ctx)
		return &meOutput{me}, err
	})
}

func (l logins) me(ctx context.Context) (Me, error) {
	p, _ := auth.FromContext(ctx)
	me := Me{ID: p.ID, Name: p.Name, Scopes: scopeNames(p.Scopes), Auth: l.logins != nil, Manages: p.May(auth.Admin), NoPassword: p.NoPassword}
	if l.rights == nil || me.Manages || !p.May(auth.Ingest) {
		return me, nil
	}
	visible, err := l.rights.Visible(ctx)
	me.Manages = slices.ContainsFunc(visible, func(v rights.Visible) bool { return v.Level >= rights.Manage })
	return me, err
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
	return l.entered(ctx, value, p, err)
}

// entered returns the response to a sign-in. It ends an earlier login of the browser.
func (l logins) entered(ctx context.Context, value string, p auth.Principal, err error) (*loginOutput, error) {
	if err != nil {
		return nil, err
	}
	r := route.HTTPRequest(ctx)
	if old := auth.LoginCookie(r); old != "" {
		if err := l.logins.Logout(ctx, old); err != nil {
			return nil, err
		}
	}
	route.SignedIn(ctx, p)
	me, err := l.me(auth.NewContext(ctx, p))
	return &loginOutput{SetCookie: auth.NewCookie(r, value), Body: me}, err
}

// rechecker is a Notifier that can close the connections of signed-out users at
// once. Other Notifiers find out later.
type rechecker interface{ Recheck() }

// recheck closes the connections of principals that may no longer be connected.
func recheck(n Notifier) {
	if r, ok := n.(rechecker); ok {
		r.Recheck()
	}
}

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
		recheck(l.notifier)
	}
	return &logoutOutput{SetCookie: auth.NewCookie(r, "")}, nil
}
