package route

import (
	"context"
	"encoding/json"
	"net/http"
	"path"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// ErrorBody converts an Error into the body of a response in another format. It
// always returns the same type.
type ErrorBody func(e *Error) any

// group are the routes below a path prefix, with errors in their own format.
type group struct {
	body ErrorBody
	pkg  string // of the body's type
}

// Group gives the routes below a path prefix, such as /v1/, their own format of
// errors. It applies to all errors: of handlers, access, unknown paths, wrong
// tokens, and edge.Front. The status and the headers stay the same. The
// schemas of all types in the package of the body get the package's name in front,
// so that they cannot collide with other schemas. Call Group before adding these
// routes.
func (r *Router) Group(prefix string, body ErrorBody) {
	r.groups[prefix] = group{body, reflect.TypeOf(body(&Error{})).PkgPath()}
}

// errorBody returns the ErrorBody of a path, or nil if it has none.
func (r *Router) errorBody(url string) ErrorBody {
	for prefix, g := range r.groups {
		if strings.HasPrefix(url, prefix) || url+"/" == prefix {
			return g.body
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
func (r *Router) errorContent(url string) map[string]*huma.MediaType {
	body := r.errorBody(url)
	if body == nil {
		return r.ErrorContent()
	}
	t := reflect.TypeOf(body(&Error{}))
	return map[string]*huma.MediaType{"application/json": {Schema: r.OpenAPI().Components.Schemas.Schema(t, true, "")}}
}

// schemaName names the schema of a type. huma panics if two types get one name.
func (r *Router) schemaName(t reflect.Type, hint string) string {
	name := huma.DefaultSchemaNamer(t, hint)
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	for _, g := range r.groups {
		if g.pkg != "" && g.pkg == t.PkgPath() {
			pkg := path.Base(g.pkg)
			return strings.ToUpper(pkg[:1]) + pkg[1:] + name
		}
	}
	return name
}
