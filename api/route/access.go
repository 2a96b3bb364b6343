package route

import (
	"iter"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"docent/auth"
	"docent/auth/audit"
	"docent/internal/fault"
)

// Scopes of routes besides those of package auth.
const (
	// Public routes are open to everyone, without authentication.
	Public auth.Scope = "public"
	// Known routes are open to every authenticated principal with another scope than
	// auth.Chat.
	Known auth.Scope = "known"
)

// Access says who may use a route.
type Access struct {
	// Route is the method and the path, such as GET /api/documents/{id}.
	Route string
	// Scope is the scope that the principal must have: Public, Known, or a scope
	// of package auth.
	Scope auth.Scope
	// Audit is the action that the audit log records for each successful request; "" for none.
	Audit audit.Action
}

// refusal returns the reason why a request may not use a route; nil if it may.
func (r *Router) refusal(req *http.Request, pattern string) *Error {
	scope, listed := r.scopes[pattern]
	p, known := auth.FromContext(req.Context())
	wrong := auth.Refusal(req.Context()) // nil without wrong credentials
	switch {
	case wrong != nil:
		return r.Fail(req.Context(), wrong)
	case scope == Public:
		return nil
	case !listed: // Handler has checked that there is none
		return NewError(http.StatusForbidden, fault.Forbidden, fault.NewText("path_forbidden", "nobody may use this path"))
	case !known:
		return NewError(http.StatusUnauthorized, fault.Unauthorized, fault.NewText("sign_in_needed", "sign in, or send a token"))
	case scope != Known && !p.May(scope), p.MayOnlyChat():
		return NewError(http.StatusForbidden, fault.Forbidden, fault.NewText("scope_missing_for_path", "this needs the scope %s", needed(scope)))
	}
	return nil
}

// needed returns the scope for an error. A route for every principal is closed to
// tokens that may only chat.
func needed(scope auth.Scope) auth.Scope {
	if scope == Known {
		return auth.Ask
	}
	return scope
}

// paths yields the paths of all rows in Config.Access.
func (r *Router) paths() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, a := range r.cfg.Access {
			if _, path, _ := strings.Cut(a.Route, " "); !yield(path) {
				return
			}
		}
	}
}

// describeAccess adds the needed scopes to the description.
func (r *Router) describeAccess() {
	spec := r.OpenAPI()
	spec.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"token": {
			Type: "http", Scheme: "bearer",
			Description: "An API token, or a JWT of the configured issuer. Like the cookie, it is needed only while authentication is on.",
		},
		"cookie": {Type: "apiKey", In: "cookie", Name: auth.CookieName, Description: "Set by POST /api/login."},
	}
	for path, item := range spec.Paths {
		for method, op := range map[string]*huma.Operation{
			http.MethodGet: item.Get, http.MethodPost: item.Post, http.MethodPatch: item.Patch,
			http.MethodDelete: item.Delete, http.MethodPut: item.Put,
		} {
			if op == nil {
				continue
			}
			scope := r.scopes[method+" "+path]
			op.Security = []map[string][]string{}
			if scope == Public {
				continue
			}
			needs := []string{string(scope)}
			if scope == Known {
				needs = []string{}
			}
			op.Security = append(op.Security, map[string][]string{"token": needs}, map[string][]string{"cookie": needs})
		}
	}
}
