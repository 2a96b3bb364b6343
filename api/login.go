package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"docent/auth"
	"docent/internal/fault"
)

// Logins logs people in and out; auth.Authenticator does.
type Logins interface {
	// Password logs in who knows the password of that name and asks from that
	// address; it returns the value of a cookie.
	Password(ctx context.Context, name, password, remote string) (string, auth.Principal, error)
	// Logout ends the login of a cookie.
	Logout(ctx context.Context, cookie string) error
}

// Me is who asks.
type Me struct {
	// ID is what owns things; "" while authentication is off.
	ID string `json:"id"`
	// Name is for people to read; "" while authentication is off.
	Name string `json:"name"`
	// Scopes are what they may do.
	Scopes []string `json:"scopes" enum:"ask,ingest,admin"`
	// Auth reports whether authentication is on.
	Auth bool `json:"auth" doc:"Authentication is on. While it is off, everyone may do everything."`
}

type meOutput struct{ Body Me }

// loginBytes bounds the body of a login: name and password as JSON may write
// them.
const loginBytes = 16 << 10

type loginInput struct {
	bodyRead
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

func (s *server) loginRoutes() {
	register(s, huma.Operation{
		Method: http.MethodPost, Path: "/api/login", OperationID: "login", Tags: []string{"access"},
		Summary:      "Sign in with a password",
		Description:  "Sets a cookie. After several wrong attempts for a name or from an address, further attempts are refused until the time in Retry-After.",
		MaxBodyBytes: loginBytes, BodyReadTimeout: s.cfg.bodyTimeout,
		Errors: []int{http.StatusNotFound, http.StatusTooManyRequests},
	}, s.login)
	register(s, huma.Operation{
		Method: http.MethodPost, Path: "/api/logout", OperationID: "logout", Tags: []string{"access"},
		Summary: "Sign out", DefaultStatus: http.StatusNoContent,
	}, s.logout)
	register(s, huma.Operation{
		Method: http.MethodGet, Path: "/api/me", OperationID: "me", Tags: []string{"access"},
		Summary: "Get the current user and their scopes",
	}, func(ctx context.Context, _ *struct{}) (*meOutput, error) {
		p, _ := auth.FromContext(ctx)
		return &meOutput{s.me(p)}, nil
	})
}

func (s *server) me(p auth.Principal) Me {
	me := Me{ID: p.ID, Name: p.Name, Scopes: []string{}, Auth: s.cfg.Logins != nil}
	for _, scope := range p.Scopes {
		me.Scopes = append(me.Scopes, string(scope))
	}
	return me
}

// errOtherPage keeps other pages, listed ones too, from changing who uses docent's
// own page.
var errOtherPage = fault.New(fault.Forbidden,
	"sign_in_elsewhere", "signing in and out works only on docent's own page; send a token from other pages")

func (s *server) login(ctx context.Context, in *loginInput) (*loginOutput, error) {
	if s.cfg.Logins == nil {
		return nil, fault.New(fault.NotFound, "sign_in_off", "authentication is off; nobody needs to sign in here")
	}
	r := requestOf(ctx).http
	if !auth.OwnPage(r) {
		return nil, errOtherPage
	}
	value, p, err := s.cfg.Logins.Password(ctx, in.Body.Username, in.Body.Password, auth.Remote(r))
	if err != nil {
		return nil, err
	}
	if old, err := r.Cookie(auth.CookieName); err == nil {
		if err := s.cfg.Logins.Logout(ctx, old.Value); err != nil {
			return nil, err
		}
	}
	return &loginOutput{SetCookie: auth.NewCookie(r, value), Body: s.me(p)}, nil
}

// rechecker is a Notifier that can look at once who is not let in any more; others
// find out by themselves, later.
type rechecker interface{ Recheck() }

// logout takes the cookie away also if its login has ended, or authentication
// has been turned off since.
func (s *server) logout(ctx context.Context, _ *struct{}) (*logoutOutput, error) {
	r := requestOf(ctx).http
	if !auth.OwnPage(r) {
		return nil, errOtherPage
	}
	if cookie, err := r.Cookie(auth.CookieName); err == nil && s.cfg.Logins != nil {
		if err := s.cfg.Logins.Logout(ctx, cookie.Value); err != nil {
			return nil, err
		}
		if r, ok := s.cfg.Notifier.(rechecker); ok {
			r.Recheck()
		}
	}
	return &logoutOutput{SetCookie: auth.NewCookie(r, "")}, nil
}
