package api

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"docent/api/route"
	"docent/auth"
	"docent/auth/rights"
	"docent/internal/fault"
	"docent/rag/corpus"
)

// People manages users, as auth.People does. The table of routes checks that the caller is an
// administrator.
type People interface {
	// List lists the users by name.
	List(ctx context.Context) ([]auth.UserRecord, error)
	// Invite creates a user without a password, and returns a link to set one.
	Invite(ctx context.Context, name string, scopes auth.Scopes) (auth.Link, error)
	// NewLink makes a link with which a user sets a new password.
	NewLink(ctx context.Context, name string) (auth.Link, error)
	// SetScopes replaces the scopes of a user.
	SetScopes(ctx context.Context, name string, scopes auth.Scopes) error
	// SetDisabled disables a user or enables one again.
	SetDisabled(ctx context.Context, name string, disabled bool) error
	// SignOut ends all logins of a user.
	SignOut(ctx context.Context, name string) error
	// Remove deletes a user.
	Remove(ctx context.Context, name string) error
}

// User is a user as administrators see it.
type User struct {
	// Name identifies the user.
	Name string `json:"name"`
	// Scopes are the rights of the user.
	Scopes []string `json:"scopes" enum:"ask,ingest,admin"`
	// Groups are the names of the user's groups.
	Groups []string `json:"groups"`
	// Disabled reports that the user cannot sign in.
	Disabled bool `json:"disabled" doc:"The user cannot sign in, and tokens of the user do not work."`
	// Invited reports that the user has no password yet.
	Invited bool `json:"invited" doc:"The user has been invited and has not chosen a password yet."`
	// CreatedAt is the time of the creation.
	CreatedAt time.Time `json:"created_at"`
	// LastSeenAt is the time of the last use, within an hour; null before the first.
	LastSeenAt *time.Time `json:"last_seen_at" doc:"When the user last used docent, within an hour. null before the first use."`
}

// PasswordLink is a link with which a user sets the password once.
type PasswordLink struct {
	// Link is the secret of the link.
	Link string `json:"link" doc:"The secret of the link. The page opens it at #/join/LINK. docent cannot show it again."`
	// ExpiresAt is the end of the link.
	ExpiresAt time.Time `json:"expires_at"`
}

// Seen is a collection that a user may read, and why.
type Seen struct {
	// Collection is its name.
	Collection string `json:"collection"`
	// Documents is the number of its documents.
	Documents int `json:"documents"`
	// Right is the user's right.
	Right string `json:"right" enum:"read,write,manage"`
	// Through are the subjects that give the right.
	Through []string `json:"through" doc:"The subjects whose rights apply. Empty for open collections and for administrators."`
}

type usersOutput struct{ Body []User }

type newUserInput struct {
	route.JSONBody
	Body struct {
		Name   string   `json:"name" minLength:"1" doc:"1 to 64 letters, digits, and characters of . _ @ + -. docent stores it in lower case."`
		Scopes []string `json:"scopes" minItems:"1" maxItems:"3" enum:"ask,ingest,admin"`
	} `nameHint:"Invitation"`
}

type linkOutput struct{ Body PasswordLink }

type userInput struct {
	User string `path:"user" maxLength:"300"`
}

type changeUserInput struct {
	route.JSONBody
	User string `path:"user" maxLength:"300"`
	Body struct {
		Scopes   []string `json:"scopes,omitempty" maxItems:"3" enum:"ask,ingest,admin" doc:"The new scopes. Without them, the scopes stay."`
		Disabled *bool    `json:"disabled,omitempty" doc:"Whether the user is disabled from now on. Without it, this stays."`
	} `nameHint:"UserChange"`
}

type deleteUserInput struct {
	User          string `path:"user" maxLength:"300"`
	Conversations bool   `query:"conversations" doc:"Deletes the user's conversations, too. Otherwise, the next user of that name gets them."`
}

type seenOutput struct{ Body []Seen }

// users handles the routes for users.
type users struct {
	ownedSessions
	keeper   People // nil while authentication is off
	rights   Rights // nil while authentication is off
	library  corpus.Library
	notifier Notifier
}

func (u users) addRoutes(r *route.Router) {
	const list, one = "/api/users", "/api/users/{user}"
	tags := []string{"users"}
	missing, taken := []int{http.StatusNotFound}, []int{http.StatusNotFound, http.StatusConflict}
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: list, OperationID: "list-users", Tags: tags, Errors: missing, Summary: "List the users",
		Description: "Users of an OpenID Connect issuer are not in the list.",
	}, u.list)
	route.Add(r, huma.Operation{
		Method: http.MethodPost, Path: list, OperationID: "invite-user", Tags: tags, Errors: taken, MaxBodyBytes: loginBytes,
		Summary: "Create a user and a link to set a password", DefaultStatus: http.StatusCreated,
		Description: "The link works once, for three days. Only this response contains it.",
	}, u.invite)
	route.Add(r, huma.Operation{
		Method: http.MethodPatch, Path: one, OperationID: "change-user", Tags: tags, Errors: taken, MaxBodyBytes: loginBytes,
		Summary: "Change the scopes of a user, or disable the user", DefaultStatus: http.StatusNoContent,
		Description: "Disabling ends all logins and the link of the user. The last administrator cannot be disabled.",
	}, u.change)
	route.Add(r, huma.Operation{
		Method: http.MethodPost, Path: one + "/link", OperationID: "make-password-link", Tags: tags, Errors: missing,
		Summary:     "Make a link with which a user sets a new password",
		Description: "The link works once, for three days, and replaces an earlier one. Its use ends all logins of the user.",
	}, u.link)
	route.Add(r, huma.Operation{
		Method: http.MethodDelete, Path: one + "/sign-ins", OperationID: "sign-out-user", Tags: tags, Errors: missing,
		Summary: "Sign a user out everywhere",
	}, u.signOut)
	route.Add(r, huma.Operation{
		Method: http.MethodDelete, Path: one, OperationID: "delete-user", Tags: tags, Errors: taken,
		Summary: "Delete a user, with all logins and tokens",
	}, u.delete)
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: one + "/access", OperationID: "list-user-access", Tags: tags, Errors: missing,
		Summary: "List the collections that a user may read",
	}, u.access)
}

// people returns the keeper of the users.
func (u users) people() (People, error) {
	if u.keeper != nil {
		return u.keeper, nil
	}
	return nil, fault.New(fault.NotFound, "users_off", "authentication is off, so there are no users")
}

func (u users) list(ctx context.Context, _ *struct{}) (*usersOutput, error) {
	people, err := u.people()
	if err != nil {
		return nil, err
	}
	all, err := people.List(ctx)
	if err != nil {
		return nil, err
	}
	groups, err := u.groups(ctx)
	if err != nil {
		return nil, err
	}
	out := &usersOutput{Body: []User{}}
	for _, r := range all {
		out.Body = append(out.Body, User{
			Name: r.Name, Scopes: scopeNames(r.Scopes), Groups: append([]string{}, groups[subjectOf(r.Name)]...),
			Disabled: r.Disabled, Invited: r.Password == "" && !r.Identified, CreatedAt: r.CreatedAt.UTC(), LastSeenAt: moment(r.LastSeenAt),
		})
	}
	return out, nil
}

// subjectOf returns the subject of rights of a user, which is also the owner of the user's
// conversations.
func subjectOf(name string) string { return "user:" + auth.UserName(name) }

// groups returns the names of the groups by member.
func (u users) groups(ctx context.Context) (map[string][]string, error) {
	out := map[string][]string{}
	if u.rights == nil {
		return out, nil
	}
	all, err := u.rights.Groups(ctx)
	for _, g := range all {
		for _, m := range g.Members {
			out[m] = append(out[m], g.Name)
		}
	}
	return out, err
}

func scopeNames(scopes auth.Scopes) []string {
	out := []string{}
	for _, s := range scopes {
		out = append(out, string(s))
	}
	return out
}

func scopesOf(names []string) auth.Scopes {
	var out auth.Scopes
	for _, n := range names {
		out = append(out, auth.Scope(n))
	}
	return out
}

func (u users) invite(ctx context.Context, in *newUserInput) (*linkOutput, error) {
	people, err := u.people()
	if err != nil {
		return nil, err
	}
	route.Concerns(ctx, subjectOf(in.Body.Name))
	link, err := people.Invite(ctx, in.Body.Name, scopesOf(in.Body.Scopes))
	return &linkOutput{PasswordLink{link.Secret, link.ExpiresAt.UTC()}}, err
}

func (u users) link(ctx context.Context, in *userInput) (*linkOutput, error) {
	people, err := u.people()
	if err != nil {
		return nil, err
	}
	route.Concerns(ctx, subjectOf(in.User))
	link, err := people.NewLink(ctx, in.User)
	return &linkOutput{PasswordLink{link.Secret, link.ExpiresAt.UTC()}}, err
}

// act changes a user and closes connections that are no longer allowed.
func (u users) act(ctx context.Context, user string, do func(People) error) (*struct{}, error) {
	people, err := u.people()
	if err != nil {
		return nil, err
	}
	route.Concerns(ctx, subjectOf(user))
	err = do(people)
	recheck(u.notifier)
	return nil, err
}

func (u users) change(ctx context.Context, in *changeUserInput) (*struct{}, error) {
	return u.act(ctx, in.User, func(people People) error {
		if len(in.Body.Scopes) == 0 && in.Body.Disabled == nil {
			return fault.New(fault.Invalid, "user_nothing_to_change", "the request changes nothing; send scopes, disabled, or both")
		}
		if len(in.Body.Scopes) > 0 {
			if err := people.SetScopes(ctx, in.User, scopesOf(in.Body.Scopes)); err != nil {
				return err
			}
		}
		if in.Body.Disabled == nil {
			return nil
		}
		return people.SetDisabled(ctx, in.User, *in.Body.Disabled)
	})
}

func (u users) signOut(ctx context.Context, in *userInput) (*struct{}, error) {
	return u.act(ctx, in.User, func(people People) error { return people.SignOut(ctx, in.User) })
}

func (u users) delete(ctx context.Context, in *deleteUserInput) (*struct{}, error) {
	return u.act(ctx, in.User, func(people People) error {
		if err := people.Remove(ctx, in.User); err != nil || !in.Conversations {
			return err
		}
		return u.deleteAll(ctx, subjectOf(in.User))
	})
}

// access answers as the reader of the user would see the collections, so that it cannot
// differ from the rule that applies to searches.
func (u users) access(ctx context.Context, in *userInput) (*seenOutput, error) {
	people, err := u.people()
	if err != nil {
		return nil, err
	}
	all, err := people.List(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(r auth.UserRecord) bool { return r.Name == auth.UserName(in.User) })
	if i < 0 {
		return nil, fault.New(fault.NotFound, "no_user", "there is no such user")
	}
	user := auth.Principal{ID: subjectOf(in.User), Name: all[i].Name, Scopes: all[i].Scopes}
	within := auth.NewContext(ctx, user)
	visible, err := u.rights.Visible(within)
	if err != nil {
		return nil, err
	}
	infos, err := u.library.Collections(within)
	if err != nil {
		return nil, err
	}
	documents := map[string]int{}
	for _, c := range infos {
		documents[c.Name] = c.Documents
	}
	through, err := u.through(ctx, user)
	if err != nil {
		return nil, err
	}
	out := &seenOutput{Body: []Seen{}}
	for _, v := range visible {
		out.Body = append(out.Body, Seen{v.Name, documents[v.Name], mine(within, v.Level).String(), append([]string{}, through[v.Name]...)})
	}
	return out, nil
}

// through returns the subjects whose rights apply to a user, by collection.
func (u users) through(ctx context.Context, user auth.Principal) (map[string][]string, error) {
	out := map[string][]string{}
	if user.May(auth.Admin) {
		return out, nil
	}
	groups, err := u.groups(ctx)
	if err != nil {
		return nil, err
	}
	subjects := []string{rights.Everyone, user.ID}
	for _, g := range groups[user.ID] {
		subjects = append(subjects, "group:"+g)
	}
	all, err := u.rights.Visible(ctx) // with all rights, because the caller is an administrator
	for _, v := range all {
		for _, g := range v.Grants {
			if slices.Contains(subjects, g.Subject) {
				out[v.Name] = append(out[v.Name], g.Subject)
			}
		}
	}
	return out, err
}
