package api

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"docent/agent/session/journal"
	"docent/api/route"
	"docent/auth"
	"docent/internal/fault"
)

// Accounts lets users manage their own account, as auth.Authenticator does. Logins may
// implement it. Methods with a principal fail with fault.Forbidden unless it signed in with
// a password.
type Accounts interface {
	// LinkUser returns the user of a link. remote is the client's address.
	LinkUser(ctx context.Context, link, remote string) (string, error)
	// UseLink sets the password of the user of a link, and returns the cookie of a login.
	UseLink(ctx context.Context, link, password, remote string) (string, auth.Principal, error)
	// ChangePassword replaces the password, and returns the cookie of a new login.
	ChangePassword(ctx context.Context, p auth.Principal, old, password, remote string) (string, auth.Principal, error)
	// OwnLogins lists the logins.
	OwnLogins(ctx context.Context, p auth.Principal) ([]auth.OwnLogin, error)
	// EndOwnLogin ends a login.
	EndOwnLogin(ctx context.Context, p auth.Principal, id string) error
	// DeleteOwn deletes the user.
	DeleteOwn(ctx context.Context, p auth.Principal, password, remote string) error
}

// SignIn is a browser in which the user is signed in.
type SignIn struct {
	// ID identifies it in this API.
	ID string `json:"id"`
	// Client describes the browser.
	Client string `json:"client" doc:"The browser, as it describes itself."`
	// CreatedAt is the time of the sign-in.
	CreatedAt time.Time `json:"created_at"`
	// LastUsedAt is the time of the last use, within an hour.
	LastUsedAt time.Time `json:"last_used_at"`
	// Current reports that the request belongs to it.
	Current bool `json:"current" doc:"The request belongs to this sign-in."`
}

type signInsOutput struct{ Body []SignIn }

type signInInput struct {
	ID string `path:"sign_in_id" maxLength:"100"`
}

type passwordInput struct {
	route.JSONBody
	Body struct {
		Old      string `json:"old" minLength:"1" doc:"The present password."`
		Password string `json:"password" minLength:"1" doc:"The new password, with at least 8 characters."`
	} `nameHint:"PasswordChange"`
}

type leaveInput struct {
	route.JSONBody
	Body struct {
		Password      string `json:"password,omitempty" doc:"Your password. Without one, you must have signed in within the last 10 minutes."`
		Conversations bool   `json:"conversations" doc:"Deletes your conversations, too."`
	} `nameHint:"AccountDeletion"`
}

type linkNameInput struct {
	route.JSONBody
	Body struct {
		Link string `json:"link" minLength:"1" maxLength:"200"`
	} `nameHint:"PasswordLinkSecret"`
}

type linkNameOutput struct {
	Body struct {
		Name string `json:"name" doc:"The name of the user."`
	} `nameHint:"PasswordLinkUser"`
}

type useLinkInput struct {
	route.JSONBody
	Body struct {
		Link     string `json:"link" minLength:"1" maxLength:"200"`
		Password string `json:"password" minLength:"1" doc:"The new password, with at least 8 characters."`
	} `nameHint:"PasswordLinkUse"`
}

// accounts handles the routes for the user's own account, and for links to set a password.
type accounts struct {
	ownedSessions
	logins    logins
	exports   exports
	transfers transfers
	facts     facts
	prompts   prompts
	// preferences are those for answers.
	preferences preferences
}

func (a accounts) addRoutes(r *route.Router) {
	tags := []string{"access"}
	const note = "Only for users who signed in with a name and a password."
	missing, slowed := []int{http.StatusNotFound}, []int{http.StatusNotFound, http.StatusConflict, http.StatusTooManyRequests}
	route.Add(r, huma.Operation{
		Method: http.MethodPut, Path: "/api/me/password", OperationID: "change-password", Tags: tags, Errors: slowed,
		Summary: "Change your password", MaxBodyBytes: loginBytes,
		Description: note + " It ends all your sign-ins and sets the cookie of a new one.",
	}, a.changePassword)
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: "/api/me/sign-ins", OperationID: "list-sign-ins", Tags: tags, Errors: missing,
		Summary: "List the browsers in which you are signed in", Description: note,
	}, a.signIns)
	route.Add(r, huma.Operation{
		Method: http.MethodDelete, Path: "/api/me/sign-ins/{sign_in_id}", OperationID: "end-sign-in", Tags: tags, Errors: missing,
		Summary: "Sign out of one of these browsers", Description: note,
	}, a.endSignIn)
	route.Add(r, huma.Operation{
		Method: http.MethodPost, Path: "/api/me/delete", OperationID: "delete-account", Tags: tags, Errors: slowed,
		Summary: "Delete your account", MaxBodyBytes: loginBytes, DefaultStatus: http.StatusNoContent,
		Description: note + " The last administrator cannot.",
	}, a.delete)
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: "/api/me/export", OperationID: "export-account", Tags: tags,
		Summary: "Export your account and all your conversations as a file",
		Errors:  []int{http.StatusTooManyRequests, http.StatusServiceUnavailable},
		Responses: map[string]*huma.Response{"200": {Description: "OK", Content: map[string]*huma.MediaType{
			"application/json": {Schema: route.SchemaOf[AccountExport](r)},
		}}},
	}, a.export)
	route.Add(r, huma.Operation{
		Method: http.MethodPost, Path: "/api/password-link", OperationID: "open-password-link", Tags: tags, Errors: slowed,
		Summary: "Get the user of a link to set a password", MaxBodyBytes: loginBytes,
	}, a.linkName)
	route.Add(r, huma.Operation{
		Method: http.MethodPut, Path: "/api/password-link", OperationID: "use-password-link", Tags: tags, Errors: slowed,
		Summary: "Set the password with a link, and sign in", MaxBodyBytes: loginBytes, Description: "Sets a cookie. A link works once.",
	}, a.useLink)
}

// keeper returns the keeper of the accounts and the current principal.
func (a accounts) keeper(ctx context.Context) (Accounts, auth.Principal, error) {
	p, _ := auth.FromContext(ctx)
	keeper, ok := a.logins.logins.(Accounts)
	if !ok {
		return nil, p, fault.New(fault.NotFound, "accounts_off", "authentication is off; there are no accounts here")
	}
	return keeper, p, nil
}

func (a accounts) changePassword(ctx context.Context, in *passwordInput) (*loginOutput, error) {
	keeper, p, err := a.keeper(ctx)
	if err != nil {
		return nil, err
	}
	route.Concerns(ctx, p.ID)
	r := route.HTTPRequest(ctx)
	value, p, err := keeper.ChangePassword(ctx, p, in.Body.Old, in.Body.Password, auth.Remote(r))
	recheck(a.logins.notifier)
	return a.logins.entered(ctx, value, p, err)
}

func (a accounts) signIns(ctx context.Context, _ *struct{}) (*signInsOutput, error) {
	keeper, p, err := a.keeper(ctx)
	if err != nil {
		return nil, err
	}
	all, err := keeper.OwnLogins(ctx, p)
	if err != nil {
		return nil, err
	}
	out := &signInsOutput{Body: []SignIn{}}
	for _, l := range all {
		out.Body = append(out.Body, SignIn{l.ID, l.Client, l.CreatedAt.UTC(), l.LastUsedAt.UTC(), l.Current})
	}
	return out, nil
}

func (a accounts) endSignIn(ctx context.Context, in *signInInput) (*struct{}, error) {
	keeper, p, err := a.keeper(ctx)
	if err != nil {
		return nil, err
	}
	route.Concerns(ctx, p.ID)
	err = keeper.EndOwnLogin(ctx, p, in.ID)
	recheck(a.logins.notifier)
	return nil, err
}

func (a accounts) delete(ctx context.Context, in *leaveInput) (*logoutOutput, error) {
	keeper, p, err := a.keeper(ctx)
	if err != nil {
		return nil, err
	}
	route.Concerns(ctx, p.ID)
	r := route.HTTPRequest(ctx)
	if err := keeper.DeleteOwn(ctx, p, in.Body.Password, auth.Remote(r)); err != nil {
		return nil, err
	}
	recheck(a.logins.notifier)
	if in.Body.Conversations {
		if err := a.deleteAll(ctx, p.ID); err != nil {
			return nil, err
		}
	}
	return &logoutOutput{SetCookie: auth.NewCookie(r, "")}, nil
}

func (a accounts) linkName(ctx context.Context, in *linkNameInput) (*linkNameOutput, error) {
	keeper, _, err := a.keeper(ctx)
	if err != nil {
		return nil, err
	}
	out := &linkNameOutput{}
	out.Body.Name, err = keeper.LinkUser(ctx, in.Body.Link, auth.Remote(route.HTTPRequest(ctx)))
	return out, err
}

func (a accounts) useLink(ctx context.Context, in *useLinkInput) (*loginOutput, error) {
	keeper, _, err := a.keeper(ctx)
	if err != nil {
		return nil, err
	}
	r := route.HTTPRequest(ctx)
	if !auth.OwnPage(r) {
		return nil, errOtherPage
	}
	value, p, err := keeper.UseLink(ctx, in.Body.Link, in.Body.Password, auth.Remote(r))
	recheck(a.logins.notifier)
	route.Concerns(ctx, p.ID)
	return a.logins.entered(ctx, value, p, err)
}

// AccountExport is the data that docent stores about a user.
type AccountExport struct {
	// Account describes the user.
	Account Me `json:"account"`
	// Tokens are the user's API tokens, without their secrets.
	Tokens []Token `json:"tokens"`
	// Facts are the facts that agents remember about the user.
	Facts []Fact `json:"facts"`
	// Prompts are the user's own prompts.
	Prompts []Prompt `json:"prompts"`
	// Preferences are the user's preferences for answers.
	Preferences Preferences `json:"preferences"`
	// SignIns are the browsers in which the user is signed in.
	SignIns []SignIn `json:"sign_ins"`
	// Conversations are all conversations of the user.
	Conversations []Export `json:"conversations"`
}

// export sends the data of the principal. Without authentication, this is everything.
func (a accounts) export(ctx context.Context, _ *struct{}) (*huma.StreamResponse, error) {
	p, _ := auth.FromContext(ctx)
	route.Concerns(ctx, p.ID)
	me, err := a.logins.me(ctx)
	if err != nil {
		return nil, err
	}
	head := AccountExport{Account: me, Tokens: []Token{}, SignIns: []SignIn{}}
	if head.Facts, err = a.facts.of(ctx); err != nil {
		return nil, err
	}
	if head.Prompts, err = a.prompts.of(ctx); err != nil {
		return nil, err
	}
	if head.Preferences, err = a.preferences.of(ctx); err != nil {
		return nil, err
	}
	if out, err := a.signIns(ctx, nil); err == nil { // programs have none
		head.SignIns = out.Body
	}
	if out, err := (tokens{a.logins.logins, nil}).list(ctx, nil); err == nil {
		head.Tokens = out.Body
	}
	return a.transfers.send(ctx, func(h http.Header) {
		h.Set("Content-Type", "application/json")
		h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": "docent-account.json"}))
	}, func(ctx context.Context, w io.Writer) error { return a.write(ctx, w, head, p) })
}

// write writes an AccountExport, one conversation at a time.
func (a accounts) write(ctx context.Context, w io.Writer, head AccountExport, p auth.Principal) error {
	for i, part := range []struct {
		name string
		is   any
	}{
		{"account", head.Account},
		{"tokens", head.Tokens},
		{"facts", head.Facts},
		{"prompts", head.Prompts},
		{"preferences", head.Preferences},
		{"sign_ins", head.SignIns},
	} {
		data, err := json.Marshal(part.is)
		if err != nil {
			return fmt.Errorf("export: %w", err)
		}
		if _, err := fmt.Fprintf(w, "%c%q:%s", "{,,,,,"[i], part.name, data); err != nil {
			return fmt.Errorf("export: %w", err)
		}
	}
	if _, err := io.WriteString(w, `,"conversations":[`); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	separator := ""
	for record, err := range a.owned(ctx, p.ID) {
		if err != nil {
			return err
		}
		if _, err := io.WriteString(w, separator); err != nil {
			return fmt.Errorf("export: %w", err)
		}
		separator = ","
		query := journal.MessageQuery{Before: record.Seq + 1, Bytes: exportBytes, Replaced: true}
		if err := a.exports.writeJSON(ctx, w, record, query); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, "]}\n")
	return err //nolint:wrapcheck // transfers names the operation
}
