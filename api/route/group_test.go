package route

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/VictoriaMetrics/metrics"
	"github.com/danielgtaylor/huma/v2"

	"docent/auth"
	"docent/internal/fault"
)

// foreign is the error format of the test's group.
type foreign struct {
	Error struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	} `json:"error"`
}

func foreignBody(e *Error) any {
	var f foreign
	f.Error.Type, f.Error.Message = string(e.Code), e.Message
	return f
}

type number struct {
	JSONBody
	Body struct {
		N int `json:"n" minimum:"1"`
	}
}

// double answers with twice the number, and fails with 3 and 4.
func double(_ context.Context, in *number) (*struct{ Body int }, error) {
	switch in.Body.N {
	case 3:
		return nil, fault.New(fault.Busy, "test_busy", "too many questions")
	case 4:
		panic("four")
	}
	return &struct{ Body int }{2 * in.Body.N}, nil
}

// grouped serves the same handler in a group and outside of it.
func grouped(t *testing.T) *Handler {
	t.Helper()
	r := New(Config{
		Mux: http.NewServeMux(), Description: "d", BodyTimeout: time.Second,
		Access: []Access{
			{Route: "GET /openapi.json", Scope: Public},
			{Route: "POST /own/double", Scope: auth.Ask},
			{Route: "POST /v1/double", Scope: auth.Ask},
			{Route: "GET /status", Scope: Public},
		},
		Metrics: metrics.NewSet(), Logger: slog.New(slog.DiscardHandler),
	})
	r.Group("/v1/", foreignBody)
	for _, path := range []string{"/own/double", "/v1/double"} {
		Add(r, huma.Operation{Method: http.MethodPost, Path: path, Errors: []int{http.StatusTooManyRequests}}, double)
	}
	r.Handle("GET /status", http.NotFound)
	h, err := r.Handler()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestGroup checks that all errors below a group's prefix have its format, and
// that all others have docent's.
func TestGroup(t *testing.T) {
	t.Parallel()
	h := grouped(t)
	for _, c := range []struct {
		name, method, path, body string
		as                       *auth.Principal
		status                   int
		kind                     fault.Kind
	}{
		{"failed", "POST", "/double", `{"n":3}`, &auth.Principal{Scopes: auth.Scopes{auth.Ask}}, 503, fault.Busy},
		{"panicked", "POST", "/double", `{"n":4}`, &auth.Principal{Scopes: auth.Scopes{auth.Ask}}, 500, fault.Internal},
		{"invalid", "POST", "/double", `{"n":0}`, &auth.Principal{Scopes: auth.Scopes{auth.Ask}}, 400, fault.Invalid},
		{"not JSON", "POST", "/double", `n`, &auth.Principal{Scopes: auth.Scopes{auth.Ask}}, 400, fault.Invalid},
		{"nobody", "POST", "/double", `{"n":1}`, nil, 401, fault.Unauthorized},
		{"wrong scope", "POST", "/double", `{"n":1}`, &auth.Principal{}, 403, fault.Forbidden},
		{"wrong method", "GET", "/double", "", nil, 405, fault.Invalid},
		{"unknown path", "GET", "/triple", "", nil, 404, fault.NotFound},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, folder := range []string{"/own", "/v1"} {
				req := httptest.NewRequest(c.method, folder+c.path, strings.NewReader(c.body))
				req.Header.Set("Content-Type", "application/json")
				if c.as != nil {
					req = req.WithContext(auth.NewContext(req.Context(), *c.as))
				}
				w := httptest.NewRecorder()
				h.ServeHTTP(w, req)
				var own Error
				var other foreign
				for _, body := range []any{&own, &other} {
					if err := json.Unmarshal(w.Body.Bytes(), body); err != nil {
						t.Fatalf("%s: %v", w.Body, err)
					}
				}
				kind := fault.Kind(other.Error.Type)
				if folder == "/own" {
					kind = own.Code
				}
				if w.Code != c.status || kind != c.kind || (own.Code != "") == (other.Error.Type != "") {
					t.Errorf("%s: %d %s, want %d and %s", folder, w.Code, w.Body, c.status, c.kind)
				}
				if got := w.Header().Get("WWW-Authenticate"); (got != "") != (c.status == 401) {
					t.Errorf("%s: WWW-Authenticate is %q", folder, got)
				}
			}
		})
	}
}

func TestGroupIsDescribed(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	grouped(t).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/openapi.json", http.NoBody))
	var spec struct {
		Paths map[string]map[string]struct {
			Responses map[string]struct {
				Content map[string]struct {
					Schema struct {
						Ref string `json:"$ref"`
					}
				}
			}
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &spec); err != nil {
		t.Fatal(err)
	}
	// The body of the group is of this package, so its name precedes both names.
	for path, want := range map[string]string{"/own/double": "RouteError", "/v1/double": "RouteForeign"} {
		responses := spec.Paths[path]["post"].Responses
		if len(responses) < 5 {
			t.Errorf("%s has %d responses", path, len(responses))
		}
		for status, response := range responses {
			if status == "200" {
				continue
			}
			if got := response.Content["application/json"].Schema.Ref; got != "#/components/schemas/"+want {
				t.Errorf("%s: the schema of %s is %s, want %s", path, status, got, want)
			}
		}
	}
}

func TestServes(t *testing.T) {
	t.Parallel()
	h := grouped(t)
	for path, want := range map[string]bool{
		"/own/double": true, "/own/x/y": true, "/own/": true, "/v1/": true, "/openapi.json": true, "/status": true,
		"/": false, "/own": false, "/status/x": false, "/owner/double": false, "/v2/double": false,
	} {
		if got := h.Serves(path); got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
	if h.ErrorBody("/v1/x") == nil || h.ErrorBody("/own/double") != nil {
		t.Error("only paths below /v1/ belong to a group")
	}
}

// TestSchemaNames checks that the types of a group's package do not collide with
// types of the same name.
func TestSchemaNames(t *testing.T) {
	t.Parallel()
	r := New(Config{Mux: http.NewServeMux(), Metrics: metrics.NewSet(), Logger: slog.New(slog.DiscardHandler)})
	r.Group("/v1/", func(e *Error) any { return url.Error{Op: e.Message} })
	if own, other := SchemaOf[Error](r).Ref, SchemaOf[url.Error](r).Ref; !strings.HasSuffix(own, "/Error") || !strings.HasSuffix(other, "/UrlError") {
		t.Errorf("the names are %s and %s", own, other)
	}
}
