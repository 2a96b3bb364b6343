package route

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// ErrorBody converts an Error into the body of a response in another format. It
// always returns the same type.
type ErrorBody func(e *Error) any

// Group gives the routes below a path prefix, such as /v1/, their own format of
// errors. It applies to the errors of handlers, invalid requests, missing rights,
// unknown paths, and wrong tokens. The status and the headers stay the same.
// Call Group before adding these routes.
func (r *Router) Group(prefix string, body ErrorBody) { r.groups[prefix] = body }

// bodyOf returns the ErrorBody of a path, or nil if it has none.
func (r *Router) bodyOf(path string) ErrorBody {
	for prefix, body := range r.groups {
		if strings.HasPrefix(path, prefix) {
			return body
		}
	}
	return nil
}

// groupError is an Error with the body of its group.
type groupError struct {
	err  *Error
	body any
}

// Error returns the message.
func (e groupError) Error() string { return e.err.Error() }

// GetStatus returns the HTTP status.
func (e groupError) GetStatus() int { return e.err.GetStatus() }

// GetHeaders returns the headers of the response.
func (e groupError) GetHeaders() http.Header { return e.err.GetHeaders() }

// MarshalJSON writes the body.
func (e groupError) MarshalJSON() ([]byte, error) { return json.Marshal(e.body) }

// inGroup returns the response for an error of a request.
func inGroup(ctx context.Context, e *Error) huma.StatusError {
	if known := requestOf(ctx); known != nil && known.errorBody != nil {
		return groupError{e, known.errorBody(e)}
	}
	return e
}

// errorContent describes the errors of a path.
func (r *Router) errorContent(path string) map[string]*huma.MediaType {
	body := r.bodyOf(path)
	if body == nil {
		return r.ErrorContent()
	}
	t := reflect.TypeOf(body(&Error{}))
	return map[string]*huma.MediaType{"application/json": {Schema: r.OpenAPI().Components.Schemas.Schema(t, true, "")}}
}

// schemaNames names the schemas of types. The first type with a name gets it.
// Types of other packages with the same name get the package's name in front.
func schemaNames() func(t reflect.Type, hint string) string {
	taken := map[string]reflect.Type{}
	return func(t reflect.Type, hint string) string {
		name := huma.DefaultSchemaNamer(t, hint)
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct {
			return name // only structs get schemas with a name
		}
		if other, ok := taken[name]; ok && other != t {
			pkg := t.PkgPath()[strings.LastIndex(t.PkgPath(), "/")+1:]
			name = strings.ToUpper(pkg[:1]) + pkg[1:] + name
		}
		taken[name] = t
		return name
	}
}
