// Package route serves the routes of the HTTP interface. A [Router] describes
// each route in /openapi.json, checks who may use it, turns errors into JSON,
// and writes the request log and the metrics. Packages with handlers add their
// routes with [Add].
package route

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/VictoriaMetrics/metrics"
	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"docent/auth"
	"docent/auth/audit"
	"docent/internal/fault"
	"docent/internal/meter"
)

// specPattern is the route of the description.
const specPattern = "GET /openapi.json"

// Mux matches requests to routes, as *http.ServeMux does.
type Mux interface {
	humago.Mux
	// Handler returns the handler and the pattern of a request.
	Handler(r *http.Request) (http.Handler, string)
}

// interfaceVersion is the version of the HTTP interface. The version of the program
// is for users only.
const interfaceVersion = "1"

// Config sets a Router up.
type Config struct {
	// Mux matches requests to routes. Required.
	Mux Mux
	// Description describes the interface in /openapi.json. Required.
	Description string
	// Access says who may use each route. Required.
	Access []Access
	// Quiet are the routes that monitors poll; they are logged at the level
	// debug. Default: none.
	Quiet []string
	// BodyTimeout bounds the arrival of a JSON body. Required.
	BodyTimeout time.Duration
	// Audit stores records for routes with Access.Audit. Default: nil, which stores none.
	Audit func(ctx context.Context, record audit.Record) error
	// Metrics counts the requests. Required.
	Metrics *metrics.Set
	// Logger gets one line for each request, with ids and without content.
	// Required.
	Logger *slog.Logger
}

// Router serves routes. Add all routes before calling Handler.
type Router struct {
	cfg      Config
	api      huma.API
	mux      Mux
	groups   map[string]group          // by path prefix
	patterns []string                  // of the routes that were added
	scopes   map[string]auth.Scope     // by pattern
	audited  map[string]audit.Action   // by pattern
	seconds  map[string]*meter.Seconds // by path
}

// New returns a Router without routes.
func New(cfg Config) *Router {
	adjustHuma()
	r := &Router{
		cfg: cfg, mux: cfg.Mux, groups: map[string]group{}, scopes: map[string]auth.Scope{}, audited: map[string]audit.Action{},
		seconds: map[string]*meter.Seconds{},
	}
	for _, a := range cfg.Access {
		r.scopes[a.Route], r.audited[a.Route] = a.Scope, a.Audit
	}
	r.api = humago.New(registry{r}, huma.Config{
		OpenAPI: &huma.OpenAPI{
			Info:       &huma.Info{Title: "docent", Version: interfaceVersion, Description: cfg.Description},
			Components: &huma.Components{Schemas: huma.NewMapRegistry("#/components/schemas/", r.schemaName)},
		},
		Formats:       map[string]huma.Format{"application/json": huma.DefaultJSONFormat, "json": huma.DefaultJSONFormat},
		DefaultFormat: "application/json",
	})
	r.OpenAPI().Components.Schemas.RegisterTypeAlias(reflect.TypeFor[fault.Params](), reflect.TypeFor[[]any]())
	return r
}

// registry records the routes that huma adds.
type registry struct{ *Router }

// HandleFunc adds a route.
func (m registry) HandleFunc(pattern string, handler func(http.ResponseWriter, *http.Request)) {
	m.Handle(pattern, handler)
}

// ServeHTTP implements humago.Mux.
func (m registry) ServeHTTP(w http.ResponseWriter, r *http.Request) { m.mux.ServeHTTP(w, r) }

// Handle adds a route without a description in /openapi.json.
func (r *Router) Handle(pattern string, handler http.HandlerFunc) {
	r.patterns = append(r.patterns, pattern)
	r.mux.HandleFunc(pattern, handler)
}

// OpenAPI returns the description of the interface. It may be changed before
// calling Handler.
func (r *Router) OpenAPI() *huma.OpenAPI { return r.api.OpenAPI() }

// SchemaOf returns a reference to the schema of a type.
func SchemaOf[T any](r *Router) *huma.Schema {
	return r.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[T](), true, "")
}

// ErrorContent describes the body of every error.
func (r *Router) ErrorContent() map[string]*huma.MediaType {
	return map[string]*huma.MediaType{"application/json": {Schema: SchemaOf[Error](r)}}
}

// Handler serves the routes of a Router.
type Handler struct {
	http.Handler
	router *Router
}

// Serves reports whether a path belongs to the Handler. A route below a folder,
// such as /api/health, makes the whole folder belong to it.
func (h *Handler) Serves(path string) bool {
	for route := range h.router.paths() {
		folder, _, below := strings.Cut(route[1:], "/")
		if path == route || below && strings.HasPrefix(path, "/"+folder+"/") {
			return true
		}
	}
	return false
}

// ErrorBody returns the format of the errors below the Group of a path, or nil if
// it has none. With a format, the Handler refuses wrong tokens itself.
func (h *Handler) ErrorBody(path string) ErrorBody { return h.router.errorBody(path) }

// Handler returns the handler of all routes and of /openapi.json. It fails if a
// route has no row in Config.Access.
func (r *Router) Handler() (*Handler, error) {
	for path := range r.paths() {
		r.seconds[path] = meter.New(r.cfg.Metrics, "docent_http_seconds", fmt.Sprintf("route=%q", path))
	}
	for _, pattern := range append(r.patterns, specPattern) {
		if _, ok := r.scopes[pattern]; !ok {
			return nil, fmt.Errorf("api: the route %s has no row in Routes of api/access.go", pattern)
		}
	}
	r.describeAccess()
	describe := sync.OnceValues(func() ([]byte, error) { return json.MarshalIndent(r.OpenAPI(), "", "  ") }) // few clients ask for it
	r.mux.HandleFunc(specPattern, func(w http.ResponseWriter, req *http.Request) {
		spec, err := describe()
		if err != nil {
			Write(w, req, r.Fail(req.Context(), fmt.Errorf("api: describe the routes: %w", err)))
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(spec) // the client is gone
	})
	return &Handler{r.observe(SecureHeaders(http.HandlerFunc(r.serve))), r}, nil
}

// serve checks the access to a route. Errors about unknown paths and methods have
// the format of all other errors.
func (r *Router) serve(w http.ResponseWriter, req *http.Request) {
	handler, pattern := r.mux.Handler(req)
	if pattern != "" {
		if e := r.refusal(req, pattern); e != nil {
			Because(req, string(e.Code))
			req.Pattern = pattern // for the log
			Write(w, req, e)
			return
		}
		r.mux.ServeHTTP(w, req)
		return
	}
	std := &discarded{header: http.Header{}}
	handler.ServeHTTP(std, req)
	if std.status == http.StatusMethodNotAllowed {
		w.Header().Set("Allow", std.header.Get("Allow"))
		Write(w, req, NewError(std.status, fault.Invalid,
			fault.NewText("method_not_allowed", "this path does not accept the method %s", method(req))))
		return
	}
	Write(w, req, NewError(http.StatusNotFound, fault.NotFound,
		fault.NewText("no_path", "there is nothing at this path; /openapi.json lists all paths")))
}

// discarded keeps the header and the status of a response and drops its text.
type discarded struct {
	header http.Header
	status int
}

// Header returns the header of the response.
func (d *discarded) Header() http.Header { return d.header }

// WriteHeader keeps the status.
func (d *discarded) WriteHeader(status int) { d.status = status }

// Write discards the text.
func (d *discarded) Write(p []byte) (int, error) { return len(p), nil }

// SecureHeaders sets headers for responses that are not pages. They tell browsers
// not to run or embed the responses.
func SecureHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		Secure(w.Header())
		next.ServeHTTP(w, r)
	})
}

// Secure sets the headers of SecureHeaders.
func Secure(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}
