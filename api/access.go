package api

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"docent/agent/session/journal"
	"docent/auth"
	"docent/internal/fault"
	"docent/internal/meter"
)

// What a route may ask for beside the scopes of package auth.
const (
	// Public is for everybody, also for who does not say who they are.
	Public auth.Scope = "public"
	// Known is for everybody who says who they are.
	Known auth.Scope = "known"
)

// Access says who may use a route.
type Access struct {
	// Route is the method and the path, such as GET /api/documents/{id}.
	Route string
	// Scope is what the principal has to have: Public, Known or one of auth's.
	Scope auth.Scope
}

// Routes says of every route of this package who may use it. A route without a
// row here is not served. What belongs to somebody is checked beside that.
func Routes() []Access {
	return []Access{
		{"GET /api/health", Public},
		{"GET /api/ready", Public},
		{"GET /openapi.json", Public},
		{"GET /ws", Public}, // what is no upgrade; upgrades are package ws's
		{"POST /api/login", Public},
		{"POST /api/logout", Public},
		{"GET /api/me", Known},
		{"GET /api/info", Known},
		{"GET /api/tokens", Known}, // one's own: who has any is told by auth
		{"POST /api/tokens", Known},
		{"DELETE /api/tokens/{token_id}", Known},
		{"GET /api/documents", auth.Ask},
		{"GET /api/documents/{id}", auth.Ask},
		{"GET /api/documents/{id}/text", auth.Ask},
		{"GET /api/documents/{id}/file", auth.Ask},
		{"GET /api/documents/{id}/chunks", auth.Ask},
		{"GET /api/documents/{id}/pages/{page}", auth.Ask},
		{"GET /api/documents/{id}/pages/{page}/image", auth.Ask},
		{"POST /api/pages", auth.Ask},
		{"GET /api/search", auth.Ask},
		{"POST /api/ask", auth.Ask},
		{"GET /api/sessions", auth.Ask},
		{"DELETE /api/sessions", auth.Ask},
		{"PATCH /api/sessions/{session_id}", auth.Ask},
		{"DELETE /api/sessions/{session_id}", auth.Ask},
		{"GET /api/sessions/{session_id}/messages", auth.Ask},
		{"GET /api/sessions/{session_id}/export", auth.Ask},
		{"POST /notify_websocket", auth.Ask},
		{"POST /api/documents", auth.Ingest},
		{"DELETE /api/documents/{id}", auth.Ingest},
		{"POST /api/documents/delete", auth.Ingest},
		{"GET /api/sources", auth.Admin},
		{"POST /api/sources", auth.Admin},
		{"GET /api/sources/{source_id}", auth.Admin},
		{"PATCH /api/sources/{source_id}", auth.Admin},
		{"DELETE /api/sources/{source_id}", auth.Admin},
		{"POST /api/sources/{source_id}/sync", auth.Admin},
		{"POST /api/sources/{source_id}/retry", auth.Admin},
		{"GET /api/sources/{source_id}/failures", auth.Admin},
		{"GET /api/source-kinds", auth.Admin},
		{"GET /metrics", auth.Admin},
	}
}

// allowed tells why a request to a route is refused; nil if it is not.
func (s *server) allowed(r *http.Request, pattern string) *Error {
	scope, listed := s.access[pattern]
	p, known := auth.FromContext(r.Context())
	switch {
	case scope == Public:
		return nil
	case !listed: // New has seen to it that there is none
		return &Error{
			status: http.StatusForbidden, Code: fault.Forbidden,
			Text: fault.NewText("path_forbidden", "nobody may use this path"),
		}
	case !known:
		return &Error{
			status: http.StatusUnauthorized, Code: fault.Unauthorized,
			Text: fault.NewText("sign_in_needed", "sign in, or send a token"),
		}
	case scope != Known && !p.May(scope):
		return &Error{
			status: http.StatusForbidden, Code: fault.Forbidden,
			Text: fault.NewText("scope_missing_for_path", "this needs the scope %s", scope),
		}
	}
	return nil
}

// registry remembers what is registered, so that no route is forgotten in Routes.
type registry struct {
	router
	patterns []string
}

// HandleFunc registers and remembers.
func (m *registry) HandleFunc(pattern string, handler func(http.ResponseWriter, *http.Request)) {
	m.patterns = append(m.patterns, pattern)
	m.router.HandleFunc(pattern, handler)
}

// declare takes over who may use what, and describes it in /openapi.json.
func (s *server) declare(registered []string) error {
	for _, a := range Routes() {
		s.access[a.Route] = a.Scope
		_, path, _ := strings.Cut(a.Route, " ")
		s.took[path] = meter.New(s.cfg.Metrics, "docent_http_seconds", fmt.Sprintf("route=%q", path))
	}
	for _, pattern := range registered {
		if _, ok := s.access[pattern]; !ok {
			return fmt.Errorf("api: the route %s has no row in Routes", pattern)
		}
	}
	spec := s.api.OpenAPI()
	spec.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"token":  {Type: "http", Scheme: "bearer", Description: "An API token, or a JWT of the configured issuer. Like the cookie, it is needed only while authentication is on."},
		"cookie": {Type: "apiKey", In: "cookie", Name: auth.CookieName, Description: "Set by POST /api/login."},
	}
	for path, item := range spec.Paths {
		for method, op := range map[string]*huma.Operation{
			http.MethodGet: item.Get, http.MethodPost: item.Post, http.MethodPatch: item.Patch, http.MethodDelete: item.Delete, http.MethodPut: item.Put,
		} {
			if op == nil {
				continue
			}
			scope := s.access[method+" "+path]
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
	return nil
}

// own returns a session that the caller may use. To others it looks as if there
// was none.
func (s *server) own(ctx context.Context, key journal.SessionKey) (journal.SessionRecord, error) {
	record, err := s.cfg.Directory.Session(ctx, key)
	if err != nil {
		return journal.SessionRecord{}, err
	}
	if p, known := auth.FromContext(ctx); !known || !p.Owns(record.Owner) {
		return journal.SessionRecord{}, fault.New(fault.NotFound, "no_session", "there is no such session")
	}
	return record, nil
}

// whose says of whom a list of sessions may be; "" is everybody.
func whose(ctx context.Context, asked string) (id string, none bool) {
	p, _ := auth.FromContext(ctx)
	if p.May(auth.Admin) {
		return asked, false
	}
	return p.ID, p.ID == "" || (asked != "" && asked != p.ID)
}
