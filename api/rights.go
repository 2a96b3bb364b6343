package api

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"docent/api/route"
	"docent/auth"
	"docent/auth/rights"
	"docent/internal/fault"
	"docent/rag/corpus"
)

// Rights keeps groups, and rights on collections. *rights.Rights implements it.
// Methods on collections check the reader of ctx.
type Rights interface {
	// Visible lists the collections that the reader may read.
	Visible(ctx context.Context) ([]rights.Visible, error)
	// Set sets the right of a subject.
	Set(ctx context.Context, collection string, grant rights.Grant) error
	// Open removes all rights on a collection.
	Open(ctx context.Context, collection string) error
	// Groups lists the groups.
	Groups(ctx context.Context) ([]rights.Group, error)
	// AddGroup adds a group.
	AddGroup(ctx context.Context, name string) error
	// RemoveGroup removes a group.
	RemoveGroup(ctx context.Context, name string) error
	// SetMember adds a member to a group, or removes it.
	SetMember(ctx context.Context, group, member string, is bool) error
}

// noRight is the name of the level without rights.
const noRight = "none"

// Collection is a collection as the reader sees it.
type Collection struct {
	CollectionInfo

	// Restricted reports that only the subjects of rights may use it.
	Restricted bool `json:"restricted"`
	// Right is the reader's own right.
	Right string `json:"right" enum:"read,write,manage"`
	// Rights are the rights of all subjects; empty unless the reader may manage it.
	Rights []Right `json:"rights"`
}

// Right is a right of a subject.
type Right struct {
	// Subject is everyone, group:NAME, user:NAME, token:NAME, or
	// oidc:ISSUER#SUBJECT.
	Subject string `json:"subject" minLength:"1" maxLength:"600" doc:"everyone, group:NAME, user:NAME, token:NAME, or oidc:ISSUER#SUBJECT."`
	// Right is its level. Each level includes the lower ones.
	Right string `json:"right" enum:"none,read,write,manage" doc:"Each right includes the lower ones. none removes a right."`
}

// Group is a set of users.
type Group struct {
	// Name identifies it.
	Name string `json:"name"`
	// Members are user:NAME or oidc:ISSUER#SUBJECT.
	Members []string `json:"members" doc:"Members by a claim of an OpenID Connect issuer are not among them."`
}

type collectionsOutput struct{ Body []Collection }

type setRightInput struct {
	route.JSONBody
	Collection string `path:"collection" maxLength:"200"`
	Body       Right
}

type collectionInput struct {
	Collection string `path:"collection" maxLength:"200"`
}

type groupsOutput struct{ Body []Group }

type newGroupInput struct {
	route.JSONBody
	Body struct {
		Name string `json:"name" minLength:"1" doc:"1 to 64 letters, digits, and characters of . _ @ + -."`
	} `nameHint:"GroupName"`
}

type groupInput struct {
	Group string `path:"group" maxLength:"300"`
}

type memberInput struct {
	route.JSONBody
	Group string `path:"group" maxLength:"300"`
	Body  struct {
		Member string `json:"member" minLength:"1" maxLength:"600" doc:"The name of a user, or oidc:ISSUER#SUBJECT."`
		Is     bool   `json:"is" doc:"Whether the user is a member from now on."`
	} `nameHint:"GroupMember"`
}

// access handles the routes for collections, rights, and groups.
type access struct {
	rights  Rights // nil while authentication is off
	library corpus.Library
	log     *slog.Logger
}

func (a access) addRoutes(r *route.Router) {
	tags := []string{"access"}
	missing := []int{http.StatusNotFound}
	taken := []int{http.StatusNotFound, http.StatusConflict}
	const one = "/api/collections/{collection}"
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: "/api/collections", OperationID: "list-collections", Tags: tags,
		Summary: "List the collections that you may read",
	}, a.list)
	route.Add(r, huma.Operation{
		Method: http.MethodPut, Path: one + "/rights", OperationID: "set-right", Tags: tags, Errors: taken,
		Summary: "Set the right of a subject in a collection", MaxBodyBytes: loginBytes,
		Description: "The first right restricts an open collection. Only administrators can set it.",
	}, a.set)
	route.Add(r, huma.Operation{
		Method: http.MethodDelete, Path: one + "/rights", OperationID: "open-collection", Tags: tags, Errors: missing,
		Summary: "Remove all rights on a collection, so that everybody may use it",
	}, a.open)
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: "/api/groups", OperationID: "list-groups", Tags: tags, Errors: missing,
		Summary: "List the groups with their members",
	}, a.groups)
	route.Add(r, huma.Operation{
		Method: http.MethodPost, Path: "/api/groups", OperationID: "create-group", Tags: tags, Errors: taken,
		Summary: "Create a group", DefaultStatus: http.StatusNoContent, MaxBodyBytes: loginBytes,
	}, a.addGroup)
	route.Add(r, huma.Operation{
		Method: http.MethodDelete, Path: "/api/groups/{group}", OperationID: "delete-group", Tags: tags, Errors: missing,
		Summary: "Remove a group and its rights",
	}, a.removeGroup)
	route.Add(r, huma.Operation{
		Method: http.MethodPut, Path: "/api/groups/{group}/members", OperationID: "set-member", Tags: tags, Errors: taken,
		Summary: "Add a member to a group, or remove it", MaxBodyBytes: loginBytes,
	}, a.setMember)
}

// errRightsOff is the error while authentication is off.
var errRightsOff = fault.New(fault.NotFound, "rights_off", "authentication is off, so there are no groups and rights")

func (a access) list(ctx context.Context, _ *struct{}) (*collectionsOutput, error) {
	infos, err := a.library.Collections(ctx)
	if err != nil {
		return nil, err
	}
	known := map[string]CollectionInfo{}
	out := &collectionsOutput{Body: []Collection{}}
	for _, c := range infos {
		known[c.Name] = collectionInfo(c)
		if a.rights == nil {
			out.Body = append(out.Body, Collection{CollectionInfo: known[c.Name], Right: rights.Manage.String(), Rights: []Right{}})
		}
	}
	if a.rights == nil {
		return out, nil
	}
	visible, err := a.rights.Visible(ctx)
	if err != nil {
		return nil, err
	}
	for _, v := range visible {
		info, ok := known[v.Name]
		if !ok {
			continue // it was added between the two queries
		}
		c := Collection{CollectionInfo: info, Restricted: v.Restricted, Rights: []Right{}}
		c.Right = mine(ctx, v.Level).String()
		for _, g := range v.Grants {
			c.Rights = append(c.Rights, Right{g.Subject, g.Level.String()})
		}
		out.Body = append(out.Body, c)
	}
	return out, nil
}

// errNotManager refuses people who manage no collection.
var errNotManager = fault.New(fault.Forbidden, "manager_only",
	"only administrators and managers of a collection may do this; ask an administrator for the right manage")

// managed returns the collections that the principal manages; nil means all of them.
func (a access) managed(ctx context.Context) ([]string, error) {
	p, _ := auth.FromContext(ctx)
	if p.May(auth.Admin) {
		return nil, nil
	}
	var out []string
	if a.rights != nil {
		visible, err := a.rights.Visible(ctx)
		if err != nil {
			return nil, err
		}
		for _, v := range visible {
			if mine(ctx, v.Level) >= rights.Manage {
				out = append(out, v.Name)
			}
		}
	}
	if len(out) == 0 {
		return nil, errNotManager
	}
	return out, nil
}

// mine limits a right by the scopes of the principal.
func mine(ctx context.Context, level rights.Level) rights.Level {
	if p, _ := auth.FromContext(ctx); !p.May(auth.Ingest) {
		return min(level, rights.Read)
	}
	return level
}

func (a access) set(ctx context.Context, in *setRightInput) (*struct{}, error) {
	level := rights.None
	var err error
	if in.Body.Right != noRight {
		level, err = rights.ParseLevel(in.Body.Right)
	}
	return a.change(ctx, "right set", in.Collection, err, func(r Rights) error {
		return r.Set(ctx, in.Collection, rights.Grant{Subject: in.Body.Subject, Level: level})
	})
}

func (a access) open(ctx context.Context, in *collectionInput) (*struct{}, error) {
	return a.change(ctx, "collection opened", in.Collection, nil, func(r Rights) error { return r.Open(ctx, in.Collection) })
}

func (a access) groups(ctx context.Context, _ *struct{}) (*groupsOutput, error) {
	if a.rights == nil {
		return nil, errRightsOff
	}
	all, err := a.rights.Groups(ctx)
	if err != nil {
		return nil, err
	}
	out := &groupsOutput{Body: []Group{}}
	for _, g := range all {
		out.Body = append(out.Body, Group{g.Name, append([]string{}, g.Members...)})
	}
	return out, nil
}

func (a access) addGroup(ctx context.Context, in *newGroupInput) (*struct{}, error) {
	return a.change(ctx, "group created", in.Body.Name, nil, func(r Rights) error { return r.AddGroup(ctx, in.Body.Name) })
}

func (a access) removeGroup(ctx context.Context, in *groupInput) (*struct{}, error) {
	return a.change(ctx, "group removed", in.Group, nil, func(r Rights) error { return r.RemoveGroup(ctx, in.Group) })
}

func (a access) setMember(ctx context.Context, in *memberInput) (*struct{}, error) {
	return a.change(ctx, "member set", in.Group, nil, func(r Rights) error { return r.SetMember(ctx, in.Group, in.Body.Member, in.Body.Is) })
}

// change changes rights or groups, and logs the principal. The log contains no
// names.
func (a access) change(ctx context.Context, done, object string, err error, do func(Rights) error) (*struct{}, error) {
	switch {
	case err != nil:
		return nil, err
	case a.rights == nil:
		return nil, errRightsOff
	}
	route.Concerns(ctx, object)
	if err := do(a.rights); err != nil {
		return nil, err
	}
	p, _ := auth.FromContext(ctx)
	a.log.LogAttrs(ctx, slog.LevelInfo, done, slog.String("principal", p.ID), slog.String("request", route.RequestID(ctx)))
	return nil, nil //nolint:nilnil // there is no content
}
