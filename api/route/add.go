package route

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"docent/internal/fault"
)

// copyBytes is the size of the buffer of Copy.
const copyBytes = 16 << 10

// Add adds a route. If handle returns an error, the error becomes the response.
func Add[I, O any](r *Router, op huma.Operation, handle func(ctx context.Context, in *I) (*O, error)) {
	op.Errors = append(op.Errors, http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden,
		http.StatusInternalServerError, http.StatusServiceUnavailable)
	if _, ok := any(new(I)).(interface{ hasJSONBody() }); ok {
		op.BodyReadTimeout = r.cfg.BodyTimeout
		op.Errors = append(op.Errors, http.StatusRequestTimeout, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType)
	}
	slices.Sort(op.Errors)
	op.Errors = slices.Compact(op.Errors)
	if op.Responses == nil {
		op.Responses = map[string]*huma.Response{}
	}
	content := r.errorContent(op.Path)
	op.Responses["default"] = &huma.Response{Description: "Error", Content: content}
	huma.Register(r.api, op, func(ctx context.Context, in *I) (*O, error) {
		out, err := handle(ctx, in)
		if err == nil {
			err = r.audit(ctx, op.Method+" "+op.Path)
		}
		if err != nil {
			return nil, inGroup(ctx, r.Fail(ctx, err))
		}
		return out, nil
	})
	for _, status := range op.Errors { // huma has described them as Errors
		op.Responses[strconv.Itoa(status)].Content = content
	}
	delete(op.Responses, "422") // huma's status for 400
}

// JSONBody is embedded in inputs with a JSON body.
type JSONBody struct{}

// Resolve removes the read deadline after the whole body has arrived. The
// deadline would otherwise cancel the context of the running handler.
func (*JSONBody) Resolve(hc huma.Context) []error {
	_ = hc.SetReadDeadline(time.Time{}) // writers without deadlines have none to remove
	return nil
}

func (*JSONBody) hasJSONBody() {}

// StreamedBody is embedded in inputs whose body the handler reads itself, as it
// arrives.
type StreamedBody struct {
	request *http.Request
	writer  http.ResponseWriter
}

// Resolve keeps the request and its response for HTTP.
func (b *StreamedBody) Resolve(hc huma.Context) []error {
	b.request, b.writer = humago.Unwrap(hc)
	return nil
}

// HTTP returns the request and its response.
func (b *StreamedBody) HTTP() (*http.Request, http.ResponseWriter) { return b.request, b.writer }

// JSON responds with JSON where a route can also respond with a stream.
func JSON(body any) *huma.StreamResponse {
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		hc.SetHeader("Content-Type", "application/json")
		_ = json.NewEncoder(hc.BodyWriter()).Encode(body) // the client is gone
	}}
}

// Send writes a body of any length, unless the method of the request is HEAD.
func (r *Router) Send(ctx context.Context, hc huma.Context, write func(io.Writer) error) {
	req, w := humago.Unwrap(hc)
	w.WriteHeader(http.StatusOK)
	if req.Method == http.MethodHead {
		return
	}
	if err := write(w); err != nil {
		_ = r.Fail(ctx, err)        // logs it
		panic(http.ErrAbortHandler) // an incomplete body must not look complete
	}
}

// Copy returns a function for Send that copies a reader.
func Copy(r io.Reader) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.CopyBuffer(w, struct{ io.Reader }{r}, make([]byte, copyBytes))
		return err
	}
}

// CheckText refuses text that databases cannot store. The arguments alternate
// between names and values.
func CheckText(pairs ...string) error {
	for i := 0; i+1 < len(pairs); i += 2 {
		if strings.ContainsRune(pairs[i+1], 0) || strings.ToValidUTF8(pairs[i+1], "") != pairs[i+1] {
			return fault.New(fault.Invalid, "parameter_not_plain", "%s is not plain text", pairs[i])
		}
	}
	return nil
}

// CheckTexts is CheckText for several values with the same name.
func CheckTexts(name string, values []string) error {
	for _, v := range values {
		if err := CheckText(name, v); err != nil {
			return err
		}
	}
	return nil
}
